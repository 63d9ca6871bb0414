"""Runs and their agents as rows, and where the pages of each stream are in the log.

A view shows a few pages of one stream and reads them from the log when they are wanted, so what it
holds does not grow with the run. The log reads forwards only; the index makes going back as
cheap.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import PurePath

from rich.style import Style
from rich.text import Text

from unbraid.events import StreamStart
from unbraid.fold import status
from unbraid.fold.status import MARKS
from unbraid.fold.tree import Node, Tree, spent
from unbraid.log.entry import Entry
from unbraid.log.summary import RunSummary
from unbraid.screen import cost, duration, short, token_count

PAGE_EVENTS = 400
PAGE_BYTES = 64 * 1024

# The events that become items of a conversation; the tree shows the others.
SHOWN = (
    "stream_start", "prompt", "text", "thinking", "tool_use", "tool_result", "tool_call",
    "permission_asked", "permission_replied", "turn_complete", "compacted", "retracted", "error",
    "sub_agent_response", "unrecognized", "malformed", "stream_end",
)  # fmt: skip


class PageIndex:
    """The first seq of every page, and the last seq there is, by stream."""

    def __init__(self) -> None:
        self.starts: dict[int, list[int]] = {}
        self.last: dict[int, int] = {}
        self.seq = 0
        self._filled: dict[int, tuple[int, int]] = {}

    def add(self, entry: Entry) -> None:
        """Adds an event of the run."""
        self.seq = entry.seq
        if entry.type not in SHOWN:
            return
        stream = entry.stream_id
        events, size = self._filled.get(stream, (PAGE_EVENTS, 0))
        if events >= PAGE_EVENTS or size >= PAGE_BYTES:
            self.starts.setdefault(stream, []).append(entry.seq)
            events, size = 0, 0
        self._filled[stream] = (events + 1, size + len(entry.data))
        self.last[stream] = entry.seq

    def pages(self, stream: int) -> int:
        """Returns how many pages a stream has."""
        return len(self.starts.get(stream, ()))

    def page_of(self, stream: int, seq: int) -> int:
        """Returns the page on which an event stands."""
        return max(0, bisect_right(self.starts.get(stream, ()), seq) - 1)

    def bounds(self, stream: int, first: int, last: int) -> tuple[int, int | None]:
        """Returns the seq that the pages begin with, and the one that follows them; None at the
        end.
        """
        starts = self.starts[stream]
        return starts[first], starts[last + 1] if last + 1 < len(starts) else None


COLORS = ("cyan", "green", "yellow", "magenta", "blue", "red")
STATUS = {
    status.WORKING: Style(color="bright_green"),
    status.WAITING: Style(color="yellow", bold=True),
    status.DONE: Style(color="green"),
    status.FAILED: Style(color="red", bold=True),
    status.INTERRUPTED: Style(color="red"),
    status.ORPHANED: Style(color="yellow"),
}
DIM = Style(dim=True)
# Agents that are deeper in the tree need room for their names, too.
MAX_GUIDE_CHARS = 12


class Row:
    """One row; `key` is what it stands for. Its text may be made when it is drawn: of hundreds of
    rows, a few are on the screen.
    """

    __slots__ = ("_text", "cells", "key")

    def __init__(
        self, key: str, text: Text | Callable[[], Text], cells: Sequence[Text] = ()
    ) -> None:
        self.key, self._text, self.cells = key, text, cells

    @property
    def text(self) -> Text:
        """What stands before the cells."""
        return self._text.copy() if isinstance(self._text, Text) else self._text()


class RunTree:
    """A run's tree and page index, folded from batches of its log."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.tree = Tree()
        self.page_index = PageIndex()
        self.known = 0  # how far the log went when it was opened
        self.children: dict[str, int] = {}  # the stream that a call started

    def apply(self, batch: Sequence[Entry]) -> None:
        """Applies more events of the log."""
        for entry in batch:
            self.page_index.add(entry)
            if entry.type in ("text", "thinking"):
                # Most of a run: only its reader needs the words.
                self.tree.note_words(entry.stream_id, entry.ts)
                continue
            event = entry.event
            if isinstance(event, StreamStart) and event.tool_use_id:
                self.children[event.tool_use_id] = event.stream_id
            self.tree.apply((event,))

    def rows(self, folded: Collection[int]) -> list[Row]:
        """Returns the tree, one row an agent; what is below a folded one is left out."""
        return list(self._rows(0, first="", rest="", folded=folded))

    def _rows(self, stream: int, first: str, rest: str, folded: Collection[int]) -> Iterator[Row]:
        node = self.tree.nodes.get(stream)
        if node is None:
            return
        name = partial(self._name, node, first, folded)
        yield Row(str(stream), name, self._cells(node))
        for i, child in enumerate(() if stream in folded else node.children):
            last = i == len(node.children) - 1
            yield from self._rows(
                child,
                first=rest + ("└─" if last else "├─"),
                rest=rest + ("  " if last else "│ "),
                folded=folded,
            )

    def _name(self, node: Node, guide: str, folded: Collection[int]) -> Text:
        if len(guide) > MAX_GUIDE_CHARS:
            guide = "⋯" + guide[1 - MAX_GUIDE_CHARS :]
        name = Text.assemble(
            (guide, DIM), (MARKS.get(node.status, "?"), STATUS.get(node.status, DIM)), " "
        )
        if node.children and node.stream_id in folded:
            name.append(f"▸{len(list(self.tree.walk(node.stream_id))) - 1} ", DIM)
        color = Style(color=COLORS[node.stream_id % len(COLORS)])
        name.append(short(node.description or node.agent, 60), color)
        if node.description:
            name.append(f" {short(node.agent, 40)}", DIM)
        return name

    def _cells(self, node: Node) -> list[Text]:
        total = self.tree.rolled_up(node.stream_id)
        return [
            Text(token_count(total.total_tokens) if total.total_tokens else ""),
            Text("" if node.duration_ms is None else duration(node.duration_ms), DIM),
            Text(cost(total), Style(color="yellow")),
            Text(short(node.last_tool or "", 14), DIM),
        ]

    def about(self, stream: int) -> list[Text]:
        """Returns who an agent is and what it has used, in two lines."""
        node = self.tree.nodes.get(stream)
        if node is None:
            return [Text("Nothing said yet.", DIM), Text()]
        color = Style(color=COLORS[stream % len(COLORS)], bold=True)
        who = Text.assemble((short(node.description or node.agent, 80), color))
        if node.description:
            who.append(f" {short(node.agent, 40)}", DIM)
        state = node.status if node.waiting is None else short(str(node.waiting), 60)
        who.append(f"  {MARKS.get(node.status, '?')} {state}", STATUS.get(node.status, DIM))
        if node.model:
            who.append(f"  {short(node.model, 40)}", DIM)
        usage, total = node.usage, self.tree.rolled_up(stream)
        facts = [
            f"{name} {words}"
            for name, words in (("own", spent(usage)), ("total", spent(total)))
            if words
        ]
        for count, name in (
            (usage.input_tokens, "in"),
            (usage.output_tokens, "out"),
            (usage.cache_read_tokens, "cached"),
            (usage.cache_creation_tokens, "to cache"),
        ):
            if count:
                facts.append(f"{token_count(count)} {name}")
        if node.tool_uses:
            failed = f", {node.failed_tools} failed" if node.failed_tools else ""
            facts.append(f"{node.tool_uses} tool call{'s'[: node.tool_uses != 1]}{failed}")
        if node.duration_ms is not None:
            facts.append(duration(node.duration_ms))
        return [who, Text(" · ".join(filter(None, facts)), DIM)]


