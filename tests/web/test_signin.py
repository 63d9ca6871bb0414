"""The way in, as a person takes it: by a link, by a token, with the keyboard, on a phone."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.web.browser import Manners, serious_violations
from tests.web.site import Site
from tests.web.stories import Story
from tests.web.test_people import FITS
from tests.web.views import RunView, reached
from unbraid.serve import new_token

TOKENS = {"all": new_token("all"), "reader": new_token("reader", ["read"])}
SETTINGS = {"tokens": tuple(token for _, token in TOKENS.values())}


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def guarded(site: Site, manners: Manners) -> AsyncIterator[None]:
    """The site wants a token, and none is ever in an address."""
    manners.tolerate("401")
    await manners.page.context.clear_cookies()
    await site.restart(**SETTINGS)
    await site.append("run", Story().say("Once upon a time.").done().events)
    asked: list[str] = []
    manners.page.on("request", lambda request: asked.append(request.url))
    yield
    assert not [url for url in asked for secret, _ in TOKENS.values() if secret in url]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
async def test_the_page_is_whole_and_accessible(tab: Page, scheme: str, width: int) -> None:
    await tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    await tab.set_viewport_size({"width": width, "height": 800})
    answer = await tab.goto("/")
    assert answer is not None and answer.status == 401
    await expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()
    await expect(tab.get_by_role("main")).to_contain_text("unbraid token add")
    assert await serious_violations(tab) == []
    assert await tab.evaluate(FITS)
    await tab.get_by_label("Token").fill("wrong")
    await tab.get_by_role("button", name="Sign in").click()
    await expect(tab.get_by_role("alert")).to_have_text("Unknown or revoked token.")
    assert await serious_violations(tab) == []
    assert await tab.evaluate(FITS)
    ground = await tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    light = sum(map(int, re.findall(r"\d+", ground)[:3])) > 3 * 128
    assert light == (scheme == "light")


async def test_the_keyboard_leads_in_and_to_the_place_that_was_asked_for(tab: Page) -> None:
    await tab.goto("/#/run/run/0")
    field = tab.get_by_label("Token")
    await expect(field).to_be_focused()
    await tab.keyboard.type("wrong")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("alert")).to_be_visible()
    await expect(field).to_be_focused()
    await expect(field).to_have_value("")
    await tab.keyboard.type(TOKENS["all"][0])
    await reached(tab, tab.get_by_role("button", name="Sign in"))
    await tab.keyboard.press("Enter")
    view = RunView(tab, "run")
    await expect(view.pane).to_contain_text("Once upon a time.")
    assert tab.url.endswith("/#/run/run/0")
    cookies = await tab.context.cookies()
    assert [(each.get("httpOnly"), each.get("sameSite")) for each in cookies] == [(True, "Strict")]
    await tab.reload()
    await expect(view.pane).to_contain_text("Once upon a time.")


async def test_a_token_that_may_only_look_is_let_in_to_look(
    site: Site, tab: Page, manners: Manners
) -> None:
    manners.tolerate("403")
    await tab.goto("/")
    await tab.get_by_label("Token").fill(TOKENS["reader"][0])
    await tab.get_by_role("button", name="Sign in").click()
    await expect(tab.get_by_role("list", name="Runs")).to_contain_text("Tell a story.")
    output = await tab.evaluate(
        "fetch('/v1/runs/run/cancel', {method: 'POST'}).then(a => a.status)"
    )
    assert output == 403


async def test_it_works_where_no_script_does(site: Site, tab: Page) -> None:
    browser = tab.context.browser
    assert browser is not None
    context = await browser.new_context(base_url=site.url, java_script_enabled=False)
    try:
        page = await context.new_page()
        await page.goto("/")
        await page.get_by_label("Token").fill(TOKENS["all"][0])
        await page.get_by_role("button", name="Sign in").click()
        await expect(page).to_have_title("unbraid")
        assert len(await context.cookies()) == 1
    finally:
        await context.close()


async def test_a_link_works_once_and_one_who_is_out_is_shown_how_to_come_in(
    site: Site, tab: Page, manners: Manners
) -> None:
    manners.tolerate("Failed to load resource")
    link = site.server.link()
    await tab.goto(link)
    await expect(tab.get_by_role("list", name="Runs")).to_contain_text("Tell a story.")
    await tab.goto(link)
    await expect(tab.get_by_role("alert")).to_have_text(
        "This link has already been used, or has expired."
    )
    await tab.goto("/")
    await expect(tab.get_by_role("list", name="Runs")).to_contain_text("Tell a story.")
    # A server that was started anew knows who was signed in; one who signs out is out.
    await site.restart(**SETTINGS)
    await tab.reload()
    await expect(tab.get_by_role("list", name="Runs")).to_contain_text("Tell a story.")
    assert await tab.evaluate("fetch('/logout', {method: 'POST'}).then(a => a.status)") == 401
    await expect(tab.get_by_label("Connection: Signed out")).to_be_visible()
    await tab.reload()
    await expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
async def test_one_signs_out_with_the_keyboard(
    site: Site, tab: Page, scheme: str, width: int
) -> None:
    await tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    await tab.set_viewport_size({"width": width, "height": 800})
    await tab.goto(site.server.link())
    await expect(tab.get_by_role("list", name="Runs")).to_contain_text("Tell a story.")
    before = await tab.context.cookies()
    view = await RunView(tab, "run").open()
    await expect(view.items).to_have_count(1)
    button = tab.get_by_role("button", name="Sign out")
    if width == 375:
        # There is no room for it in the bar: it is beside the keys, and not what Enter does first.
        await expect(button).to_have_count(0)
        await tab.keyboard.press("?")
        await expect(tab.get_by_role("button", name="Close")).to_be_focused()
    assert await serious_violations(tab) == []
    assert await tab.evaluate(FITS)
    await reached(tab, button)
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()
    assert await tab.context.cookies() == []
    # The cookie is worth nothing any more, also where someone has kept it.
    kept = [{"name": each["name"], "value": each["value"], "url": site.url} for each in before]
    await tab.context.add_cookies(kept)  # type: ignore[arg-type]
    answer = await tab.goto("/")
    assert answer is not None and answer.status == 401


async def test_one_who_could_not_sign_out_is_not_shown_as_out(
    site: Site, tab: Page, manners: Manners
) -> None:
    manners.tolerate("Failed to load resource")
    await tab.goto(site.server.link())
    await tab.route("**/logout", lambda route: route.abort())
    await tab.get_by_role("button", name="Sign out").click()
    await expect(tab.get_by_role("button", name="Still signed in: try again")).to_be_visible()
