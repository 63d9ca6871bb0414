"""The events of a run, packed so that the page can show them without a server.

They are one JSON object a line, compressed, in base64: a file of some megabytes for 100,000 events,
of which no character can be taken for markup. Notes that a CLI writes for the model alone, and
records that could not be read, are left out, as in every export.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from unbraid import events as e
from unbraid.agents.registry import kind
from unbraid.export.document import RunExport

# The page decodes one line at a time. A multiple of 3, so that no line but the last is padded.
_LINE_BYTES = 48 * 1024
_LEFT_OUT = (e.FleetUnrecognized, e.FleetMalformed)


class ArchiveFacts(Struct):
    """What the page has to know before it has read any event. `stream` is the only one of the
    file, if it has one only, and `last_seq` the last of its events.
    """

    run: str
    title: str | None
    stream: int | None
    last_seq: int


class EventArchive:
    """The events of a run, or of one of its streams, to be written into a file."""

    def __init__(self, stream: int | None = None) -> None:
        self._stream = stream
        self._events: list[e.FleetEvent] = []
        self._agents: set[str] = set()
        self._source = ""

    def apply(self, events: Iterable[e.FleetEvent]) -> None:
        """Takes in more of the run."""
        for event in events:
            if isinstance(event, e.StreamStart) and event.tool_use_id:
                self._agents.add(event.tool_use_id)
            if isinstance(event, e.RequestReceived):
                self._source = event.source
            if not isinstance(event, _LEFT_OUT):
                self._events.append(event)

    def facts(self, export: RunExport) -> ArchiveFacts:
        """Returns what the page has to know first."""
        shown = (event.seq for event in reversed(self._events) if self._of_stream(event, export))
        return ArchiveFacts(export.run, export.title, self._stream, last_seq=next(shown, 0))

    def lines(self, export: RunExport) -> Iterator[str]:
        """Yields the events as lines of base64; joined and decoded, they are one zlib stream."""
        packer, rest = zlib.compressobj(6), b""
        for event in self._events:
            shown = self._of_stream(event, export)
            if shown is None:
                continue
            rest += packer.compress(e.encode(self._without_notes(shown)) + b"\n")
            whole = len(rest) - len(rest) % _LINE_BYTES
            for at in range(0, whole, _LINE_BYTES):
                yield base64.b64encode(rest[at : at + _LINE_BYTES]).decode()
            rest = rest[whole:]
        yield base64.b64encode(rest + packer.flush()).decode()

    def _of_stream(self, event: e.FleetEvent, export: RunExport) -> e.FleetEvent | None:
        """Returns an event as one stream's file has it; None if it is about others."""
        if self._stream is None:
            return event
        if isinstance(event, e.RequestReceived):
            # The prompt is the main agent's.
            return event if self._stream == 0 else replace(event, prompt=None)
        if isinstance(event, e.Done):
            # The file's total is that of its agent and everyone below it.
            total = msgspec.structs.asdict(export.streams[0].total)
            return replace(event, **total, streams=1)
        return event if event.stream_id == self._stream else None

    def _without_notes(self, event: e.FleetEvent) -> e.FleetEvent:
        source = kind(self._source)
        if source is None:
            return event
        if isinstance(event, e.FleetToolResult):
            of_agent = event.tool_use_id in self._agents
            shown = source.without_notes(event.content, of_agent=of_agent)
            if shown != event.content:
                return replace(event, content_json=Raw(msgspec.json.encode(shown)))
        elif isinstance(event, e.SubAgentResponse):
            shown = source.without_notes(event.content, of_agent=True)
            return event if shown == event.content else replace(event, content=shown)
        return event
