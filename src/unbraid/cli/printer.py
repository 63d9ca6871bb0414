"""A run's events as readable lines, one gutter per agent.

Text arrives in small deltas and agents write at the same time, so text is printed line by line:
when a line is complete, when its agent does something else, or when another agent writes and the
text came as one whole block. A printer of half lines must know when to wait no longer, and when its
output is no longer read: a log is followed with its pauses.
"""

from __future__ import annotations

import select
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import click

from unbraid import events as e
from unbraid.agents.registry import tools
from unbraid.fold.conversation import Item, ItemLimits, RunConversation, Tone, note_of
from unbraid.screen import LONG, safe, short
from unbraid.system.tasks import with_pauses

if TYPE_CHECKING:
    from unbraid.log.entry import Entry
    from unbraid.log.port import Log

# After this long without news, `tail` checks if its output is still read, and what it has missed.
FOLLOW_PAUSE_SECONDS = 1.0

COLORS = ("cyan", "green", "yellow", "magenta", "blue", "red")
GUTTER, MIN_GUTTER = 20, 6
# Where words would have less than the first, the gutter gives way; less than the second is no use.
GOOD_ROOM, MIN_ROOM = 40, 16

# `short` looks at twice of what it keeps.
LIMITS = ItemLimits(text_chars=2 * LONG, result_chars=2 * LONG)
TONES: dict[Tone, str | None] = {"good": "green", "bad": "red", "waiting": "yellow", "quiet": None}


