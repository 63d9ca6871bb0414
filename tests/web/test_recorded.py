"""What the page promises, over sessions of real CLIs: those that a watch has followed, and those
that are only stored and are opened from there.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.record.run.agents import log_path
from tests.web import recorded
from tests.web.browser import Manners, serious_violations
from tests.web.recorded import COMPACTED, FAN, NAMES, OPENCODE, run_of
from tests.web.site import Site
from tests.web.test_numbers import same_everywhere
from tests.web.views import RunView, parents

LEAF = "run l1w1"
# The homes take longer to make than a test takes: one worker makes them, and runs all of these.
pytestmark = pytest.mark.xdist_group("recorded")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A home whose sessions were watched, and one in which they are only stored."""
    watched, stored = tmp_path_factory.mktemp("watched"), tmp_path_factory.mktemp("stored")
    await recorded.watched(watched)
    for name in NAMES:
        recorded.store(stored, name)
    for path in stored.rglob("*.jsonl"):
        os.utime(path, (0, 0))  # nobody has written to them for long
    return {"watched": watched, "stored": stored}


@pytest_asyncio.fixture(loop_scope="session", params=["watched", "stored"])
async def site(
    request: pytest.FixtureRequest, homes: dict[str, Path], tmp_path: Path
) -> AsyncIterator[Site]:
    shutil.copytree(homes[request.param], tmp_path, dirs_exist_ok=True)
    async with Site(log_path(tmp_path), env=recorded.env_of(tmp_path)) as site:
        assert bool(await site.log.runs()) == (request.param == "watched")
        yield site


async def test_the_list_has_every_session_and_leads_to_it(site: Site, tab: Page) -> None:
    await tab.set_viewport_size({"width": 1440, "height": 900})
    await tab.goto("/")
    rows = tab.get_by_role("list", name="Runs").get_by_role("link")
    await expect(rows).to_have_count(len(NAMES))
    await expect(tab.locator(".total")).to_contain_text("18 agents")
    await tab.get_by_role("group", name="Sort by").get_by_role("button", name="Agents").click()
    await expect(rows.first).to_contain_text("Go.")
    await expect(rows.first).to_contain_text("9")
    await tab.get_by_role("combobox", name="Group by").select_option("folder")
    await expect(tab.get_by_role("list", name="Runs").get_by_role("heading")).to_have_count(1)
    await tab.get_by_role("combobox", name="Kind").select_option("opencode")
    await expect(rows).to_have_count(1)
    assert await serious_violations(tab) == []
    await tab.get_by_role("heading", name="Runs").click()
    await tab.keyboard.press("j")
    await expect(rows.first).to_be_focused()
    await tab.keyboard.press("Enter")
    view = RunView(tab, await run_of(tab, OPENCODE))
    await expect(view.items).to_have_count(2)
    await expect(view.pane).to_have_accessible_name("Agent main")


