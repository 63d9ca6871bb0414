"""What an export holds: a run's facts, its agents with their costs, and what each said and did."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from unbraid.agents.registry import kind
from unbraid.errors import CallerError
from unbraid.events import FleetEvent
from unbraid.fleet.conversation import Item, RunConversation
from unbraid.fleet.tree import Node, Tree
from unbraid.fleet.usage import Usage
from unbraid.log.summary import RunSummary


class ExportedStream(Struct):
    """One agent: `usage` is its own, `total` is that of everyone below it, too."""

    stream_id: int
    depth: int
    agent: str
    parent_stream_id: int | None
    description: str | None
    model: str | None
    status: str
    started: int
    duration_ms: int | None
    tool_uses: int
    usage: Usage
    total: Usage
    items: list[Item]


class RunExport(Struct):
    """A run; `streams` are all of its agents, depth first, or the one that was asked for."""

    run: str
    source: str
    session_id: str | None
    title: str | None
    cwd: str | None
    status: str
    started: int
    duration_ms: int
    agents: int
    usage: Usage
    streams: list[ExportedStream]


class RunFold:
    """Folds the events of a run into an export."""

    def __init__(self, run: str) -> None:
        self._summary = RunSummary(run)
        self._tree = Tree()
        self._conversation = RunConversation()

    def apply(self, events: Iterable[FleetEvent]) -> None:
        """Takes in more of the run."""
        for event in events:
            self._summary.fold(event, 0)
            self._tree.apply((event,))
            self._conversation.apply(event)

    def export(self, stream: int | None = None) -> RunExport:
        """Returns the run so far, or one stream of it. Raises CallerError if there is no such
        stream.
        """
        summary, nodes = self._summary, list(self._tree.walk())
        if stream is not None:
            nodes = [node for node in nodes if node.stream_id == stream]
            if not nodes:
                raise CallerError(f"run {summary.run} has no stream {stream}")
        return RunExport(
            run=summary.run,
            source=summary.source,
            session_id=summary.session_id,
            title=summary.title,
            cwd=summary.cwd,
            status=summary.status,
            started=summary.started,
            duration_ms=max(summary.updated - summary.started, 0),
            agents=summary.agents,
            usage=summary.usage,
            streams=[self._stream(node) for node in nodes],
        )

    def _stream(self, node: Node) -> ExportedStream:
        conversation = self._conversation.streams.get(node.stream_id)
        items = [] if conversation is None else conversation.items
        return ExportedStream(
            stream_id=node.stream_id,
            depth=node.depth,
            agent=node.agent,
            parent_stream_id=node.parent_stream_id,
            description=node.description,
            model=node.model,
            status=node.status,
            started=node.started,
            duration_ms=node.duration_ms,
            tool_uses=node.tool_uses,
            usage=node.usage,
            total=self._tree.rolled_up(node.stream_id),
            items=[self._shown(item) for item in items if not _is_left_out(item)],
        )

    def _shown(self, item: Item) -> Item:
        source = kind(self._summary.source)
        if source is not None and item.result:
            item.result = source.without_notes(item.result, of_agent=item.child is not None)
        if source is not None and item.kind == "response" and item.text:
            item.text = source.without_notes(item.text, of_agent=True)
        return item


def _is_left_out(item: Item) -> bool:
    """Returns whether an item says something about the log, and nothing about the work."""
    return item.kind in ("unrecognized", "malformed") or (item.kind == "turn" and item.ok is True)
