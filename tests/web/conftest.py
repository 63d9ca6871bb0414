"""One browser for all tests of the page; a site and a tab for each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.web.browser import TIMEOUT_MS, Manners, NoChromium, chromium, started
from tests.web.site import Site, site_at

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The browser outlives a test, and so must the loop that speaks to it.
    for item in items:
        if HERE in item.path.parents and asyncio.iscoroutinefunction(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    try:
        chromium()
    except NoChromium as reason:
        pytest.skip(str(reason))
    async with started() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


@pytest_asyncio.fixture(loop_scope="session")
async def manners(browser: Browser, site: Site) -> AsyncIterator[Manners]:
    """How the test's tab behaves; checked in the end."""
    context = await browser.new_context(base_url=site.url, reduced_motion="reduce")
    context.set_default_timeout(TIMEOUT_MS)
    expect.set_options(timeout=TIMEOUT_MS)
    # Not in the tab: its first page is the test's.
    await context.request.get(site.server.link())
    manners = Manners(await context.new_page())
    yield manners
    await context.close()
    manners.check()


@pytest.fixture
def tab(manners: Manners) -> Page:
    """A tab of its own, with no page in it yet."""
    return manners.page