async def test_the_run_page_shows_agents_words_names_and_times(site: Site, tab: Page) -> None:
    await tab.set_viewport_size({"width": 1280, "height": 700})
    view = await RunView(tab, await run_of(tab, FAN)).open()
    # Content first: the main agent's answer, beside every agent under the one that started it.
    await expect(view.pane.get_by_text("Leads back.")).to_be_in_viewport()
    await expect(view.items).to_have_count(9)
    seen = await view.seen()
    assert sorted(each.level for each in seen) == [1, 2, 2, *[3] * 6]
    names = {each.stream: each.label.partition(",")[0] for each in seen}
    assert {names[parent] for parent in parents(seen).values()} == {
        "main",
        "run lead1",
        "run lead2",
    }
    # The description is the title, the type comes second, own and total are two numbers.
    row = view.node(LEAF)
    await expect(row).to_have_accessible_name(
        re.compile(rf"^{LEAF}, general-purpose, done, own \d+ tokens, ")
    )
    # Whoever is opened is in sight: by a link, by a key, in the graph.
    (leaf,) = [each.stream for each in seen if each.label.startswith(LEAF)]
    await view.open(leaf)
    await expect(view.pane).to_have_accessible_name(f"Agent {LEAF}")
    await expect(view.pane.get_by_text("l1w1 done", exact=True)).to_be_visible()
    await tab.keyboard.press("k")
    await tab.keyboard.press("j")
    await expect(row).to_have_attribute("aria-selected", "true")
    await expect(row).to_be_in_viewport(ratio=1)
    await view.look("Graph")
    await expect(view.items).to_have_count(9)
    for node in (view.items.first, view.node(LEAF), view.items.last):
        await expect(node).to_be_in_viewport(ratio=1)
    await view.look("Timeline")
    # Every block has its time, since the start of the run or by the clock.
    times = view.pane.locator("article .aside a")
    assert all(re.search(r"\d:\d\d$", time.strip()) for time in await times.all_inner_texts())
    await view.pane.get_by_role("button", name="Clock times").click()
    await expect(times.first).to_have_text(re.compile(r"\d\d:\d\d:\d\d$"))
    # A moment is shown as it was.
    await view.slider.focus()
    await tab.keyboard.press("Home")
    await expect(row).to_have_accessible_name(re.compile("not yet begun"))
    await tab.get_by_role("button", name=re.compile("^(End|Live)$")).click()
    await expect(row).to_have_accessible_name(re.compile("done"))
    assert await serious_violations(tab) == []
    await view.open(77)
    await expect(view.pane).to_contain_text("This run has no agent 77.")


async def test_every_number_is_the_same_everywhere(site: Site, tab: Page, tmp_path: Path) -> None:
    await same_everywhere(site, tab, tmp_path, *[await run_of(tab, name) for name in NAMES])


async def test_a_search_leads_to_the_block_in_its_run(site: Site, tab: Page) -> None:
    view = RunView(tab, await run_of(tab, FAN))
    await tab.goto("/")
    await tab.keyboard.press("/")
    await tab.keyboard.type("lead1 sum")
    await tab.keyboard.press("Enter")
    status = tab.get_by_role("main").get_by_role("status")
    await expect(status).to_have_count(1)  # the list, which has two, may still be there
    await expect(status).to_have_text("1 result in 1 run")
    group = tab.get_by_role("region", name="Go.")
    await expect(group.locator("mark")).to_have_text(["lead1", "sum"])
    assert await serious_violations(tab) == []
    await group.get_by_role("listitem").get_by_role("link").click()
    await expect(view.pane).to_have_accessible_name("Agent run lead1")
    await expect(view.pane.locator("article.found")).to_contain_text("lead1 sums up")
    await expect(view.pane.locator("article.found")).to_be_in_viewport()
    await expect(view.node("run lead1")).to_be_in_viewport(ratio=1)


async def test_a_compaction_is_where_it_was(site: Site, tab: Page) -> None:
    view = await RunView(tab, await run_of(tab, COMPACTED)).open()
    await expect(view.pane.locator(".facts")).to_contain_text("context 3.1k")
    cut = view.pane.get_by_role("link", name=re.compile(r"^compacted at 0:\d\d: 3.1k → 2.6k$"))
    await cut.click()
    found = view.pane.locator("article.found")
    await expect(found).to_contain_text("Context compacted: 3.1k → 2.6k tokens")
    await expect(view.items.first.locator("path.cut")).to_have_attribute("d", re.compile(r"^M\d"))


async def test_a_session_is_exported_as_the_same_page(
    site: Site, tab: Page, manners: Manners, tmp_path: Path
) -> None:
    manners.tolerate("request to file:")
    run = await run_of(tab, FAN)
    await RunView(tab, run).open()
    for form, word in (("markdown", "lead1 sums up"), ("json", '"lead1 sums up"')):
        got = await tab.context.request.get(f"/v1/runs/{run}/export?format={form}")
        assert word in await got.text()
    got = await tab.context.request.get(f"/v1/runs/{run}/export?format=html")
    file = tmp_path / "run.html"
    file.write_bytes(await got.body())
    await tab.goto(file.as_uri())
    view = RunView(tab, run)
    await expect(view.items).to_have_count(9)
    await expect(view.pane.get_by_text("Leads back.")).to_be_visible()
