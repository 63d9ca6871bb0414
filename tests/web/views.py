"""What a person finds on the page, by the names that a screen reader tells."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple, TypeVar

from playwright.async_api import Locator, Page, expect

from tests.web.browser import TIMEOUT_MS

T = TypeVar("T")


async def becomes(read: Callable[[], Awaitable[T]], wanted: T) -> None:
    """Read until it is as wanted; in the end it must be."""
    found = await read()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(TIMEOUT_MS / 1000):
            while found != wanted:
                await asyncio.sleep(0.02)
                found = await read()
    if found != wanted:
        raise AssertionError(f"{found}\nis not\n{wanted}")


class Seen(NamedTuple):
    """An agent as the graph tells it."""

    label: str
    level: int
    stream: int

    @property
    def tokens(self) -> int:
        """How many it has used."""
        found = re.search(r"(\d+) tokens", self.label)
        assert found is not None, self.label
        return int(found[1])


class RunView:
    """One run's page."""

    def __init__(self, tab: Page, run: str) -> None:
        self.tab, self.run = tab, run

    async def open(self, stream: int | None = None) -> RunView:
        """Go there."""
        place = f"/{stream}" if stream is not None else ""
        await self.tab.goto(f"/#/run/{self.run}{place}")
        await expect(self.items.first).to_be_visible()
        return self

    @property
    def tree(self) -> Locator:
        """The graph."""
        return self.tab.get_by_role("tree", name="Agents")

    @property
    def items(self) -> Locator:
        """Its nodes."""
        return self.tree.get_by_role("treeitem")

    def node(self, words: str) -> Locator:
        """The node whose label begins so, or has the words after a comma."""
        return self.tree.get_by_role("treeitem", name=re.compile(rf"(^|, ){re.escape(words)},"))

    @property
    def pane(self) -> Locator:
        """The one that is large."""
        return self.tab.get_by_role("region", name=re.compile("^Agent "))

    def slot(self, words: str) -> Locator:
        """The small pane of an agent."""
        return self.tab.get_by_role("region", name=re.compile(rf"^(?!The )\S+: {words}$"))

    @property
    def slider(self) -> Locator:
        """The moment that is looked at."""
        return self.tab.get_by_role("slider", name="Moment")

    @property
    def standing(self) -> Locator:
        """What the page says of its connection."""
        return self.tab.locator("[aria-label^='Connection:']")

    async def seen(self) -> list[Seen]:
        """The agents in the graph, each after the one that it works for."""
        rows = await self.items.evaluate_all(
            "nodes => nodes.map(n => [n.ariaLabel, Number(n.ariaLevel), Number(n.dataset.stream)])"
        )
        return [Seen(*row) for row in rows]

    async def words(self, kinds: Collection[str]) -> list[tuple[str, str]]:
        """What the large pane tells of its agent, as (kind, words), as often as it is there."""
        articles = self.pane.get_by_role("article")
        told = await articles.evaluate_all(
            """items => items.map(item => {
              const words = item.querySelector('.words, .first, .summary');
              return [item.classList[1], words ? words.textContent.trim() : ''];
            })"""
        )
        return [(kind, words) for kind, words in told if kind in kinds]


def parents(seen: list[Seen]) -> dict[int, int]:
    """Who works for whom, as a screen reader finds out: by levels and order."""
    above: list[int] = []
    found: dict[int, int] = {}
    for each in seen:
        del above[each.level - 1 :]
        if above:
            found[each.stream] = above[-1]
        above.append(each.stream)
    return found
