"""A live fleet of a real Claude Code or OpenCode on the page: what it shows is what the model said,
whatever happens to the page or the server in the middle.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.clis.spending import charged
from tests.web.agents import FLEET, GO, PAIR, Live, running
from tests.web.browser import Manners, serious_violations
from tests.web.site import Site
from tests.web.views import RunView, becomes, parents

pytestmark = pytest.mark.cli

KINDS = ("text", "thinking", "tool")


def title(agent: str) -> str:
    """How an agent is called on the page."""
    return "main" if agent == "main" else f"run {agent}"


async def found(tab: Page, live: Live) -> RunView:
    """The one run there is, opened by a click in the list."""
    # On a busy machine a CLI takes longer to start than a page is waited for.
    await live.model.reached("main", 0)
    await tab.goto("/")
    row = tab.get_by_role("list", name="Runs").get_by_role("link")
    await expect(row).to_have_count(1)
    await expect(row).to_contain_text("working")
    await row.click()
    view = RunView(tab, tab.url.rpartition("/run/")[2])
    await expect(view.items.first).to_be_visible()
    return view


async def middle(view: RunView, live: Live) -> None:
    """All are there, one of them waits, and the helper's helper is through."""
    await live.model.reached("leaf", 1)
    await live.model.reached("w2", 0)
    await expect(view.items).to_have_count(len(FLEET.agents))
    await expect(view.node(title("leaf"))).to_have_accessible_name(re.compile("done"))
    await expect(view.node(title("w2"))).to_have_accessible_name(re.compile("working"))
    await view.look("Latest")
    await expect(view.slot(title("w2"))).to_contain_text("worker 2 waits")
    await view.look("Timeline")
    await expect(view.standing).to_have_text("Live")


async def true_to(view: RunView, live: Live) -> None:
    """Compare what is on the page in the end with what the model said and charged."""
    await expect(view.node("main").and_(view.items)).to_have_accessible_name(re.compile("done"))
    truth = live.model.truth
    seen = await view.seen()
    names = {each.stream: _agent(each.label) for each in seen}
    assert sorted(names.values()) == sorted(live.model.script.agents)

    charges = charged(live.model, live.cli)
    spent = {agent: sum(tokens) for agent, tokens in charges.items() if agent}
    assert {names[each.stream]: each.tokens for each in seen} == spent

    above = {names[child]: names[parent] for child, parent in parents(seen).items()}
    assert above == {child: spawn["parent"] for child, spawn in truth["parents"].items()}
    await view.look("Graph")
    for edge in (view.tree.locator("path.spawn"), view.tree.locator("path.join.done")):
        await expect(edge).to_have_count(len(above))

    for each in seen:
        agent = names[each.stream]
        await view.open(each.stream)
        said = [_shown(block) for block in truth["blocks"] if block["agent"] == agent]
        await becomes(lambda: view.words(KINDS), said)


def _agent(label: str) -> str:
    named = re.search(r"run (\w+),", label)
    return "main" if named is None else named[1]


def _shown(block: dict[str, Any]) -> tuple[str, str]:
    if block["type"] == "tool_use":
        given = block["input"]
        kind = given.get("subagent_type")
        return "tool", f"{given['description']} ({kind})" if kind else given["command"]
    return block["type"], (block.get("text") or block["thinking"]).replace("**", "")


async def test_the_page_shows_a_live_fleet_as_it_is(
    site: Site, tab: Page, tmp_path: Path, manners: Manners
) -> None:
    await tab.set_viewport_size({"width": 1280, "height": 1600})
    async with running(tmp_path) as live:
        view = await found(tab, live)
        await middle(view, live)
        assert await serious_violations(tab) == []

        await tab.reload()
        await middle(view, live)

        manners.tolerate("Failed to load resource")
        await site.stop()
        await expect(view.standing).to_contain_text("Reconnecting…")
        live.open_gate()
        await live.model.reached("main", 1)
        await live.finish()
        await site.start()
        await true_to(view, live)


async def test_the_page_shows_a_live_opencode_and_its_sub_agents_as_they_are(
    site: Site, tab: Page, tmp_path: Path
) -> None:
    await tab.set_viewport_size({"width": 1280, "height": 1600})
    args = ("run", "--model", "scripted/one", GO)
    async with running(tmp_path, PAIR, args, cli="opencode") as live:
        view = await found(tab, live)
        await live.model.reached("a", 1)
        await live.model.reached("b", 0)
        await expect(view.items).to_have_count(len(PAIR.agents))
        await expect(view.node(title("a"))).to_have_accessible_name(re.compile("done"))
        await expect(view.node(title("b"))).to_have_accessible_name(re.compile("working"))
        await view.look("Latest")
        await expect(view.slot(title("b"))).to_contain_text("b waits")
        assert await serious_violations(tab) == []
        live.open_gate()
        await live.finish()
        await view.look("Timeline")
        await true_to(view, live)
