"""The page of a run: graph, timeline, panes, replay, search, export."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import FloatRect, Locator, Page, expect

from tests.block_rows import RECORDINGS
from tests.web.browser import serious_violations
from tests.web.site import Site
from tests.web.stories import Story, crowd
from tests.web.views import RunView, reached
from unbraid import events as e


def fleet() -> Story:
    """A run with something of everything, a minute long."""
    story = Story("Fix the **parser**.").think("Where to begin?").say("I will ask for help.")
    story.spawn("reader").wait(5000).spawn("tester", kind="general-purpose").wait(5000)
    story.say("The parser keeps `offset`.", "reader").spend("reader", tokens=2000, cost_usd=0.02)
    story.spawn("runner", "tester").call("Bash", {"command": "make test"}, "2 failed", "runner")
    edit = {"file_path": "a.py", "old_string": "x = 1\ny = 2", "new_string": "x = 1\ny = 3"}
    story.call("Edit", edit, "done", "tester").call("Bash", {"command": "exit 1"}, "", ok=False)
    story.wait(20_000).end("runner").wait(5000).end("reader", reason="failed").end("tester")
    return story.wait(20_000).say("Fixed, a unique-closing-word.").spend(tokens=500).done()


async def test_every_status_has_its_shape_and_its_word(site: Site, tab: Page) -> None:
    story = Story().spawn("a").spawn("b").spawn("c").spawn("d").spawn("e")
    for agent, reason in (("a", "completed"), ("b", "failed"), ("c", "cancelled")):
        story.end(agent, reason=reason)
    story.end("d", reason="interrupted")
    story.tell(e.PermissionAsked("e", request_id="r1", tool="Bash"))
    await site.append("run", story.events)
    view = await RunView(tab, "run").open()
    shapes = set()
    for name, status in (
        ("main", "working"), ("a", "done"), ("b", "failed"), ("c", "interrupted"),
        ("d", "interrupted"), ("e", "waiting"),
    ):  # fmt: skip
        node = view.node(name)
        await expect(node).to_have_accessible_name(re.compile(f", {status}, "))
        shapes.add(await node.locator("svg path").first.get_attribute("d"))
    assert len(shapes) == 5, "one for each status"


async def test_the_run_as_it_was_at_any_moment(site: Site, tab: Page) -> None:
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    await site.append("run", fleet().events)
    view = await (await RunView(tab, "run").open()).look("Graph")
    await expect(view.items).to_have_count(4)
    await expect(view.node("main").first).to_have_accessible_name(re.compile("done"))

    await view.slider.focus()
    await tab.keyboard.press("Home")
    await expect(view.items).to_have_count(1)
    await expect(view.slider).to_have_attribute("aria-valuetext", re.compile("^0ms of"))
    for _ in range(5):
        await tab.keyboard.press("ArrowRight")
    await expect(view.items).to_have_count(2)
    await expect(view.node("reader")).to_have_accessible_name(re.compile("working"))
    # The timeline shows all of it all the while, and who has not begun as such.
    await view.look("Timeline")
    await expect(view.items).to_have_count(4)
    await expect(view.node("tester")).to_have_accessible_name(re.compile("not yet begun$"))
    await view.look("Graph")
    await tab.get_by_role("button", name="End", exact=True).click()
    await expect(view.items).to_have_count(4)
    assert asked and not [url for url in asked if "/control" in url], "nobody steers what has ended"


async def test_it_is_played_back(site: Site, tab: Page) -> None:
    await site.append("run", fleet().events)
    view = await RunView(tab, "run").open()
    await tab.get_by_role("combobox", name="Speed").select_option("64")
    await tab.get_by_role("button", name="Play").click()
    await expect(tab.get_by_role("button", name="Pause")).to_be_visible()
    # It goes through the beginning, and ends at the end by itself.
    await expect(tab.get_by_role("button", name="Play")).to_be_visible()
    await expect(view.slider).to_have_attribute("aria-valuetext", re.compile("the end$"))
    await expect(view.items).to_have_count(4)


async def test_a_drag_over_the_bars_scrubs(site: Site, tab: Page) -> None:
    await site.append("run", fleet().events)
    view = await RunView(tab, "run").open()
    box = await view.items.first.locator(".track").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    await tab.mouse.move(box["x"] + box["width"] * 0.9, middle)
    await tab.mouse.down()
    await tab.mouse.move(box["x"] + box["width"] * 0.04, middle, steps=5)
    await tab.mouse.up()
    began = view.items.filter(has=tab.locator("svg")).filter(has_not=tab.locator(".none"))
    await expect(began).to_have_count(2)
    await tab.mouse.move(0, 0)
    await expect(began).to_have_count(2)
    assert tab.url.endswith("#/run/run"), "nobody was opened by it"


async def test_an_agent_is_large_on_a_click(site: Site, tab: Page) -> None:
    await site.append("run", fleet().events)
    view = await RunView(tab, "run").open()
    await view.node("tester").click()
    await expect(view.pane).to_have_accessible_name("Agent tester")
    await expect(view.node("tester")).to_have_attribute("aria-selected", "true")
    assert tab.url.endswith("#/run/run/2")
    await expect(view.pane.get_by_text("y = 3")).to_be_visible()
    await tab.keyboard.press("Escape")
    await expect(view.pane).to_have_accessible_name("Agent main")
    await view.look("Latest")
    await view.slot("reader").get_by_role("link").click()
    await expect(view.pane).to_contain_text("The parser keeps offset.")


async def test_search_leads_to_the_place(site: Site, tab: Page) -> None:
    await site.append("run", fleet().events)
    await site.feed("other", RECORDINGS / "nested.plain-fwd.2.1.325")
    await tab.goto("/")
    field = tab.get_by_role("searchbox", name="Search what agents said")
    await field.fill("unique-closing-word")
    await field.press("Enter")
    await expect(tab.get_by_role("status").filter(has_text="1 result")).to_be_visible()
    await tab.get_by_role("link", name=re.compile("unique-closing-word")).click()
    view = RunView(tab, "run")
    await expect(view.pane.get_by_text("Fixed, a unique-closing-word.")).to_be_in_viewport()
    await expect(view.pane.locator("article.found")).to_contain_text("unique-closing-word")


async def test_a_deep_link_leads_into_a_long_run(site: Site, tab: Page) -> None:
    story = Story()
    for number in range(3000):
        story.say(f"line {number} of many")
    await site.append("run", story.done().events)
    seq = next(ev.seq for ev in story.events if getattr(ev, "delta", "") == "line 1500 of many")
    await tab.goto(f"/#/run/run/0?seq={seq}")
    await expect(tab.get_by_text("line 1500 of many")).to_be_in_viewport()
    # Far fewer are drawn than there are.
    assert await tab.get_by_role("article").count() < 200


async def test_it_is_exported(site: Site, tab: Page, tmp_path: Path) -> None:
    story = fleet()
    await site.append("run", story.events)
    await RunView(tab, "run").open()
    texts: dict[str, str] = {}
    button = tab.locator(".run-header").get_by_role("button", name="Export")
    for number, name in enumerate(("HTML", "Markdown", "JSON"), 1):
        await button.focus()
        await tab.keyboard.press("Enter")
        for _ in range(number):
            await tab.keyboard.press("ArrowDown")
        await expect(tab.get_by_role("menuitem", name=re.compile(name))).to_be_focused()
        if number == 1:
            assert await serious_violations(tab) == []
        async with tab.expect_download() as coming:
            await tab.keyboard.press("Enter" if number == 1 else " ")
        await expect(tab.get_by_role("menu")).to_have_count(0)
        await expect(button).to_be_focused()
        assert (await coming.value).suggested_filename.startswith("run.")
        path = tmp_path / name
        await (await coming.value).save_as(path)
        texts[name] = path.read_text()
    said = json.loads(texts["JSON"])
    assert [stream["stream_id"] for stream in said["streams"]] == [0, 1, 2, 3]
    assert {item.get("text") for stream in said["streams"] for item in stream["items"]} >= {
        event.delta for event in story.events if isinstance(event, e.Text)
    }
    assert "The parser keeps `offset`." in texts["Markdown"]
    # The same page in one file: see test_saved_page.
    page = await tab.context.new_page()
    file = (tmp_path / "HTML").rename(tmp_path / "run.html")
    await page.goto(file.as_uri())
    await expect(RunView(page, "run").items).to_have_count(4)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # One agent of it, on a phone.
    await tab.set_viewport_size({"width": 375, "height": 800})
    await tab.goto("/#/run/run/1")
    pane = RunView(tab, "run").pane
    await pane.get_by_role("button", name="Export").click()
    choice = pane.get_by_role("menuitem", name="This agent as JSON")
    await expect(choice).to_be_in_viewport(ratio=1)
    assert await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    async with tab.expect_download() as coming:
        await choice.click()
    await (await coming.value).save_as(tmp_path / "one")
    one = json.loads((tmp_path / "one").read_bytes())
    assert [stream["stream_id"] for stream in one["streams"]] == [1]


async def test_two_hundred_agents(site: Site, tab: Page) -> None:
    await site.append("run", crowd(200, 3000).events)
    view = await RunView(tab, "run").open()
    await expect(view.items.first).to_have_attribute("aria-setsize", "200")
    # Only the rows in sight are drawn; the keys reach all of them.
    assert await view.items.count() < 60
    await view.items.first.focus()
    await tab.keyboard.press("End")
    await expect(view.items.last).to_be_focused()
    await expect(view.items.last).to_have_attribute("aria-posinset", "200")
    last = await view.items.last.get_attribute("data-stream")
    await view.look("Graph")
    await expect(view.items).to_have_count(200)
    assert (await view.seen())[-1].stream == int(last or -1)


async def test_a_fold_that_opens_as_one_leaves_is_of_no_account(site: Site, tab: Page) -> None:
    """A browser tells of a fold in a task of its own, when its page may be gone already."""
    await site.append("run", fleet().events)
    view = await RunView(tab, "run").open(2)
    await expect(view.pane.locator("details").first).to_be_visible()
    await tab.evaluate(
        """() => {
          location.hash = '#/?q=unique-closing-word';
          for (const fold of document.querySelectorAll('details')) fold.open = !fold.open;
        }"""
    )
    await expect(tab.get_by_text("1 result")).to_be_visible()


async def test_finished_sub_agents_are_folded_and_opened_again(site: Site, tab: Page) -> None:
    await site.append("run", fleet().events)
    view = await (await RunView(tab, "run").open()).look("Graph")
    await expect(view.items).to_have_count(4)
    tester, everyone = view.node("tester"), [each.label for each in await view.seen()]
    await expect(tester).to_have_attribute("aria-expanded", "true")
    await expect(view.node("runner")).not_to_have_attribute("aria-expanded", re.compile(""))

    await tester.get_by_role("button", name="Fold 1 agent").click()
    await expect(view.items).to_have_count(3)
    await expect(tester).to_be_focused()
    await expect(tester).to_have_attribute("aria-expanded", "false")
    await expect(tester).to_have_accessible_name(re.compile(", folded: 1 agent$"))
    await expect(view.pane).to_have_accessible_name("Agent main")
    assert await serious_violations(tab) == []

    # It stays so while the run is open, whatever else is looked at.
    await view.node("reader").click()
    await expect(view.pane).to_have_accessible_name("Agent reader")
    await tab.keyboard.press("Escape")
    await expect(view.pane).to_have_accessible_name("Agent main")
    await expect(view.items).to_have_count(3)

    root = view.items.first
    await root.focus()
    await tab.keyboard.press("ArrowLeft")
    await expect(view.items).to_have_count(1)
    await expect(root).to_have_accessible_name(re.compile(", folded: 3 agents, 1 failed$"))
    await expect(root).to_be_focused()
    await tab.keyboard.press("ArrowRight")
    await expect(view.items).to_have_count(3)
    await tab.keyboard.press("End")
    await expect(tester).to_be_focused()
    await tab.keyboard.press("ArrowRight")
    await expect(view.items).to_have_count(4)
    await tab.keyboard.press("ArrowRight")
    await expect(view.node("runner")).to_be_focused()
    assert [each.label for each in await view.seen()] == everyone


async def test_whoever_works_or_is_opened_is_not_folded_away(site: Site, tab: Page) -> None:
    story = Story("Go.").spawn("lead").spawn("worker", "lead").say("Working.", "worker")
    await site.append("run", story.events)
    view = await (await RunView(tab, "run").open()).look("Graph")
    await expect(view.items).to_have_count(3)
    await expect(view.tree.get_by_role("button")).to_have_count(0)
    await view.node("lead").focus()
    await tab.keyboard.press("ArrowLeft")
    await expect(view.items.first).to_be_focused()
    await expect(view.items).to_have_count(3)

    output = len(story.events)
    story.end("worker")
    await site.append("run", story.events[output:])
    await view.node("lead").get_by_role("button", name="Fold 1 agent").click()
    await expect(view.items).to_have_count(2)
    output = len(story.events)
    story.spawn("second", "lead").say("Working, too.", "second")
    await site.append("run", story.events[output:])
    await expect(view.node("second")).to_have_accessible_name(re.compile("working"))
    await expect(view.items).to_have_count(4)
    output = len(story.events)
    story.end("second")
    await site.append("run", story.events[output:])
    await expect(view.node("lead")).to_have_accessible_name(re.compile(", folded: 2 agents$"))
    await expect(view.items).to_have_count(2)

    # Who is opened from elsewhere is seen.
    await tab.keyboard.press("j")
    await expect(view.pane).to_have_accessible_name("Agent lead")
    await expect(view.items).to_have_count(2)
    await tab.keyboard.press("j")
    await expect(view.pane).to_have_accessible_name("Agent worker")
    await expect(view.node("worker")).to_have_attribute("aria-selected", "true")


# Where a node is, frame by frame, from now on.
WHERE_IT_IS = """node => {
    const places = [];
    const look = () => {
        const { x, y } = node.getBoundingClientRect();
        places.push([x, y]);
        if (node.isConnected) requestAnimationFrame(look);
    };
    look();
    return places;
}"""


async def resting(node: Locator) -> FloatRect:
    """Where something is when it has stopped moving: the graph follows whoever has the focus."""
    await node.evaluate(
        """async node => {
          for (let calm = 0, last = ''; calm < 12; await new Promise(requestAnimationFrame)) {
            const { x, y } = node.getBoundingClientRect();
            const now = `${x} ${y}`;
            calm = now === last ? calm + 1 : 0;
            last = now;
          }
        }"""
    )
    box = await node.bounding_box()
    assert box is not None
    return box


async def crowded(tab: Page) -> RunView:
    """The page of a crowd that is over, when all of it is there."""
    view = await (await RunView(tab, "run").open()).look("Graph")
    await expect(view.items).to_have_count(60)
    await expect(view.items.first).to_have_accessible_name(re.compile(", done, "))
    return view


async def test_what_is_folded_in_a_crowd_stays_where_it_is(site: Site, tab: Page) -> None:
    await site.append("run", crowd(60, 900).events)
    await tab.emulate_media(reduced_motion="no-preference")
    view = await crowded(tab)
    await view.items.first.focus()
    for _ in range(10):
        await tab.keyboard.press("ArrowDown")
    node = view.node("part 2")
    await expect(node).to_be_focused()
    before = await resting(node)
    await expect(node).to_be_in_viewport()
    for key, left in (("ArrowLeft", 52), ("ArrowRight", 60)):
        places = await node.evaluate_handle(WHERE_IT_IS)
        await tab.keyboard.press(key)
        await expect(view.items).to_have_count(left)
        assert await resting(node) == pytest.approx(before, abs=0.5)
        # While the others come and go, too.
        seen = await places.evaluate("places => places")
        assert len(seen) > 1
        for place in seen:
            assert place == pytest.approx([before["x"], before["y"]], abs=0.5)
    await expect(node).to_be_in_viewport()


async def test_a_graph_comes_back_to_whoever_is_tabbed_to(site: Site, tab: Page) -> None:
    await site.append("run", crowd(60, 900).events)
    view = await crowded(tab)
    root = view.items.first
    await root.focus()
    await tab.keyboard.press("Shift+Tab")
    await expect(root).not_to_be_focused()
    # All of it fits; a person may drag it away.
    frame = await view.tree.bounding_box()
    assert frame is not None
    await tab.mouse.move(frame["x"] + 10, frame["y"] + 10)
    await tab.mouse.down()
    await tab.mouse.move(frame["x"] + 10, frame["y"] + 1900, steps=4)
    await tab.mouse.up()
    await expect(root).not_to_be_in_viewport()
    await view.slider.focus()
    await reached(tab, root)
    await expect(root).to_be_in_viewport(ratio=1)
    # Nothing has moved but the view: all of it can still be scrolled to.
    assert await view.tree.evaluate("frame => [frame.scrollTop, frame.scrollLeft]") == [0, 0]
    await tab.mouse.wheel(0, -5000)
    await expect(view.node("part 1")).to_be_in_viewport(ratio=1)


async def test_a_frame_that_shrinks_keeps_whoever_has_the_focus(site: Site, tab: Page) -> None:
    await site.append("run", crowd(60, 900).events)
    await tab.set_viewport_size({"width": 1280, "height": 1000})
    view = await crowded(tab)
    await view.items.first.focus()
    for _ in range(20):
        await tab.keyboard.press("ArrowDown")
    node = view.tree.locator(":focus")
    await expect(node).to_be_in_viewport(ratio=0.99)
    await tab.set_viewport_size({"width": 1280, "height": 600})
    await expect(node).to_be_in_viewport(ratio=0.99)

    # A graph that becomes a list stands in the middle anew.
    await tab.set_viewport_size({"width": 390, "height": 600})
    await expect(node).to_be_in_viewport(ratio=0.99)
    frame, root, deep = [await resting(each) for each in (view.tree, view.items.first, node)]
    left, right = root["x"], frame["width"] - deep["x"] - deep["width"]
    assert left == pytest.approx(right, abs=4) or left == pytest.approx(20, abs=4)
