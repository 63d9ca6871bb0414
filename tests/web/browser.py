"""A real Chromium, and a watch on what the page does in it.

Whatever a test is about, its page must stay at home and keep quiet: no request to another host, no
console error or warning, nothing thrown.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, ConsoleMessage, Page, Request, async_playwright

# The page may be the third thing that a busy machine is doing.
TIMEOUT_MS = 60_000
SERIOUS = ("serious", "critical")
# What axe answers in full is half a megabyte.
VIOLATIONS = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  return violations.map(({ id, impact, nodes }) => ({
    rule: id, impact, nodes: nodes.map((node) => node.html.slice(0, 200)),
  }));
}"""


class NoChromium(Exception):
    """There is no browser here."""


def chromium() -> str:
    """Debian's Chromium."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        raise NoChromium("no chromium: `make tools` installs it where there is apt")
    return program


@asynccontextmanager
async def started() -> AsyncIterator[Browser]:
    """The browser, as people have it but for its window."""
    # It cannot set up its sandbox as root, and a container's /dev/shm may be small.
    switches = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.getuid() == 0 else [])]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=switches)
        try:
            yield browser
        finally:
            await browser.close()


class Manners:
    """What a page did that it must not do."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.broken: list[str] = []
        self.tolerated: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.broken.append(f"thrown: {error}"))
        page.on("request", self._request)

    def tolerate(self, words: str) -> None:
        """A console message that a test provokes: a server that is away, a refused request."""
        self.tolerated.append(words)

    def check(self) -> None:
        """Fail if there was anything."""
        found = [each for each in self.broken if not any(w in each for w in self.tolerated)]
        if found:
            raise AssertionError("\n".join(found))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.broken.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("blob", "data") and address.hostname != "127.0.0.1":
            self.broken.append(f"request to {request.url}")


async def serious_violations(page: Page) -> list[dict[str, Any]]:
    """What axe holds against the page, minor things left out. What it says of a page that was just
    being drawn has to hold a second time.
    """
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    found: list[dict[str, Any]] = []
    for _ in range(2):
        found = [each for each in await page.evaluate(VIOLATIONS) if each["impact"] in SERIOUS]
        if not found:
            break
    return found
