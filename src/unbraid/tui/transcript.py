"""One stream on the screen: a few pages of it, read from the log as a person scrolls."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left, bisect_right
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from unbraid.fold.conversation import Item, ItemLimits, StreamConversation
from unbraid.log.port import LogReader
from unbraid.tui.item_renderer import render_item
from unbraid.tui.run_tree import PAGE_EVENTS, SHOWN, RunTree

SPAN = 4
# What is held does not grow without end: an item keeps its beginning, and knows what is left out.
LIMITS = ItemLimits(text_chars=64 * 1024, result_chars=16 * 1024, input_bytes=16 * 1024)


class ItemState(NamedTuple):
    """All that an item's lines depend on."""

    item: Item
    last_seq: int
    width: int
    whole: bool


Drawn = tuple[ItemState, list[Text]]


class Transcript(ScrollView, can_focus=True):
    """The widget. It stays at the end until a person scrolls away from it."""

    DEFAULT_CSS = """
    Transcript { overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("pageup,b", "page_up", "Page up", show=False),
        Binding("pagedown,space", "page_down", "Page down", show=False),
        Binding("home,g", "edge(0)", "Beginning", show=False),
        Binding("end,G", "edge(1)", "End", show=False),
    ]

    class Wanted(Message):
        """A person scrolls beyond what is shown: `where` is older, newer, beginning or end."""

        def __init__(self, where: str) -> None:
            super().__init__()
            self.where = where

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.whole = False
        self.following = True
        self._items: list[Item] = []
        self._opened: set[int] = set()  # items that differ from `whole`, by their seq
        self._drawn: dict[int, Drawn] = {}
        self.lines: list[Text] = []
        self._owners: list[int] = []  # for each line, the seq of its item
        self._width = 0
        self._placing = False

    def show(self, items: list[Item], *, anchor: int | None = None) -> None:
        """Draws items; `anchor` is the seq of the item to put at the top."""
        top = self._top() if anchor is None and not self.following else None
        self._items, self._placing = items, True
        self._draw()
        if anchor is not None:
            owner = max((item.seq for item in items if item.seq <= anchor), default=0)
            self.scroll_to(y=bisect_left(self._owners, owner), animate=False, immediate=True)
        elif self.following:
            self.scroll_end(animate=False, immediate=True, x_axis=False)
        elif top is not None:
            self._put_on_top(*top)
        self._placing = False
        self.refresh()

    def clear(self) -> None:
        """Shows nothing yet."""
        self._opened.clear()
        self._drawn.clear()
        self.following = True
        self.show([])

    def toggle(self, *, whole: bool) -> None:
        """Shows folded things whole, or folds them again."""
        self.whole = whole
        self._opened.clear()
        self.show(self._items)

    def render_line(self, y: int) -> Strip:
        """Returns one line of the screen."""
        number, width = y + self.scroll_offset.y, self._width
        if number >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        line = self.lines[number]
        segments = Segment.apply_style(line.render(self.app.console), self.rich_style)
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def on_resize(self) -> None:
        """Draws the lines again for another width."""
        if self.scrollable_content_region.width != self._width:
            self.show(self._items)

    def on_click(self, event: events.Click) -> None:
        """Unfolds a clicked item, or folds it again."""
        place = event.get_content_offset(self)
        number = -1 if place is None else place.y + self.scroll_offset.y
        if 0 <= number < len(self._owners):
            self._opened ^= {self._owners[number]}
            self.following = False
            self.show(self._items)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notes whether the end is in sight, and asks for more at the edges."""
        super().watch_scroll_y(old_value, new_value)
        self.following = new_value >= self.max_scroll_y
        if self._placing:
            return  # nobody has scrolled
        if new_value < old_value and new_value <= 0:
            self.post_message(self.Wanted("older"))
        elif new_value > old_value and self.following:
            self.post_message(self.Wanted("newer"))

    def action_page_up(self) -> None:
        """Scrolls a screen up."""
        self.scroll_to(y=self.scroll_y - self.size.height + 1, animate=False)

    def action_page_down(self) -> None:
        """Scrolls a screen down."""
        self.scroll_to(y=self.scroll_y + self.size.height - 1, animate=False)

    def action_scroll_up(self) -> None:
        """Scrolls a line up."""
        if self.scroll_y <= 0:
            self.post_message(self.Wanted("older"))
        self.scroll_to(y=self.scroll_y - 1, animate=False)

    def action_scroll_down(self) -> None:
        """Scrolls a line down."""
        self.scroll_to(y=self.scroll_y + 1, animate=False)

    def action_edge(self, last: int) -> None:
        """Scrolls to the very beginning or end."""
        self.post_message(self.Wanted("end" if last else "beginning"))

    def _draw(self) -> None:
        width = self._width = self.scrollable_content_region.width
        if width < 4:
            return
        kept: dict[int, Drawn] = {}
        self.lines, self._owners = [], []
        for item in self._items:
            whole = self.whole ^ (item.seq in self._opened)
            look = ItemState(item, item.last_seq, width, whole=whole)
            known = self._drawn.get(item.seq)
            if known is None or known[0] != look:
                # One cell is left free beside the scroll bar.
                known = (look, render_item(item, width - 1, whole=whole))
            kept[item.seq] = known
            self.lines += known[1]
            self._owners += [item.seq] * len(known[1])
        self._drawn = kept
        self.virtual_size = Size(width, len(self.lines))

    def _top(self) -> tuple[int, int, int] | None:
        """Returns the item at the top: its seq, and how far the top is from its beginning and its
        end.
        """
        number = round(self.scroll_y)
        if number >= len(self._owners):
            return None
        seq = self._owners[number]
        begin, end = bisect_left(self._owners, seq), bisect_right(self._owners, seq)
        return seq, number - begin, end - number

    def _put_on_top(self, seq: int, from_begin: int, from_end: int) -> None:
        owner = next((item.seq for item in self._items if item.last_seq >= seq), None)
        if owner is None:
            return
        begin, end = bisect_left(self._owners, owner), bisect_right(self._owners, owner)
        # With an older page before it, an item may begin earlier; then only its end is the same.
        y = end - from_end if owner < seq else begin + from_begin if owner == seq else begin
        self.scroll_to(y=y, animate=False, immediate=True)


