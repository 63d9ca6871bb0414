"""The pictures of the documentation, taken of the real page.

Each run takes all of them, and checks that the pages show each; `UNBRAID_PICTURES=1` (that is `make
pictures`) puts them into docs/images.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec import Raw
from msgspec.structs import replace
from playwright.async_api import Page, expect

from tests.steer.steered_run import SteeredRun
from tests.web.site import Site
from tests.web.stories import Story
from tests.web.test_run import fleet
from tests.web.views import RunView
from unbraid import events as e
from unbraid.cli.demo import recorded_lines
from unbraid.events import FleetEvent
from unbraid.fold.pipeline import Pipeline
from unbraid.system.prices.loader import load_prices

DOCS = Path(__file__).parents[2] / "docs"
NAMES = [
    f"{name}-{scheme}"
    for name in ("runs", "run", "stream", "permission", "phone")
    for scheme in ("light", "dark")
]
MINUTE_MS = 60_000


def ago(events: list[FleetEvent], minutes: float) -> list[FleetEvent]:
    """A run whose last word was said so long ago."""
    shift = int(time.time() * 1000 - minutes * MINUTE_MS) - events[-1].ts
    return [replace(event, ts=event.ts + shift) for event in events]


def recorded() -> list[FleetEvent]:
    """The recorded fleet; most of its lines tell their own time, the others come in between."""
    pipeline, events, ts = Pipeline("claude", prices=load_prices().prices), list[FleetEvent](), 0
    for _, line in recorded_lines():
        events += pipeline.feed(line, now=ts)
        ts = events[-1].ts
    first = next(event.ts for event in events if event.ts)
    return [replace(event, ts=event.ts or first) for event in events + pipeline.finish(ts)]


def asking() -> list[FleetEvent]:
    """A run that waits for a person."""
    story = Story("Tidy up the build folder.").say("Two files are left over.").wait(MINUTE_MS)
    story.tell(
        e.PermissionAsked(
            request_id="r1",
            tool="Bash",
            input_json=Raw(b'{"command": "rm -r build/old", "description": "Remove it"}'),
        )
    )
    return story.events


async def fill(site: Site) -> None:
    """Some runs, as they might be on anyone's machine."""
    await site.append("demo", ago(recorded(), 4))
    await site.append("parser", ago(fleet().events, 30))
    await site.append("build", ago(asking(), 0))
    site.server.services.controllers.register("build", SteeredRun("build"))
    titles = ("Write the release notes", "Why is the login slow?", "Rename Order to Purchase")
    for number, title in enumerate(titles):
        story = Story(title)
        story.spawn("reader").say("Looking.", "reader").spend("reader", tokens=9000 * (number + 1))
        story.wait(90_000 * (number + 1)).end("reader").say("Done.").spend()
        await site.append(f"older-{number}", ago(story.done().events, 60 * (number + 1)))


@asynccontextmanager
async def looking(tab: Page, scheme: str, width: int = 1280) -> AsyncIterator[None]:
    """With these colours, on a screen of this width."""
    await tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    await tab.set_viewport_size({"width": width, "height": 800})
    yield


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_pictures_of_every_page(site: Site, tab: Page, tmp_path: Path, scheme: str) -> None:
    wanted = os.environ.get("UNBRAID_PICTURES") == "1"
    folder = DOCS / "images" if wanted else tmp_path
    folder.mkdir(exist_ok=True)
    await fill(site)

    async def take(name: str) -> None:
        path = folder / f"{name}-{scheme}.png"
        await tab.screenshot(path=path, animations="disabled")
        assert path.stat().st_size > 5000

    async with looking(tab, scheme):
        await tab.goto("/")
        await expect(tab.get_by_role("list", name="Runs").get_by_role("link")).to_have_count(6)
        await take("runs")
        view = await RunView(tab, "demo").open()
        await expect(view.items).to_have_count(5)
        await expect(view.standing).to_have_text("Ended")
        await take("run")
        await view.node("run tester").click()
        await expect(view.pane.get_by_role("article").first).to_be_visible()
        await take("stream")
        await tab.goto("/#/run/build")
        await expect(tab.get_by_role("region", name=re.compile("wants to use"))).to_be_visible()
        await expect(tab.get_by_role("button", name="Approve")).to_be_enabled()
        await take("permission")
    async with looking(tab, scheme, width=390):
        view = await RunView(tab, "demo").open()
        await expect(view.standing).to_have_text("Ended")
        await take("phone")


# Pictures of other programs, taken by hand.
OF_OTHERS = {"phoenix"}


def test_the_pages_show_every_picture_there_is() -> None:
    shown = re.findall(r"\]\(images/([\w-]+)\.png\)", (DOCS / "tutorial.md").read_text())
    there = {path.stem for path in (DOCS / "images").glob("*.png")}
    assert there - OF_OTHERS == set(NAMES)
    assert set(shown) <= there
