"""The page of a fleet of 31: what someone who has never seen it wants to know is there at once."""

from __future__ import annotations

import re

from msgspec import Raw
from playwright.async_api import Page, expect

from tests.web.browser import serious_violations
from tests.web.site import Site
from tests.web.stories import ANSWER, OVERLOADED, fan
from tests.web.views import RunView
from unbraid import events as e

DEAREST = "Read the migration scripts, part 7"
FAILED = "Audit the HTTP handlers for missing input validation, part 20"
TWENTIETH = 20


async def test_what_one_wants_to_know_is_there_at_once(site: Site, tab: Page) -> None:
    await tab.set_viewport_size({"width": 1440, "height": 900})
    await site.append("run", fan().events)
    view = await RunView(tab, "run").open()
    header = tab.locator(".run-header")
    await expect(tab.get_by_role("heading", level=1)).to_have_text("Review the whole project")
    # What the main agent's answer was.
    await expect(view.pane).to_have_accessible_name("Agent main")
    await expect(view.pane.get_by_text(ANSWER)).to_be_in_viewport(ratio=1)
    # Who has failed, and why.
    failed = header.get_by_role("definition").filter(has_text=FAILED[:30])
    await expect(failed).to_be_in_viewport()
    await expect(failed).to_contain_text(OVERLOADED)
    # Who cost most.
    most = header.get_by_role("definition").filter(has_text=DEAREST[:30])
    await expect(most).to_contain_text("$6.00")
    await tab.get_by_role("button", name="Own", exact=True).click()
    assert (await view.seen())[1].label.startswith(DEAREST)
    # A description is the title, the type comes second, and both are there to be heard.
    await expect(view.node(DEAREST)).to_have_accessible_name(
        re.compile(rf"^{DEAREST}, Explore, done, own \d+ tokens, \$6.00, total ")
    )
    assert await serious_violations(tab) == []


async def test_whoever_is_opened_is_in_sight(site: Site, tab: Page) -> None:
    await tab.set_viewport_size({"width": 1280, "height": 640})
    await site.append("run", fan().events)
    view = await RunView(tab, "run").open(TWENTIETH)
    await expect(view.pane).to_have_accessible_name(f"Agent {FAILED}")
    row = view.tree.locator(f"[data-stream='{TWENTIETH}']")
    await expect(row).to_be_in_viewport(ratio=1)
    await expect(row).to_have_attribute("aria-selected", "true")
    for _ in range(5):
        await tab.keyboard.press("j")
    last = view.tree.locator("[data-stream='25']")
    await expect(last).to_have_attribute("aria-selected", "true")
    await expect(last).to_be_in_viewport(ratio=1)
    # In the graph, which shows less of each, and everyone at a size that can be read.
    await view.look("Graph")
    await expect(view.items).to_have_count(31)
    for node in (view.items.first, last, view.items.last):
        await expect(node).to_be_in_viewport(ratio=1)
    box = await last.bounding_box()
    assert box is not None
    assert box["height"] >= 20
    await view.look("Latest")
    slot = tab.locator(".slot.selected")
    await expect(slot).to_be_in_viewport()
    await expect(slot).to_have_attribute("data-stream", "25")
    assert await serious_violations(tab) == []


async def test_live_agents_come_first_and_say_for_whom_they_wait(site: Site, tab: Page) -> None:
    await tab.set_viewport_size({"width": 1280, "height": 900})
    story = fan(over=False)
    asked = "Read the migration scripts, part 27"
    raw = Raw(b'{"command": "make test"}')
    story.tell(e.PermissionAsked(asked, request_id="r1", tool="Bash", input_json=raw))
    await site.append("run", story.events)
    view = await RunView(tab, "run").open()
    main = view.items.first
    await expect(main).to_have_accessible_name(re.compile("working, waits for 13 agents: "))
    seen = [each.label for each in await view.seen()]
    live = [", working, " in label or ", waiting, " in label for label in seen]
    first = next(label for label in seen if label.startswith("Check the retry logic of the queue"))
    assert ", waits for " in first
    # Behind one that is done there is nobody of the same parent at work.
    beside = [one for one, row in zip(live, await view.seen(), strict=True) if row.level == 2]
    assert beside == sorted(beside, reverse=True)
    # The permission request leads to the one that asks.
    card = tab.get_by_role("region", name=f"{asked} wants to use Bash")
    await card.get_by_role("link", name=asked).click()
    await expect(view.pane).to_have_accessible_name(f"Agent {asked}")
    row = view.node(asked)
    await expect(row).to_be_in_viewport(ratio=1)
    await expect(row).to_have_accessible_name(re.compile("waits for permission to use Bash"))


async def test_columns_are_made_wider_and_stay_so(site: Site, tab: Page) -> None:
    await site.append("run", fan().events)
    view = await RunView(tab, "run").open()
    title = view.items.nth(1).locator(".title")
    before = await title.bounding_box()
    border = tab.get_by_role("separator", name="Width of the names")
    await border.focus()
    for _ in range(3):
        await tab.keyboard.press("ArrowRight")
    await tab.reload()
    await expect(title).to_be_visible()
    after = await title.bounding_box()
    assert before is not None
    assert after is not None
    assert after["width"] > before["width"] + 20
    name = "Check the retry logic of the queue worker, part 1"
    hover = view.items.nth(1).locator(".gutter")
    await expect(hover).to_have_attribute("title", re.compile(f"^{name}\\nExplore"))


async def test_on_a_phone_there_is_one_thing_at_a_time(site: Site, tab: Page) -> None:
    await tab.set_viewport_size({"width": 390, "height": 800})
    await site.append("run", fan().events)
    view = await RunView(tab, "run").open()
    await expect(view.pane).to_be_hidden()
    await expect(view.items.first).to_be_in_viewport()
    await view.items.first.locator(".title").click()
    await expect(view.pane.get_by_text(ANSWER)).to_be_in_viewport()
    await expect(view.tree).to_be_hidden()
    assert await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await tab.get_by_role("link", name="Close this agent").click()
    await expect(view.items.first).to_be_in_viewport()
    await expect(view.pane).to_be_hidden()
