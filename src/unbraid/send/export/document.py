"""What an export holds: a run's facts, its agents with their costs, and what each said and did; and
the words for these that HTML and Markdown share.
"""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from unbraid.agents.port import AgentKind
from unbraid.agents.registry import kind, tools
from unbraid.errors import CallerError
from unbraid.fold.conversation import Item, RunConversation, note_of
from unbraid.fold.status import MARKS
from unbraid.fold.tree import Tree
from unbraid.fold.usage import Usage
from unbraid.log.summary import RunSummary
from unbraid.screen import cost, duration, safe, short


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


def run_export(
    summary: RunSummary, tree: Tree, conversation: RunConversation, stream: int | None = None
) -> RunExport:
    """Returns a run as it was folded so far, or one stream of it. Raises CallerError if there is no
    such stream.
    """
    nodes = list(tree.walk())
    if stream is not None:
        nodes = [node for node in nodes if node.stream_id == stream]
        if not nodes:
            raise CallerError(f"run {summary.run} has no stream {stream}")
    source, streams = kind(summary.source), list[ExportedStream]()
    for node in nodes:
        said = conversation.streams.get(node.stream_id)
        items = [] if said is None else said.items
        streams.append(
            ExportedStream(
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
                total=tree.rolled_up(node.stream_id),
                items=[_without_notes(item, source) for item in items if not _is_left_out(item)],
            )
        )
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
        streams=streams,
    )


def _without_notes(item: Item, source: AgentKind | None) -> Item:
    """Returns an item without what the agent's CLI wrote for the model alone."""
    if source is not None and item.result:
        item.result = source.without_notes(item.result, of_agent=item.child is not None)
    if source is not None and item.kind == "response" and item.text:
        item.text = source.without_notes(item.text, of_agent=True)
    return item


def _is_left_out(item: Item) -> bool:
    """Returns whether an item says something about the log, and nothing about the work."""
    return item.kind in ("unrecognized", "malformed") or (item.kind == "turn" and item.ok is True)


def title_of(export: RunExport) -> str:
    """Returns what the export is called."""
    return short(export.title or export.run)


def name_of(stream: ExportedStream) -> str:
    """Returns an agent in a few words."""
    name = f"{MARKS.get(stream.status, '?')} {stream.stream_id} {short(stream.agent, 60)}"
    return f"{name} “{short(stream.description, 80)}”" if stream.description else name


def facts_of(stream: ExportedStream) -> str:
    """Returns how an agent stands, what it took and what it cost."""
    facts = [stream.status]
    if stream.total == stream.usage:
        facts.append(spent(stream.usage))
    else:
        facts += [f"own {spent(stream.usage)}", f"total {spent(stream.total)}"]
    if stream.duration_ms:
        facts.append(duration(stream.duration_ms))
    if stream.model:
        facts.append(short(stream.model, 60))
    return " · ".join(facts)


def run_facts(export: RunExport) -> list[tuple[str, str]]:
    """Returns the facts of a run, each with its name."""
    facts = [
        ("Run", export.run),
        ("Status", export.status),
        ("Agents", str(export.agents)),
        ("Spent", spent(export.usage)),
    ]
    if export.started:
        # A stream without times has no duration either.
        begun = datetime.fromtimestamp(export.started / 1000, UTC)
        facts.insert(2, ("Started", f"{begun:%Y-%m-%d %H:%M:%S} UTC"))
        facts.append(("Duration", duration(export.duration_ms)))
    if export.cwd:
        facts.append(("Folder", short(export.cwd)))
    return facts


def spent(usage: Usage) -> str:
    """Returns tokens and money."""
    tokens, money = f"{usage.total_tokens:,} tokens", cost(usage)
    return f"{tokens}, {money}" if money else tokens


def call_of(item: Item) -> str:
    """Returns a tool call in one line."""
    mark = {None: "…", True: "✔", False: "✘"}[item.ok]
    about = short(tools().summary(item.tool or "", item.arguments), 120)
    return f"{mark} {short(item.tool or 'tool', 60)} {about}".rstrip()


def input_of(item: Item) -> str:
    """Returns the arguments of a call, one below the other."""
    if item.input is None:
        return ""
    encoded = msgspec.json.format(msgspec.json.encode(item.arguments), indent=2)
    return safe(encoded.decode("utf-8", "backslashreplace"))


def note(item: Item) -> str:
    """Returns the line that stands for what is neither words nor a call."""
    found = note_of(item, tools())
    return "" if found is None else safe(found.text)
