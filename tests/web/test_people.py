"""People: with the keyboard alone, on a phone, in the dark, with a screen reader, with no run yet
or a thousand of them.
"""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from tests.web.browser import serious_violations
from tests.web.site import Site
from tests.web.stories import Story
from tests.web.test_run import fleet
from tests.web.views import RunView, reached

PLACES = {
    "/": "Fix the parser.",
    "/#/run/run": "reader",
    "/#/run/run/2": "y = 3",
    "/#/?q=parser": "2 results in 1 run",
}
FITS = "document.documentElement.scrollWidth <= innerWidth"


async def settled(tab: Page) -> None:
    await expect(tab.get_by_role("main")).to_contain_text(re.compile(r"parser", re.IGNORECASE))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
async def test_every_page_is_whole_and_accessible(
    site: Site, tab: Page, scheme: str, width: int
) -> None:
    await tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    await tab.set_viewport_size({"width": width, "height": 800})
    await site.append("run", fleet().events)
    for place, words in PLACES.items():
        await tab.goto(place)
        await expect(tab.get_by_text(words).locator("visible=true").first).to_be_visible()
        if width > 900 and place == "/#/run/run":
            # The main agent's answer is there without a click.
            answer = RunView(tab, "run").pane.get_by_text("Fixed, a unique-closing-word.")
            await expect(answer).to_be_in_viewport()
        assert await serious_violations(tab) == [], place
        assert await tab.evaluate(FITS), place
    ground = await tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    light = sum(map(int, re.findall(r"\d+", ground)[:3])) > 3 * 128
    assert light == (scheme == "light")


async def test_the_keyboard_alone_is_enough(site: Site, tab: Page) -> None:
    await site.append("run", fleet().events)
    await tab.goto("/")
    await settled(tab)
    keys = tab.keyboard
    await keys.press("?")
    await expect(tab.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    await keys.press("Escape")
    row = tab.get_by_role("list", name="Runs").get_by_role("link")
    await reached(tab, row)
    await keys.press("Enter")
    view = RunView(tab, "run")
    await expect(view.items).to_have_count(4)
    await reached(tab, view.items.first)
    await keys.press("ArrowRight")
    await expect(view.node("reader")).to_be_focused()
    await keys.press("ArrowDown")
    await expect(view.node("tester")).to_be_focused()
    await keys.press("ArrowRight")
    await expect(view.node("runner")).to_be_focused()
    await keys.press("ArrowLeft")
    await keys.press("Enter")
    await expect(view.pane).to_have_accessible_name("Agent tester")
    await keys.press("Escape")
    await expect(view.pane).to_have_accessible_name("Agent main")
    # The next one is below, whether it has the focus or not.
    await keys.press("j")
    await expect(view.pane).to_have_accessible_name("Agent reader")
    await reached(tab, tab.get_by_role("tab", name="Timeline"))
    await keys.press("ArrowRight")
    await expect(tab.get_by_role("tab", name="Graph")).to_be_focused()
    await expect(tab.get_by_role("tabpanel", name="Graph")).to_be_visible()
    await reached(tab, view.slider)
    await keys.press("Home")
    await expect(view.items).to_have_count(1)
    await keys.press("/")
    await keys.type("unique-closing-word")
    await keys.press("Enter")
    place = tab.get_by_role("link", name=re.compile("unique-closing-word"))
    await reached(tab, place)
    await keys.press("Enter")
    await expect(view.pane.get_by_text("Fixed, a unique-closing-word.")).to_be_in_viewport()


async def test_no_run_yet(site: Site, tab: Page) -> None:
    await tab.goto("/")
    await expect(tab.get_by_role("main")).to_contain_text("unbraid run")
    assert await serious_violations(tab) == []


async def test_a_thousand_runs(site: Site, tab: Page) -> None:
    for number in range(1000):
        story = Story(f"Task number {number}", began_ms=1_750_000_000_000 + number * 60_000)
        await site.append(f"run-{number}", (story if number % 50 else story.say("…")).done().events)
    await tab.goto("/")
    rows = tab.get_by_role("list", name="Runs").get_by_role("link")
    await expect(rows.first).to_contain_text("Task number 999")
    # Far fewer are drawn than there are; the rest comes as one scrolls, or filters.
    assert await rows.count() < 100
    await tab.get_by_role("searchbox", name="Filter runs").fill("Task number 123")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("Task number 123")