RESTING = 2


class Reader:
    """Reads a few pages of one stream into the transcript: its end, or the part that a person
    scrolls to; one request at a time, in order, for as long as `run` runs.
    """

    def __init__(
        self,
        transcript: Transcript,
        log: LogReader,
        run_tree: RunTree,
        stream: int,
        seq: int | None,
    ) -> None:
        self.stream = stream
        self._transcript, self._log, self._run_tree, self._seq = transcript, log, run_tree, seq
        self._index = run_tree.page_index
        self._first, self._last = 0, -1  # the pages that are shown
        self._live = True  # the end is shown, and what is shown grows with it
        self._conversation = self._empty()
        self._requests: dict[str, None] = {}
        self._requested = asyncio.Event()

    def _empty(self, since: int = 0) -> StreamConversation:
        return StreamConversation(limits=LIMITS, children=self._run_tree.children, since=since)

    def want(self, where: str) -> None:
        """Asks for another part: `where` is new, older, newer, beginning or end."""
        self._requests[where] = None
        self._requested.set()

    def tick(self) -> None:
        """Follows the log if it has grown, unless the person looks elsewhere."""
        if not self._transcript.following:
            # If more has come since, what is shown is the end no longer.
            self._live = self._last >= self._index.pages(self.stream) - 1
        elif self._live:
            self.want("new")

    async def run(self) -> None:
        """Shows the end, or the event that was asked for; then whatever is wanted."""
        self._transcript.clear()
        if self._seq is None:
            await self._load_end()
        else:
            await self._load(self._index.page_of(self.stream, self._seq) - 1)
        self._transcript.show(self._conversation.items, anchor=self._seq)
        self._requests.clear()  # they were about what was shown before
        while True:
            await self._requested.wait()
            self._requested.clear()
            requests, self._requests = self._requests, {}
            began = time.monotonic()
            for where in requests:
                await self._show(where)
            # Whatever this costs, most of the time is left for keys and for folding the run.
            await asyncio.sleep((time.monotonic() - began) * RESTING)

    async def _show(self, where: str) -> None:
        anchor = None
        match where:
            case "new":
                if not await self._grow():
                    return
            case "older":
                if self._first > 0:
                    await self._load(self._first - 1)
            case "newer":
                if not self._live:
                    await self._load(self._first + 1)
            case "beginning":
                await self._load(0)
                anchor = 0
            case "end":
                await self._load_end()
                self._transcript.following = True
        self._transcript.show(self._conversation.items, anchor=anchor)

    async def _grow(self) -> bool:
        """Adds what is new at the end. Returns whether there was anything."""
        pages, last = self._index.pages(self.stream), self._index.last.get(self.stream, 0)
        if last <= self._conversation.last_seq:
            return False
        if pages - 1 - self._last > SPAN:
            # So much at once that most of it would be gone again before anyone could read it.
            await self._load_end()
            return True
        # Not beyond what is marked now: what comes meanwhile is for the next time.
        while await self._read(self._conversation, last + 1):
            pass
        self._last = pages - 1
        if self._last - self._first >= SPAN:
            self._first = self._last - SPAN + 1
            begin, _ = self._index.bounds(self.stream, self._first, self._last)
            self._conversation.forget(begin)
        return True

    async def _load_end(self) -> None:
        await self._load(self._index.pages(self.stream) - SPAN)

    async def _load(self, first: int) -> None:
        """Reads the pages from `first` on, instead of those that are shown."""
        pages = self._index.pages(self.stream)
        if pages == 0:
            return
        first = min(max(0, first), max(0, pages - SPAN))
        last = min(first + SPAN, pages) - 1
        begin, beyond = self._index.bounds(self.stream, first, last)
        loaded = self._empty(since=begin - 1)
        # Not beyond what is marked now: what comes meanwhile is for the next time.
        upto = self._index.last.get(self.stream, 0) + 1 if beyond is None else beyond
        while await self._read(loaded, upto):
            pass
        self._first, self._last, self._conversation = first, last, loaded
        self._live = beyond is None

    async def _read(self, into: StreamConversation, beyond: int) -> bool:
        entries = await self._log.read(
            self._run_tree.run, into.last_seq, PAGE_EVENTS, stream_id=self.stream, types=SHOWN
        )
        wanted = [entry for entry in entries if entry.seq < beyond]
        into.feed(entry.event for entry in wanted)
        return len(wanted) == len(entries) > 0
