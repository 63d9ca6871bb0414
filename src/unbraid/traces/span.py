"""What a trace is made of, independent of any format."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

Value = str | int | float | bool
Attributes = dict[str, Value]

# Names come from agents, which may call a tool anything.
MAX_NAME_CHARS = 200


class SpanEvent(Struct, frozen=True):
    """Something that happened at one moment within a span."""

    name: str
    ts: int
    attributes: Attributes


class Span(Struct, frozen=True):
    """One piece of work that has ended. Times are milliseconds since 1970.

    `seq` is the event of the run with which it was complete. `remote` says that the work was done
    by a model, elsewhere. `error` is None if it went well, otherwise a word for what went wrong.
    """

    name: str
    span_id: int
    parent_id: int | None
    start: int
    end: int
    seq: int
    attributes: Attributes
    events: tuple[SpanEvent, ...] = ()
    links: tuple[int, ...] = ()
    remote: bool = False
    error: str | None = None


def known(values: Mapping[str, Value | None]) -> Attributes:
    """Returns attributes without those that are unknown."""
    return {name: value for name, value in values.items() if value is not None}


def short(name: str) -> str:
    """Returns a name that is no longer than names are."""
    return name if len(name) <= MAX_NAME_CHARS else name[: MAX_NAME_CHARS - 1] + "…"