EMPTY = """\
No agents here yet.

Start one in another terminal, as you always do:

    claude
    opencode

or so that you can steer it from here:

    unbraid run --steer -- claude -p "Fix the tests"

It appears by itself. `unbraid demo` shows a recorded fleet, `unbraid doctor` what was found.
"""


def run_row(run: RunSummary, now_ms: float) -> Row:
    """Returns one run in a row."""
    name = Text.assemble(
        (MARKS.get(run.status, "?"), STATUS.get(run.status, DIM)),
        " ",
        short(run.title or run.run, 120),
    )
    if run.cwd:
        name.append(f" {short(PurePath(run.cwd).name, 30)}", DIM)
    cells = [
        Text(duration(max(now_ms - run.updated, 0)), DIM),
        Text(cost(run.usage), Style(color="yellow")),
        Text(token_count(run.usage.total_tokens) if run.usage.total_tokens else ""),
        Text(f"{run.agents}a" if run.agents > 1 else "", DIM),
    ]
    return Row(run.run, name, cells)


def run_title(run: RunSummary | None) -> Text:
    """Returns the chosen run in a line: where it is, what it is about, what it has used."""
    title = Text("unbraid", Style(bold=True))
    if run is None:
        return title
    facts = [short(run.title or run.run, 60), run.source, cost(run.usage), run.cwd]
    title.append("".join(f" · {short(fact)}" for fact in facts if fact), Style(bold=False))
    return title
