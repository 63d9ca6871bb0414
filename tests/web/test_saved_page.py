"""A run as one file: the same page, with no server and no network behind it."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from click.testing import CliRunner
from playwright.async_api import Browser, Page, expect

from tests.block_rows import RECORDINGS, sources_of
from tests.web.browser import TIMEOUT_MS, serious_violations
from tests.web.hostile import LAST, hostile_story
from tests.web.stories import ANSWER, OVERLOADED, crowd, fan
from tests.web.views import RunView
from unbraid.cli import main
from unbraid.events import FleetEvent
from unbraid.send.export import RunFile

NESTED = RECORDINGS / "nested.partial-fwd.2.1.260"


@pytest_asyncio.fixture(loop_scope="session")
async def tab(browser: Browser) -> AsyncIterator[Page]:
    """A tab without a network; it must ask for nothing but the file, and keep quiet."""
    context = await browser.new_context(offline=True, reduced_motion="reduce")
    context.set_default_timeout(TIMEOUT_MS)
    expect.set_options(timeout=TIMEOUT_MS)
    tab, broken = await context.new_page(), list[str]()
    tab.on("console", lambda said: broken.append(f"{said.type}: {said.text}"))
    tab.on("pageerror", lambda error: broken.append(str(error)))
    tab.on("dialog", lambda dialog: broken.append(dialog.message))
    tab.on(
        "request",
        lambda asked: (
            None if asked.url.startswith(("file:", "data:")) else broken.append(asked.url)
        ),
    )
    yield tab
    await context.close()
    assert broken == []


def saved(folder: Path, events: list[FleetEvent], stream: int | None = None) -> str:
    made = RunFile("run", "html", stream=stream)
    made.apply(events)
    (folder / "run.html").write_bytes(made.content(made.export()))
    return (folder / "run.html").as_uri()


async def test_a_recorded_session_as_a_file_is_the_same_page(tab: Page, tmp_path: Path) -> None:
    file, truth = tmp_path / "run.html", json.loads((NESTED / "truth.json").read_bytes())
    source = str(next(path for path in sources_of(NESTED, full=True) if path.endswith(".ndjson")))
    made = CliRunner().invoke(main, ["export", source, "-o", str(file)])
    assert made.exit_code == 0, made.output
    await tab.goto(file.as_uri())
    view = RunView(tab, "stdout")
    await expect(view.items).to_have_count(3)
    said: set[str] = set()
    for row in await view.items.all():
        await row.click()
        await expect(row).to_have_attribute("aria-selected", "true")
        await expect(view.pane.get_by_role("article").first).to_be_visible()
        said |= {words for _, words in await view.words(("text",))}
    served = {block["text"].strip() for block in truth["blocks"] if block["type"] == "text"}
    assert {re.sub(r"\s+", " ", words) for words in said} == {
        re.sub(r"\s+", " ", words) for words in served
    }


async def test_all_of_the_page_works_but_what_needs_a_server(tab: Page, tmp_path: Path) -> None:
    await tab.goto(saved(tmp_path, fan().events))
    view = RunView(tab, "run")
    await expect(tab.get_by_role("heading", level=1)).to_have_text("Review the whole project")
    await expect(view.standing).to_have_text("Saved copy")
    await expect(tab.locator("header.run-header")).to_contain_text("$9.79")
    await expect(view.pane.get_by_text(ANSWER)).to_be_visible()
    for name in ("Export", "Attach", "Sign out", "Interrupt", "Answer requests here", "Send"):
        await expect(tab.get_by_role("button", name=name)).to_have_count(0)
    for name in ("Runs", "Costs"):
        await expect(tab.get_by_role("link", name=name)).to_have_count(0)
    # Search, and from there to the place.
    await tab.keyboard.press("/")
    await tab.keyboard.type("overloaded nowhere")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("status")).to_have_text("No results.")
    await tab.keyboard.press("Control+k")
    await tab.keyboard.type("Part 12 fine")
    await tab.keyboard.press("Enter")
    await tab.locator("a.hit").click()
    await expect(view.pane).to_have_accessible_name(re.compile("part 12$"))
    found = view.pane.locator("article.found")
    await expect(found).to_have_text(re.compile("Part 12 is fine."))
    await expect(found).to_be_in_viewport()
    await view.settled()
    assert await serious_violations(tab) == []
    # As it was, in both views; and the file's address is a link to what is shown.
    await view.slider.focus()
    await tab.keyboard.press("Home")
    await view.look("Graph")
    await expect(view.items).to_have_count(1)
    await tab.reload()
    await expect(view.pane).to_have_accessible_name(re.compile("part 12$"))
    await expect(view.items).to_have_count(31)
    await view.settled()
    assert await serious_violations(tab) == []


async def test_one_agent_alone(tab: Page, tmp_path: Path) -> None:
    await tab.goto(saved(tmp_path, fan().events, stream=20))
    view = RunView(tab, "run")
    await expect(view.items).to_have_count(1)
    await expect(view.pane.get_by_text(OVERLOADED).first).to_be_visible()
    await expect(tab.locator("header.run-header dd").first).to_have_text("failed")
    await expect(tab.get_by_text(ANSWER)).to_have_count(0)


async def test_what_is_not_over_is_shown_as_far_as_it_is(tab: Page, tmp_path: Path) -> None:
    await tab.goto(saved(tmp_path, fan(over=False).events))
    await expect(RunView(tab, "run").standing).to_have_text("Saved copy")
    await expect(tab.locator("header.run-header dd").first).to_have_text("working")
    await expect(tab.get_by_role("button", name="End", exact=True)).to_be_disabled()


async def test_hostile_words_in_a_file_do_nothing(tab: Page, tmp_path: Path) -> None:
    await tab.goto(saved(tmp_path, hostile_story().events))
    view = RunView(tab, "run")
    await expect(view.items).to_have_count(2)
    log = view.pane.get_by_role("log")
    await expect(view.pane.get_by_text(LAST).first).to_be_visible()
    for part in range(5):
        await log.evaluate(f"log => log.scrollTo(0, log.scrollHeight * {part} / 5)")
        await tab.evaluate("() => new Promise(requestAnimationFrame)")
        await log.evaluate("log => log.querySelectorAll('details').forEach(d => d.open = true)")
        await tab.evaluate("() => new Promise(requestAnimationFrame)")
    assert await tab.evaluate("() => window.hacked") is None
    assert await tab.evaluate("() => document.querySelectorAll('main img, iframe').length") == 0


async def test_without_scripts_it_can_be_read(browser: Browser, tmp_path: Path) -> None:
    context = await browser.new_context(offline=True, java_script_enabled=False)
    tab = await context.new_page()
    await tab.goto(saved(tmp_path, fan().events))
    await expect(tab.get_by_role("heading", level=1)).to_have_text("Review the whole project")
    await expect(tab.locator("#stream-0 pre.text").last).to_have_text(ANSWER)
    await context.close()


async def test_a_large_run_opens(tab: Page, tmp_path: Path) -> None:
    story = crowd(100, 100_000)
    await tab.goto(saved(tmp_path, story.events))
    assert (tmp_path / "run.html").stat().st_size < 60_000_000
    view = RunView(tab, "run")
    await expect(view.standing).to_have_text("Saved copy")
    await expect(tab.locator("header.run-header dl")).to_contain_text("100")
