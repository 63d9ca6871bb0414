"""A person steers a real Claude Code from the page."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.steer.test_control import LISTENING
from tests.web.agents import GO, WAIT, Live, running
from tests.web.browser import serious_violations
from tests.web.site import Site
from tests.web.views import RunView
from unbraid.agents.claude.process import stdin as claude_input
from unbraid.testing import Script, Spawn, bash, say, scenario

pytestmark = pytest.mark.cli

HELPERS = Script(
    {
        "main": [
            say("Two go.", Spawn("endless", background=True), Spawn("other", background=True)),
            say("They work."),
            say("Something has ended."),
            say("All is over."),
        ],
        "endless": [say("Counting " + "1 " * 9000, chunk_chars=8, chunk_delay_seconds=0.05)],
        "other": [say("The other waits.", bash(WAIT)), say("The other went on.")],
    },
    "web-stop",
)


async def begun(live: Live, tab: Page) -> RunView:
    """The run on the page, once the first prompt is said."""
    await live.child.write(claude_input.initialize("first"))
    await live.child.write(claude_input.prompt(GO))
    await tab.goto("/")
    await tab.get_by_role("list", name="Runs").get_by_role("link").click()
    return RunView(tab, tab.url.rpartition("/run/")[2])


async def ended(live: Live) -> str:
    """Its last result, when its input has ended."""
    live.child.end_input()
    lines = [json.loads(line) async for _, line in live.child.lines()]
    assert await live.child.wait() == 0
    return str([line for line in lines if line["type"] == "result"][-1]["result"])


async def test_permission_is_given_and_refused_on_the_page(
    site: Site, tab: Page, tmp_path: Path
) -> None:
    async with running(
        tmp_path, scenario("permission"), LISTENING, asks=True, reads_stdin=True
    ) as live:
        await begun(live, tab)
        first = tab.get_by_role("region", name="main wants to use Bash")
        await expect(first).to_contain_text("touch allowed.txt")
        assert await serious_violations(tab) == []
        await first.get_by_role("button", name="Approve").click()
        second = tab.get_by_role("region", name="main wants to use Write")
        await expect(second).to_contain_text("denied.txt")
        await second.get_by_role("textbox").fill("Not here.")
        await second.get_by_role("button", name="Deny").click()
        await expect(tab.get_by_text("One yes, one no.").first).to_be_visible()
        await expect(tab.get_by_role("region", name="Waiting for permission")).to_have_count(0)
        assert await ended(live) == "One yes, one no."
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()


async def test_an_interrupt_and_a_message_from_the_page(
    site: Site, tab: Page, tmp_path: Path
) -> None:
    async with running(tmp_path, scenario("interrupt"), LISTENING, reads_stdin=True) as live:
        view = await begun(live, tab)
        await live.model.reached("main", 0, chunks=5)
        await tab.get_by_role("button", name="Interrupt").click()
        await view.open(0)
        box = tab.get_by_role("textbox", name="Message to the agent")
        await box.fill("Go on.")
        await box.press("Enter")
        async with asyncio.timeout(60):
            await live.model.reached("main", 1)
        await expect(view.pane.get_by_text("After the interrupt.").first).to_be_visible()
        assert await ended(live) == "After the interrupt."


async def test_one_helper_is_stopped_from_the_page_and_the_others_go_on(
    site: Site, tab: Page, tmp_path: Path
) -> None:
    async with running(tmp_path, HELPERS, LISTENING, reads_stdin=True) as live:
        view = await begun(live, tab)
        await live.model.reached("endless", 0, chunks=3)
        await live.model.reached("main", 1)
        await expect(view.items).to_have_count(3)
        await expect(view.node("run other")).to_have_accessible_name(re.compile("working"))
        await view.node("run endless").click()
        stop = view.pane.get_by_role("button", name="Stop this agent")
        assert await serious_violations(tab) == []
        await stop.click()
        await expect(view.node("run endless")).to_have_accessible_name(re.compile("interrupted"))
        await expect(stop).to_have_count(0)
        assert not any(s.complete for s in live.model.ledger.servings if s.agent == "endless")
        await expect(view.node("run other")).to_have_accessible_name(re.compile("working"))
        # It has answered, and expects what the other one says.
        await expect(view.node("main")).to_have_accessible_name(re.compile("waiting"))
        # Who is through, and who leads, has no such button; who works has.
        await view.open(0)
        await expect(stop).to_have_count(0)
        live.open_gate()
        await expect(view.node("run other")).to_have_accessible_name(re.compile("done"))
        await view.node("run other").click()
        await expect(view.pane).to_contain_text("The other went on.")
        await ended(live)
        await expect(view.node("run endless")).to_have_accessible_name(re.compile("interrupted"))
        await expect(view.node("main")).to_have_accessible_name(re.compile("done"))
