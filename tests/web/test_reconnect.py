"""A page that loses its connection comes back by itself: nothing is lost and nothing repeated."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.machine_home import MachineHome
from tests.nats_servers import NatsCluster
from tests.record.watch.writing import Writer, append
from tests.web.browser import Manners
from tests.web.site import Site
from tests.web.stories import Story
from tests.web.views import RunView, becomes

WORDS = [f"word-{number}" for number in range(40)]


async def test_nothing_is_lost_and_nothing_repeated(
    site: Site, tab: Page, manners: Manners
) -> None:
    manners.tolerate("Failed to load resource")
    await tab.set_viewport_size({"width": 1280, "height": 3000})
    story = Story("Count.")
    for word in WORDS:
        story.say(word)
    story.done()
    sent = 0

    async def tell(upto: int) -> None:
        nonlocal sent
        await site.append("run", story.events[sent:upto])
        sent = upto

    await tell(10)
    view = await RunView(tab, "run").open(0)
    await expect(view.standing).to_have_text("Live")

    for upto in (20, 30):
        await site.stop()
        await expect(view.standing).to_contain_text("Reconnecting… No connection since ")
        await site.start()
        await tell(upto)
        await expect(view.standing).to_have_text("Live")
        await expect(view.pane.get_by_text(WORDS[upto - 4], exact=True)).to_be_visible()
    # The person comes back to it, too.
    await tab.reload()
    await tell(len(story.events))
    await expect(view.standing).to_have_text("Ended")
    await becomes(lambda: view.words(["text"]), [("text", word) for word in WORDS])


async def test_a_run_that_is_not_there_is_said_to_be_so(
    site: Site, tab: Page, manners: Manners
) -> None:
    manners.tolerate("404")
    await tab.goto("/#/run/nowhere")
    await expect(tab.get_by_role("heading", name="Run not found")).to_be_visible()


@pytest.mark.xdist_group("nats")
async def test_a_shared_log_that_is_away_is_named_in_the_list_and_in_a_run(
    tmp_path: Path, tab: Page, manners: Manners
) -> None:
    manners.tolerate("Failed to load resource")
    cluster = NatsCluster(tmp_path / "nats")
    machine = MachineHome(tmp_path, "one", f"nats://{cluster.hosts}/SHARED")
    writer = Writer(machine.home / ".claude")
    append(writer.main, writer.prompt("Count needles.") + writer.text("first"))
    async with machine.watching() as (_, link):
        await tab.goto(link)
        away = tab.get_by_role("status").filter(has_text="Shared log unreachable")
        await expect(away).to_be_visible()
        await tab.get_by_role("link", name="Count needles.").first.click()
        # It is shown as soon as the log has it; until then the page says what it waits for.
        await expect(tab.get_by_role("tab", name="Timeline")).to_be_visible()
        await expect(away).to_be_visible()
        with cluster:
            await expect(tab.get_by_role("heading", name="Count needles.")).to_be_visible()
            await expect(away).not_to_be_visible()
