"""The tree of agents, folded from a run's log: which agent works for which, how far it is, and what
it costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import asdict, replace

from unbraid import events as e
from unbraid.fold.status import MARKS, WAITING, WORKING, RunState, WaitingFor, status_of_end
from unbraid.fold.usage import Totals, Usage
from unbraid.screen import cost, duration, token_count

# Readers of JSON recurse: agents below this depth stand beside each other, with their depths.
MAX_NESTED = 200
# What is nested deeper than a screen is wide is not indented further.
MAX_INDENT_CHARS = 300
# Quotes would end a label of mermaid's, and the others make markup in it; it reads entities.
_MERMAID = str.maketrans({char: f"#{ord(char)};" for char in '"#&<>`\\'})

# Most events are words, of which only the time is noted.
_WORDS = frozenset({e.Text, e.Thinking, e.FleetPrompt})


class Node(Struct):
    """One stream: an invocation of an agent."""

    stream_id: int
    depth: int
    agent: str
    parent_stream_id: int | None = None
    agent_id: str | None = None
    tool_use_id: str | None = None
    description: str | None = None
    model: str | None = None
    background: bool | None = None
    resumes: int | None = None
    status: str = WORKING
    waiting: WaitingFor | None = None
    started: int = 0
    updated: int = 0
    ended: int | None = None
    tool_uses: int = 0
    failed_tools: int = 0
    last_tool: str | None = None
    usage: Usage = field(default_factory=Usage)
    children: list[int] = field(default_factory=list)

    @property
    def duration_ms(self) -> int | None:
        """From its start to its end, or to the latest it did."""
        last = self.ended if self.ended is not None else self.updated
        return last - self.started if self.started and last >= self.started else None


class Tree:
    """All streams of a run; `apply` folds more events in."""

    def __init__(self, events: Iterable[e.FleetEvent] = ()) -> None:
        self.nodes: dict[int, Node] = {}
        self.session_id: str | None = None
        self.done: e.Done | None = None
        self.state = RunState()
        self._totals = Totals()
        self.apply(events)

    def apply(self, events: Iterable[e.FleetEvent]) -> None:
        """Applies more events of the log."""
        for event in events:
            self._fold(event)

    def _fold(self, event: e.FleetEvent) -> None:
        if type(event) in _WORDS:
            self.note_words(event.stream_id, event.ts)
            return
        answered = None
        if isinstance(event, e.FleetPermissionReplied):
            answered = self.state.requests.get(event.request_id)
        self.state.apply(event)
        if isinstance(event, e.RequestReceived):
            self.session_id = event.session_id
            return
        if isinstance(event, e.StreamStart):
            self._start(event)
            return
        self._totals.fold(event)
        node = self.note_activity(event.stream_id, event.ts)
        if node is not None:
            self._count(event, node)
            self._set_status(node)
        if answered is not None and (asker := self.nodes.get(answered.stream_id)) is not None:
            # The one that reports the answer may not be the one that asked.
            self._set_status(asker)

    def _count(self, event: e.FleetEvent, node: Node) -> None:
        match event:
            case e.FleetToolUse():
                node.tool_uses += 1
                node.last_tool = event.tool
            case e.FleetToolResult():
                node.failed_tools += not event.ok
            case e.FleetTokenUsage():
                node.usage.add(event)
                node.model = node.model or event.model
            case e.ToolCall():
                node.tool_uses += 1
                node.last_tool = event.tool
                node.failed_tools += not event.ok
            case e.FleetProgress():
                node.last_tool = event.last_tool or node.last_tool
            case e.FleetSessionMeta():
                node.model = event.model or node.model
                node.agent_id = event.agent_id or node.agent_id
                self.session_id = self.session_id or event.session_id
            case e.StreamEnd():
                node.status = status_of_end(event.reason, ok=event.ok)
                node.ended = event.ts
            case e.Done():
                self.done = event
            case _:
                pass

    def note_words(self, stream_id: int, ts: int) -> None:
        """Applies words of an agent, of which only the time is needed."""
        self.state.note_work(stream_id)
        node = self.note_activity(stream_id, ts)
        if node is not None:
            self._set_status(node)

    def _set_status(self, node: Node) -> None:
        state = self.state
        if node.waiting is None and not state.requests and not state.idle_since:
            return  # no agent waits for anything
        if node.ended is not None:
            node.waiting = None
            return
        node.waiting = waiting = state.waiting_of(node.stream_id)
        node.status = WORKING if waiting is None else WAITING

    def note_activity(self, stream_id: int, ts: int) -> Node | None:
        """Sets when an agent was active last. Returns its node."""
        node = self.nodes.get(stream_id)
        if node is not None:
            if ts > node.updated:
                node.updated = ts
            node.started = node.started or ts
        return node

    def _start(self, event: e.StreamStart) -> None:
        # A forged log must not lead to cycles: a known stream keeps its parent, and a parent must
        # be known before its child.
        if event.stream_id in self.nodes:
            return
        parent = self.nodes.get(-1 if event.parent_stream_id is None else event.parent_stream_id)
        self.nodes[event.stream_id] = Node(
            stream_id=event.stream_id,
            depth=event.depth,
            agent=event.agent,
            parent_stream_id=event.parent_stream_id,
            agent_id=event.agent_id,
            tool_use_id=event.tool_use_id,
            description=event.description,
            model=event.model,
            background=event.background,
            resumes=event.resumes,
            started=event.ts,
            updated=event.ts,
        )
        if parent is not None:
            parent.children.append(event.stream_id)

    def rolled_up(self, stream_id: int = 0) -> Usage:
        """Returns what an agent and everyone below it have used."""
        if stream_id == 0:
            return self._totals.total()
        total = Usage()
        for node in self.walk(stream_id):
            total.add(node.usage)
        return total

    def walk(self, stream_id: int = 0) -> Iterator[Node]:
        """Yields an agent and everyone below it, depth first, in order of appearance."""
        waiting = [stream_id]
        while waiting:
            node = self.nodes.get(waiting.pop())
            if node is not None:
                yield node
                waiting.extend(reversed(node.children))

    # --- output formats ---

    def totals(self) -> dict[int, Usage]:
        """Returns what each agent and everyone below it have used. In one pass: in a chain of
        thousands of agents, each by itself would take minutes.
        """
        totals: dict[int, Usage] = {}
        for node in reversed(list(self.walk())):
            total = totals[node.stream_id] = replace(node.usage)
            for child in node.children:
                if child in totals:
                    total.add(totals[child])
        totals[0] = self.rolled_up(0)
        return totals

    def to_json(self, stream_id: int = 0) -> dict[str, Any]:
        """Returns the tree as nested objects, of an agent and everyone below it."""
        totals = self.totals()
        made: dict[int, dict[str, Any]] = {}
        holders: dict[int, int] = {}  # an agent: the one whose object holds its children
        for node in self.walk(stream_id):
            one = made[node.stream_id] = self._node_json(node, totals[node.stream_id])
            holder = holders.get(-1 if node.parent_stream_id is None else node.parent_stream_id)
            if holder is not None:
                made[holder]["children"].append(one)
            nests = holder is None or node.depth < MAX_NESTED
            holders[node.stream_id] = node.stream_id if nests else holder or 0
        return made[stream_id]

    def _node_json(self, node: Node, total: Usage) -> dict[str, Any]:
        return {
            "stream_id": node.stream_id,
            "depth": node.depth,
            "agent": node.agent,
            "agent_id": node.agent_id,
            "session_id": self.session_id if node.stream_id == 0 else None,
            "tool_use_id": node.tool_use_id,
            "description": node.description,
            "model": node.model,
            "status": node.status,
            "waiting": to_builtins(node.waiting),
            "background": node.background,
            "resumes": node.resumes,
            "started": node.started,
            "ended": node.ended,
            "duration_ms": node.duration_ms,
            "tool_uses": node.tool_uses,
            "failed_tools": node.failed_tools,
            "last_tool": node.last_tool,
            "usage": asdict(node.usage),
            "total": asdict(total),
            "children": [],
        }

    def to_text(self) -> str:
        """Returns the tree as indented lines."""
        lines: list[str] = []
        totals = self.totals()
        waiting = [(0, "", "")]  # an agent, what stands before its line, and before those below it
        while waiting:
            stream_id, first, rest = waiting.pop()
            node = self.nodes.get(stream_id)
            if node is None:
                continue
            lines.append(first + label(node, totals[stream_id]))
            deep = len(rest) > MAX_INDENT_CHARS
            for child in reversed(node.children):
                last = child == node.children[-1]
                mark, line = ("└─ ", "   ") if last else ("├─ ", "│  ")
                waiting.append((child, rest + mark, rest if deep else rest + line))
        return "\n".join(lines)

    def to_mermaid(self) -> str:
        """Returns the tree as a mermaid flowchart."""
        lines, totals = ["flowchart TD"], self.totals()
        for node in self.walk():
            text = label(node, totals[node.stream_id]).translate(_MERMAID)
            lines.append(f'  s{node.stream_id}["{text}"]')
            if node.parent_stream_id is not None:
                lines.append(f"  s{node.parent_stream_id} --> s{node.stream_id}")
            if node.resumes is not None:
                lines.append(f"  s{node.resumes} -. resumed .-> s{node.stream_id}")
        return "\n".join(lines)

    def to_dot(self) -> str:
        """Returns the tree as a graphviz digraph."""
        lines, totals = ["digraph fleet {", "  node [shape=box];"], self.totals()
        for node in self.walk():
            text = label(node, totals[node.stream_id])
            text = text.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  s{node.stream_id} [label="{text}"];')
            if node.parent_stream_id is not None:
                lines.append(f"  s{node.parent_stream_id} -> s{node.stream_id};")
            if node.resumes is not None:
                lines.append(f"  s{node.resumes} -> s{node.stream_id} [style=dashed];")
        return "\n".join([*lines, "}"])


def label(node: Node, total: Usage) -> str:
    """Returns one agent in one line: its mark, its number, who it is, how it stands."""
    words = [MARKS.get(node.status, "?"), str(node.stream_id)]
    words.append(_one_line(node.description or node.agent))
    if node.description:
        words.append(f"({_one_line(node.agent)})")
    facts = [node.status if node.waiting is None else str(node.waiting)]
    if node.resumes is not None:
        facts.append(f"resumes {node.resumes}")
    if node.background:
        facts.append("background")
    if node.tool_uses:
        facts.append(f"{node.tool_uses} tool call{'s' if node.tool_uses != 1 else ''}")
    own, both = spent(node.usage), spent(total)
    if own == both:
        facts.append(both)
    else:
        facts += [f"own {own or '0 tokens'}", f"total {both}"]
    if node.duration_ms:
        facts.append(duration(node.duration_ms))
    return f"{' '.join(words)}  {' · '.join(filter(None, facts))}"


def spent(usage: Usage) -> str:
    """Returns tokens and money, for a line; nothing if there are none."""
    tokens = f"{token_count(usage.total_tokens)} tokens" if usage.total_tokens else ""
    return ", ".join(filter(None, (tokens, cost(usage))))


def _one_line(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def closing_events(events: Sequence[e.FleetEvent], reason: str) -> list[e.FleetEvent]:
    """Returns what the log of a run whose writer is gone still needs to be whole: the end of every
    stream that is open, latest first, and `done`; nothing if that is there. The run has ended with
    its last event, whenever that is found out.
    """
    tree = Tree(events)
    if not events or tree.done is not None:
        return []
    first, last = events[0], events[-1]
    ts, seq = max(event.ts for event in events), last.seq
    ends: list[e.FleetEvent] = []
    for node in sorted(tree.nodes.values(), key=lambda node: node.stream_id, reverse=True):
        if node.ended is None:
            seq += 1
            ends.append(
                e.StreamEnd(
                    seq=seq,
                    ts=ts,
                    stream_id=node.stream_id,
                    depth=node.depth,
                    agent=node.agent,
                    ok=False,
                    reason=reason,
                )
            )
    total = tree.rolled_up()
    done = e.Done(
        seq=seq + 1,
        ts=ts,
        stream_id=0,
        depth=0,
        agent=first.agent,
        ok=False,
        streams=len(tree.nodes),
        **asdict(total),
        duration_ms=ts - first.ts,
    )
    return [*ends, done]
