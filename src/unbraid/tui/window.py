"""A few pages of one stream, read from the log: the end of it, or the part that a person looks
at.
"""

from __future__ import annotations

from collections.abc import Mapping

from unbraid.fold.conversation import Item, ItemLimits, StreamConversation
from unbraid.log.port import LogReader
from unbraid.tui.page_index import PAGE_EVENTS, SHOWN, PageIndex

SPAN = 4
# What is held does not grow without end: an item keeps its beginning, and knows what is left out.
LIMITS = ItemLimits(text_chars=64 * 1024, result_chars=16 * 1024, input_bytes=16 * 1024)


class Window:
    """Pages `first` to `last` of a stream, as items."""

    def __init__(
        self,
        log: LogReader,
        run: str,
        stream: int,
        page_index: PageIndex,
        children: Mapping[str, int],
    ) -> None:
        self.run, self.stream = run, stream
        self.first, self.last = 0, -1
        self.live = True  # it shows the end, and grows with it
        self._log, self._page_index, self._children = log, page_index, children
        self._conversation = StreamConversation(limits=LIMITS, children=children)

    @property
    def items(self) -> list[Item]:
        """The items of these pages."""
        return self._conversation.items

    def leave_end(self) -> None:
        """Stops following the end, if more has come since: the person looks elsewhere."""
        self.live = self.last >= self._page_index.pages(self.stream) - 1

    async def to_end(self) -> None:
        """Shows the newest pages."""
        await self._load(self._page_index.pages(self.stream) - SPAN)

    async def to_event(self, seq: int) -> None:
        """Shows the pages around an event."""
        await self._load(self._page_index.page_of(self.stream, seq) - 1)

    async def to_beginning(self) -> None:
        """Shows the oldest pages."""
        await self._load(0)

    async def older(self) -> None:
        """Shows one more page of what came before."""
        if self.first > 0:
            await self._load(self.first - 1)

    async def newer(self) -> None:
        """Shows one more page of what came after."""
        if not self.live:
            await self._load(self.first + 1)

    async def grow(self) -> bool:
        """Adds what is new at the end. Returns whether there was anything."""
        pages, last = self._page_index.pages(self.stream), self._page_index.last.get(self.stream, 0)
        if last <= self._conversation.last_seq:
            return False
        if pages - 1 - self.last > SPAN:
            # So much at once that most of it would be gone again before anyone could read it.
            await self.to_end()
            return True
        # Not beyond what is marked now: what comes meanwhile is for the next time.
        while await self._read(self._conversation, last + 1):
            pass
        self.last = pages - 1
        if self.last - self.first >= SPAN:
            self.first = self.last - SPAN + 1
            begin, _ = self._page_index.bounds(self.stream, self.first, self.last)
            self._conversation.forget(begin)
        return True

    async def _load(self, first: int) -> None:
        pages = self._page_index.pages(self.stream)
        if pages == 0:
            return
        first = min(max(0, first), max(0, pages - SPAN))
        last = min(first + SPAN, pages) - 1
        begin, beyond = self._page_index.bounds(self.stream, first, last)
        loaded = StreamConversation(limits=LIMITS, children=self._children, since=begin - 1)
        # Not beyond what is marked now: what comes meanwhile is for the next time.
        upto = self._page_index.last.get(self.stream, 0) + 1 if beyond is None else beyond
        while await self._read(loaded, upto):
            pass
        self.first, self.last, self._conversation = first, last, loaded
        self.live = beyond is None

    async def _read(self, into: StreamConversation, beyond: int | None) -> bool:
        entries = await self._log.read(
            self.run, into.last_seq, PAGE_EVENTS, stream_id=self.stream, types=SHOWN
        )
        wanted = [entry for entry in entries if beyond is None or entry.seq < beyond]
        into.feed(entry.event for entry in wanted)
        return len(wanted) == len(entries) > 0