class Printer:
    """Turns events into coloured lines; with a `width`, long ones are broken within the gutter."""

    def __init__(self, width: int | None = None) -> None:
        self.fit(width)
        self._names: dict[int, tuple[int, str]] = {}  # stream: depth, number and name
        self._conversation = RunConversation(limits=LIMITS, keep=False)
        self._open: dict[int, tuple[Item, list[str]]] = {}  # stream: parts of its last line

    def fit(self, width: int | None) -> None:
        """Sets another width from now on."""
        self._gutter, self._room = GUTTER, None
        if width is not None:
            if width - GUTTER - 3 < GOOD_ROOM:
                self._gutter = min(GUTTER, max(width // 4, MIN_GUTTER))
            self._room = max(width - self._gutter - 3, MIN_ROOM)

    def lines(self, event: e.FleetEvent) -> Iterator[str]:
        """Yields the lines that this event completes."""
        stream = event.stream_id
        for other in [s for s in self._open if s != stream and len(self._open[s][1]) == 1]:
            yield from self._flush(other)
        item = self._conversation.apply(event)
        if isinstance(event, e.Text | e.Thinking):
            if item is not None:
                yield from self._words(event, item)
            return
        yield from self._flush(stream)
        if isinstance(event, e.StreamStart):
            name = short(event.description or event.agent, GUTTER)
            self._names[stream] = (event.depth, f"{stream} {name}")
            again = f"  (continues {event.resumes})" if event.resumes is not None else ""
            yield from self._lines(stream, f"▶ {short(event.agent)}{again}", bold=True)
        if item is not None and not isinstance(event, e.RequestReceived):
            yield from self._item(stream, item, event)

    def _item(self, stream: int, item: Item, event: e.FleetEvent) -> Iterator[str]:
        match event:
            case e.FleetToolUse():
                lead = f"⚙ {click.style(short(event.tool), bold=True)}"
                about = tools().summary(event.tool, item.arguments)
                yield from self._lines(stream, f" {short(about)}", lead)
            case e.FleetToolResult() if item.child is not None and item.ok:
                pass  # the answer of a sub-agent stands in its own gutter
            case e.FleetToolResult() | e.ToolCall():
                lead = "→" if item.ok else click.style("✘", fg="red")
                text = item.result if isinstance(event, e.FleetToolResult) else item.tool
                yield from self._lines(stream, f" {short(text or '')}", lead, dim=True)
            case e.StreamStart() | e.FleetPrompt():
                if item.text:
                    yield from self._lines(stream, f"“{short(item.text)}”", dim=True)
            case e.StreamEnd():
                lead = click.style("■", fg="green" if item.ok else "red")
                yield from self._lines(stream, f" {short(event.reason)}", lead)
            case _:
                note = note_of(item, tools())
                if note is not None:
                    color = TONES[note.tone]
                    style: dict[str, Any] = {"fg": color} if color else {"dim": True}
                    yield from self._lines(stream, short(note.text), **style)

    def flush(self) -> Iterator[str]:
        """Yields the lines that are not complete, as they are: perhaps nothing follows for long."""
        for stream in list(self._open):
            yield from self._flush(stream)

    def _words(self, event: e.Text | e.Thinking, item: Item) -> Iterator[str]:
        stream = event.stream_id
        before, pieces = self._open.get(stream, (item, []))
        if before is not item:
            yield from self._flush(stream)
            pieces = []
        *whole, rest = event.delta.split("\n")
        for line in whole:
            yield from self._said(stream, item.kind, "".join([*pieces, line]).removesuffix("\r"))
            pieces = []
        pieces.append(rest)
        self._open[stream] = (item, pieces)

    def _flush(self, stream: int) -> Iterator[str]:
        if stream in self._open:
            item, pieces = self._open.pop(stream)
            if text := "".join(pieces):
                yield from self._said(stream, item.kind, text)

    def _said(self, stream: int, kind: str, text: str) -> Iterator[str]:
        style: dict[str, Any] = {"dim": True, "italic": True} if kind == "thinking" else {}
        yield from self._lines(stream, safe(text), **style)

    def _lines(self, stream: int, text: str, lead: str = "", **style: Any) -> Iterator[str]:
        """Yields the lines of a safe text, after a `lead` of ours."""
        gutter = click.style(f"{self._name(stream)} │", fg=COLORS[stream % len(COLORS)])
        plain = click.unstyle(lead)
        for part in self._broken(plain + text):
            if lead and part.startswith(plain):
                part = part.removeprefix(plain)
            else:
                lead = ""
            yield f"{gutter} {lead}{click.style(part, **style) if style else part}"
            lead = ""

    def _name(self, stream: int) -> str:
        """Returns who an agent is, in the width of the gutter, further in the deeper it is."""
        depth, name = self._names.get(stream, (0, str(stream)))
        name = " " * (min(depth, 3) * (2 if self._gutter == GUTTER else 1)) + name
        if name.isascii():
            fits = len(name) <= self._gutter
            return name.ljust(self._gutter) if fits else name[: self._gutter - 1] + "…"
        from rich.cells import cell_len, set_cell_size

        fits = cell_len(name) <= self._gutter
        return set_cell_size(name, self._gutter) if fits else _cut(name, self._gutter)

    def _broken(self, text: str) -> list[str]:
        if self._room is None:
            return [text]
        from unbraid.tui.item_renderer import wrap_text

        return wrap_text(text, self._room)


def _cut(name: str, cells: int) -> str:
    from rich.cells import set_cell_size

    return set_cell_size(set_cell_size(name, cells - 1).rstrip() + "…", cells)


async def batches_with_pauses(
    batches: AsyncIterator[list[Entry]],
    log: Log,
    seconds: float = FOLLOW_PAUSE_SECONDS,
) -> AsyncIterator[list[Entry]]:
    """Yields the batches as they come, and an empty one whenever nothing has come for a while; ends
    when our standard output is no longer read. If the `log` was deleted or replaced meanwhile, that
    is raised.
    """
    reported = True
    async with aclosing(with_pauses(batches, lambda: seconds)) as coming:
        async for batch in coming:
            if batch:
                reported = False
                yield batch
            elif batch is None:
                if _nobody_reads():
                    return
                if (error := log.replaced()) is not None:
                    raise error
                if not reported:
                    reported = True
                    yield []


def _nobody_reads() -> bool:
    """Returns whether our standard output is a pipe whose reader is gone."""
    watched = select.poll()
    watched.register(1, 0)
    return any(event & select.POLLERR for _, event in watched.poll(0))
