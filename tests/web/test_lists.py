"""The list of runs and the results of a search: found, sorted, grouped and opened with the keys."""

from __future__ import annotations

import re

from playwright.async_api import Page, expect

from tests.web.browser import Manners, serious_violations
from tests.web.site import Site
from tests.web.stories import Story, fan
from tests.web.test_pictures import asking
from tests.web.views import RunView
from unbraid import events as e

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


async def test_runs_are_sorted_grouped_counted_and_opened_with_the_keys(
    site: Site, tab: Page
) -> None:
    began = 1_750_000_000_000
    await site.append("cheap", Story("A cheap one", began_ms=began).spend().done().events)
    dear = Story("The dear one", began_ms=began - DAY_MS).spawn("a").spend("a", cost_usd=2.5)
    await site.append("dear", dear.end("a").done().events)
    await site.append("asks", asking())
    await tab.goto("/")
    rows = tab.get_by_role("list", name="Runs").get_by_role("link")
    # Who waits for a person is at the top, and says so.
    await expect(rows).to_contain_text(["Tidy up", "A cheap one", "The dear one"])
    await expect(rows.first).to_contain_text("permission")
    total = tab.locator(".total")
    await expect(total).to_contain_text("3 runs")
    await expect(total).to_contain_text("4 agents")
    await expect(total).to_contain_text("$2.51")
    assert await serious_violations(tab) == []

    cost = tab.get_by_role("group", name="Sort by").get_by_role("button", name="Cost")
    await cost.click()
    await expect(rows.first).to_contain_text("The dear one")
    await cost.click()
    await expect(rows.last).to_contain_text("The dear one")
    await tab.get_by_role("combobox", name="Group by").select_option("day")
    await expect(tab.get_by_role("list", name="Runs").get_by_role("heading")).to_have_count(2)
    await tab.get_by_role("checkbox", name="Waiting for permission").check()
    await expect(rows).to_have_count(1)
    await expect(total).to_contain_text("1 run")
    await tab.get_by_role("checkbox", name="Waiting for permission").uncheck()
    await tab.get_by_role("combobox", name="Status").select_option("done")
    await expect(rows).to_have_count(2)

    await tab.get_by_role("heading", name="Runs").click()
    await tab.keyboard.press("j")
    await expect(rows.first).to_be_focused()
    await tab.keyboard.press("j")
    await expect(rows.last).to_be_focused()
    await tab.keyboard.press("k")
    await expect(rows.first).to_be_focused()
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("heading", level=1)).to_have_text("A cheap one")


async def test_a_search_is_a_key_away_and_tells_run_and_agent(site: Site, tab: Page) -> None:
    story = fan()
    await site.append("run", story.events)
    answer = "An answer with a needle."
    other = Story("# Look for it").spawn("finder").say(answer, "finder")
    other.tell(e.SubAgentEnded("finder", ok=True, reason="completed", content=answer))
    await site.append("other", other.say("The needle is found.").done().events)
    await RunView(tab, "run").open(3)
    await tab.keyboard.press("Control+k")
    await expect(tab.get_by_role("searchbox", name="Search what agents said")).to_be_focused()
    await tab.keyboard.type("needle")
    await tab.keyboard.press("Enter")
    status = tab.get_by_role("main").get_by_role("status")
    await expect(status).to_have_count(1)  # the list, which has two, may still be there
    # A child's answer is there once.
    await expect(status).to_have_text("2 results in 1 run")
    group = tab.get_by_role("region", name="Look for it")
    hits = group.get_by_role("listitem")
    await expect(hits.filter(has_text="An answer with")).to_contain_text(["finder", "Explore"][:1])
    await expect(hits.filter(has_text="is found")).to_contain_text("main")
    await expect(group.locator("mark")).to_have_text(["needle", "needle"])
    assert await serious_violations(tab) == []


async def test_every_block_has_its_time_by_the_clock_or_since_the_start(
    site: Site, tab: Page
) -> None:
    story = Story("Wait.").spend(tokens=160_000).wait(65_000).say("A minute later.")
    story.spend(tokens=24_000).done()
    await site.append("run", story.events)
    view = await RunView(tab, "run").open(0)
    time = view.pane.get_by_role("article").filter(has_text="A minute later.").locator(".aside a")
    await expect(time).to_contain_text(re.compile(r"\b1:05$"))
    await expect(time).to_have_css("opacity", "1")
    # How full its context is, and where it was compacted.
    await expect(view.pane.locator(".facts")).to_contain_text("context 24.0k")
    cut = view.pane.get_by_role("link", name="compacted at 1:05: 160k → 24.0k")
    await expect(cut).to_be_visible()
    await expect(view.items.first.locator("path.cut")).to_have_attribute("d", re.compile("^M65"))
    await view.pane.get_by_role("button", name="Clock times").click()
    await expect(time).to_contain_text(re.compile(r"\d\d:\d\d:\d\d$"))


async def test_a_moment_is_shown_as_it_was(site: Site, tab: Page) -> None:
    await site.append("run", fan().events)
    view = await RunView(tab, "run").open()
    header = tab.locator(".run-header")
    await expect(header).to_contain_text("Failed")
    await view.slider.focus()
    await tab.keyboard.press("Home")
    await expect(header.get_by_text("working")).to_be_visible()
    await expect(header).not_to_contain_text("Failed")
    await expect(header.locator("svg.working")).to_have_count(1)
    await expect(view.items.first.locator("svg.working")).to_have_count(1)
    await expect(view.items.nth(5)).to_have_accessible_name(re.compile("not yet begun"))


async def test_an_agent_that_is_not_there_is_said_to_be_so(
    site: Site, tab: Page, manners: Manners
) -> None:
    await site.append("run", Story("One.").say("Only me.").done().events)
    view = await RunView(tab, "run").open(77)
    await expect(view.pane).to_contain_text("This run has no agent 77.")
