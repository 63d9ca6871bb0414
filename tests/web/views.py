"""What a person finds on the page, by the names that a screen reader tells."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple, TypeVar

from playwright.async_api import Locator, Page, expect

from tests.polling import until
from tests.web.browser import TIMEOUT_MS

T = TypeVar("T")


async def becomes(read: Callable[[], Awaitable[T]], wanted: T) -> None:
    """Read until it is as wanted."""
    await until(read, lambda found: found == wanted, seconds=TIMEOUT_MS / 1000)


class Seen(NamedTuple):
    """An agent as the timeline or the graph tells it."""

    label: str
    level: int
    stream: int

    @property
    def tokens(self) -> int:
        """How many it has used itself."""
        found = re.search(r"own (\d+) tokens", self.label)
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

    async def look(self, name: str) -> RunView:
        """Choose another view than the timeline: Graph, or Latest."""
        await self.tab.get_by_role("tab", name=name).click()
        return self

    @property
    def timeline(self) -> Locator:
        """The timeline."""
        return self.tab.get_by_role("tabpanel", name="Timeline")

    @property
    def tree(self) -> Locator:
        """The agents: in the graph if that is chosen, else in the timeline."""
        return self.tab.get_by_role("tree", name="Agents")

    @property
    def items(self) -> Locator:
        """Their rows, or nodes."""
        return self.tree.get_by_role("treeitem")

    def node(self, words: str) -> Locator:
        """The one whose label begins so, or has the words after its first comma."""
        label = re.compile(rf"^([^,]*, )?{re.escape(words)},")
        return self.tree.get_by_role("treeitem", name=label)

    @property
    def pane(self) -> Locator:
        """The one that is large."""
        return self.tab.get_by_role("region", name=re.compile("^Agent "))

    def slot(self, words: str) -> Locator:
        """The small pane of an agent, in the view of the latest words."""
        return self.tab.get_by_role("region", name=f"Latest of {words}", exact=True)

    @property
    def slider(self) -> Locator:
        """The moment that is looked at."""
        return self.tab.get_by_role("slider", name="Moment")

    @property
    def standing(self) -> Locator:
        """What the page says of its connection."""
        return self.tab.locator("[aria-label^='Connection:']")

    async def settled(self) -> None:
        """Waits until the conversation stands still: a row that was never drawn is hidden until
        its size is known, and moves the others.
        """
        await expect(self.pane.get_by_role("article").first).to_be_attached()
        await self.pane.get_by_role("log").evaluate(
            """async log => {
              for (let calm = 0, last = ''; calm < 8; await new Promise(requestAnimationFrame)) {
                const hidden = [...log.querySelectorAll('[style]')].filter(
                  (row) => row.style.visibility === 'hidden');
                const now = `${log.scrollTop} ${log.scrollHeight} ${hidden.length}`;
                calm = hidden.length === 0 && now === last ? calm + 1 : 0;
                last = now;
              }
            }"""
        )

    async def seen(self) -> list[Seen]:
        """The agents, each after the one that it works for."""
        rows = await self.items.evaluate_all(
            "nodes => nodes.map(n => [n.ariaLabel, Number(n.ariaLevel), Number(n.dataset.stream)])"
        )
        return [Seen(*row) for row in rows]

    async def words(self, kinds: Collection[str]) -> list[tuple[str, str]]:
        """What the large pane tells of its agent, as (kind, words), as often as it is there."""
        articles = self.pane.get_by_role("article")
        output = await articles.evaluate_all(
            """items => items.map(item => {
              const words = item.querySelector('.words, .first, .summary');
              return [item.classList[1], words ? words.textContent.trim() : ''];
            })"""
        )
        return [(kind, words) for kind, words in output if kind in kinds]


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


async def reached(tab: Page, target: Locator) -> None:
    """Tab until it has the focus; a person gives up after a while."""
    for _ in range(60):
        await tab.keyboard.press("Tab")
        if await target.evaluate_all("all => all.indexOf(document.activeElement) === 0"):
            return
    raise AssertionError("Tab does not lead there")
