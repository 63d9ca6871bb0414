"""Where a run comes from: on a log that many machines share, each run names its machine and its
user.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping

from msgspec import Struct

from unbraid.events import FleetEvent, RequestReceived
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.record.recorder import RunPipeline, priced_pipeline
from unbraid.system.user import user_name


class RunOrigin(Struct, frozen=True):
    """The machine that a run is from, and its user there."""

    machine: str | None = None
    user: str | None = None


def this_origin(env: Mapping[str, str] = os.environ) -> RunOrigin:
    """Returns this machine and this user; `UNBRAID_MACHINE` gives it another name."""
    return RunOrigin(env.get("UNBRAID_MACHINE") or platform.node() or None, user_name())


def pipeline_of(log: Log, run: RunSummary | None) -> Callable[[], RunPipeline]:
    """Returns what makes the pipeline of a run: for a run that exists, its first event names the
    same machine and user again; a run that begins here names them only on a shared log.
    """
    if run is not None:
        origin = RunOrigin(run.machine, run.user)
    elif log.shared:
        origin = this_origin()
    else:
        origin = RunOrigin()
    return lambda: NamedPipeline(priced_pipeline(), origin)


class NamedPipeline:
    """A pipeline whose run says where it is from."""

    def __init__(self, pipeline: RunPipeline, origin: RunOrigin) -> None:
        self._pipeline, self._origin = pipeline, origin

    def feed(self, data: bytes, source: str, now: int) -> list[FleetEvent]:
        """Takes more bytes of a source; returns the events of them."""
        return self._named(self._pipeline.feed(data, source, now))

    def finish(self, now: int) -> list[FleetEvent]:
        """Ends all sources, and the run. Returns the last events."""
        return self._named(self._pipeline.finish(now))

    def _named(self, events: list[FleetEvent]) -> list[FleetEvent]:
        # Only the first event of a run is one; looking at the first of a list is enough.
        if events and isinstance(first := events[0], RequestReceived):
            first.machine, first.user = self._origin.machine, self._origin.user
        return events
