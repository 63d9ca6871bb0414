"""The page with 100,000 events of 200 agents, in a real Chromium: how long until it can be used,
its longest frame, and what it holds in memory.

    python -m benchmarks.page

Usable means: the timeline lists every agent as it stands at the end, and a frame has been drawn
after that. Frames are measured while someone scrolls, while the run is played back, and while a
live run of as many agents streams.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, Page

from benchmarks.table import Measured, NotMeasured, table
from tests.web.browser import NoChromium, started
from tests.web.stories import Story, crowd
from unbraid.log import SqliteLog

AGENTS = 200
EVENTS = 100_000
LIVE_EVENTS = 5_000
LIVE_EVENTS_PER_SECOND = 1_000
BATCH = 50
ROUNDS = 3
LIMIT_SECONDS = 2.0

FRAMES = """
window.longest = 0;
let last = performance.now();
const frame = (now) => {
  window.longest = Math.max(window.longest, now - last);
  last = now;
  requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
"""
USABLE = """([agents, status]) => {
  const nodes = document.querySelectorAll('[role=tree] [role=treeitem]');
  const [first] = nodes;
  return (
    Number(first?.getAttribute('aria-setsize')) === agents &&
    first.getAttribute('aria-label').includes(status)
  );
}"""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"  # noqa: E501


async def usable(page: Page, url: str, status: str = "done") -> float:
    """Seconds from the click to a page that can be used."""
    await page.goto("about:blank")
    await page.goto(url)
    await page.wait_for_function(USABLE, arg=[AGENTS, status], timeout=120_000)
    return float(await page.evaluate(DRAWN)) / 1000


async def longest(page: Page) -> float:
    """Seconds of the longest frame since the last time of asking."""
    return (
        float(await page.evaluate("() => { const was = longest; longest = 0; return was; }")) / 1000
    )


async def scrolled(page: Page) -> float:
    """The longest frame while the wheel turns over the page."""
    await longest(page)
    await page.mouse.move(640, 600)
    for step in range(80):
        await page.mouse.wheel(0, 400 if step < 60 else -1200)
        await page.evaluate(DRAWN)
    return await longest(page)


async def played(page: Page) -> float:
    """The longest frame while the run is played back."""
    await longest(page)
    await page.get_by_role("combobox", name="Speed").select_option("64")
    await page.get_by_role("button", name="Play").click()
    # It ends by itself.
    await page.get_by_role("button", name="Play").wait_for(timeout=120_000)
    return await longest(page)


async def streamed(page: Page, log: SqliteLog, story: Story, sent: int) -> float:
    """The longest frame while events arrive."""
    await longest(page)
    for start in range(sent, len(story.events), BATCH):
        await log.append("live", story.events[start : start + BATCH])
        await asyncio.sleep(BATCH / LIVE_EVENTS_PER_SECOND)
    await page.evaluate(DRAWN)
    return await longest(page)


async def held(page: Page) -> float:
    """Megabytes of the page's heap, garbage taken away."""
    session = await page.context.new_cdp_session(page)
    await session.send("HeapProfiler.collectGarbage")
    return float((await session.send("Runtime.getHeapUsage"))["usedSize"]) / 1e6


@asynccontextmanager
async def served(path: Path) -> AsyncIterator[str]:
    """A server of its own over a log; its address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "unbraid", "serve", "--port", "0", "--log", str(path),
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        while found := await process.stderr.readline():
            if address := re.search(rb"http://\S+", found):
                yield address[0].decode()
                break
    finally:
        process.terminate()
        await process.wait()


async def measured(browser: Browser, folder: Path) -> list[Measured]:
    """All of it."""
    over, live = crowd(AGENTS, EVENTS), crowd(AGENTS, EVENTS // 10 + LIVE_EVENTS, over=False)
    log = await SqliteLog.open(folder / "log.db")
    sent = len(live.events) - LIVE_EVENTS
    for run, events in (("over", over.events), ("live", live.events[:sent])):
        for start in range(0, len(events), 5000):
            await log.append(run, events[start : start + 5000])
    async with served(folder / "log.db") as url:
        page = await browser.new_page(viewport={"width": 1280, "height": 900})
        await page.add_init_script(FRAMES)
        await page.goto(url)  # the link that lets it in
        url = url.partition("login")[0]
        opened = sorted([await usable(page, f"{url}#/run/over") for _ in range(ROUNDS)])
        megabytes = await held(page)
        scrolling, playing = await scrolled(page), await played(page)
        await usable(page, f"{url}#/run/live", "working")
        streaming = await streamed(page, log, live, sent)
    await log.close()
    worst = f"{len(over.events)} events of {AGENTS} agents, {opened[-1]:.2f} s at worst of {ROUNDS}"
    frames = {
        "scrolling": scrolling,
        "playback at 64x": playing,
        f"{LIVE_EVENTS_PER_SECOND} events/s": streaming,
    }
    return [
        Measured("page usable after", opened[0], "s", at_most=LIMIT_SECONDS, detail=worst),
        Measured("page, memory held", megabytes, "MB"),
        *(Measured(f"page, longest frame, {n}", s * 1e3, "ms") for n, s in frames.items()),
    ]


async def run() -> list[Measured]:
    """Start a browser and measure."""
    with tempfile.TemporaryDirectory() as folder:
        async with started() as browser:
            return await measured(browser, Path(folder))


def main() -> list[Measured]:
    """Measure, or say why not."""
    try:
        return asyncio.run(run())
    except NoChromium as reason:
        raise NotMeasured(str(reason)) from None


if __name__ == "__main__":
    print(table(main()))
