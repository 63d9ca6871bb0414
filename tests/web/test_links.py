"""Links that last: to an agent, to a block, to a moment; copied on the page, opened elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.async_api import Page, expect

from tests.web.browser import Manners
from tests.web.site import Site
from tests.web.stories import OVERLOADED, fan
from tests.web.test_saved_page import saved
from tests.web.views import RunView

TWENTIETH = re.compile("^Agent .*, part 20$")


async def copied(tab: Page, name: str) -> str:
    await tab.get_by_role("button", name=f"Copy link to this {name}").last.click()
    await expect(tab.get_by_role("button", name=f"Copy link to this {name}").last).to_have_text(
        "Copied"
    )
    return str(await tab.evaluate("navigator.clipboard.readText()"))


async def links_of(tab: Page, view: RunView) -> tuple[str, str, str]:
    """Copies a link of each sort: agent 20, the block with its error, a moment near the start."""
    await tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await tab.get_by_role("treeitem", name=re.compile(r"part 20,")).click()
    await expect(view.pane).to_have_accessible_name(TWENTIETH)
    agent = await copied(tab, "agent")
    block = view.pane.locator("article.error")
    await block.hover()
    await block.get_by_role("button", name="Copy link to this block").click()
    place = str(await tab.evaluate("navigator.clipboard.readText()"))
    await view.slider.focus()
    await tab.keyboard.press("Home")
    for _ in range(3):
        await tab.keyboard.press("ArrowRight")
    return agent, place, await copied(tab, "moment")


async def leads_there(tab: Page, view: RunView, links: tuple[str, str, str]) -> None:
    agent, place, moment = links
    blank = "about:blank"  # another place of the same page would be no new visit
    await tab.goto(blank)
    await tab.goto(agent)
    await expect(view.pane).to_have_accessible_name(TWENTIETH)
    selected = view.tree.locator("[aria-selected=true]")
    await expect(selected).to_be_in_viewport()
    await tab.goto(blank)
    await tab.goto(place)
    found = view.pane.locator("article.found")
    await expect(found).to_be_in_viewport()
    await expect(found).to_contain_text(OVERLOADED)
    await expect(selected).to_be_in_viewport()
    await tab.goto(blank)
    await tab.goto(moment)
    await expect(view.slider).to_have_attribute("aria-valuetext", re.compile(" of "))
    await expect(selected).to_have_accessible_name(re.compile("part 20, .*not yet begun$"))
    assert float(await view.slider.input_value()) > 0
    await tab.get_by_role("button", name="End", exact=True).click()
    await expect(selected).to_have_accessible_name(re.compile("failed"))


async def test_a_link_is_copied_and_leads_there(
    site: Site, tab: Page, manners: Manners, tmp_path: Path
) -> None:
    story = fan()
    await site.append("run", story.events)
    view = await RunView(tab, "run").open()
    links = await links_of(tab, view)
    assert all(link.startswith(f"{site.url}#/run/run/20") for link in links)
    await leads_there(tab, view, links)

    # The same in a file.
    manners.tolerate("request to file:")
    address = saved(tmp_path, story.events)
    here = tuple(link.replace(site.url, address) for link in links)
    await leads_there(tab, view, (here[0], here[1], here[2]))
    assert (await links_of(tab, view))[0] == here[0]
