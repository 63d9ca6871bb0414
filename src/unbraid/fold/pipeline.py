"""The pure core as a whole: bytes of a run's sources in, entries of its log out."""

from __future__ import annotations

from collections.abc import Sequence

from unbraid.events import FleetEvent
from unbraid.fold.prices import Prices
from unbraid.fold.streams import Fleet
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.read.record import Record
from unbraid.read.translator import Translator


class Pipeline:
    """One run: a translator and a fleet. `began_ms` is when the run began, for what has no time of
    its own and precedes everything that has; 0 if that is not known. With
    `prices`, messages whose cost no CLI reports get an estimate.
    """

    def __init__(
        self,
        source: str = "",
        *,
        max_line_bytes: int = DEFAULT_MAX_LINE_BYTES,
        began_ms: int = 0,
        prices: Prices | None = None,
    ) -> None:
        self.translator = Translator(max_line_bytes=max_line_bytes)
        self.fleet = Fleet(source, began_ms=began_ms, prices=prices)

    def feed(
        self, data: bytes, source: str = "stdout", now: int = 0, records: Sequence[Record] = ()
    ) -> list[FleetEvent]:
        """Adds more bytes of a source, and returns the new events; `now` (milliseconds) dates what
        has no time of its own; `records` are as in `Translator.feed`.
        """
        events = self.translator.feed(data, source, now, records)
        if events and not self.fleet.source:
            self.fleet.source = self.translator.kind
        return self.fleet.apply(events, now)

    def finish(self, now: int = 0) -> list[FleetEvent]:
        """Ends all sources, and the run. Returns the last events."""
        events = self.fleet.apply(self.translator.finish(), now)
        return events + self.fleet.finish(*self.translator.outcome, now=now)
