"""The page calls its person: the number that wait in the tab's title and on its icon, and every
alert as a notification of the browser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.async_api import Page, expect

from tests.fold.alerts.made import Maker
from tests.web.site import Site
from tests.web.views import becomes
from unbraid.send.alert_service import AlertService
from unbraid.steer.controllers import Controllers
from unbraid.system.clock import now_ms

# The browser's own notifications, noted as they are made; and a person who looks elsewhere.
NOTED = """
  window.noted = [];
  const Real = window.Notification;
  window.Notification = class extends Real {
    constructor(title, options) {
      super(title, options);
      window.noted.push(title);
      window.last = this;
    }
  };
  document.hasFocus = () => false;
"""
RULES = """
[[rule]]
when = ["permission", "failed", "repeats"]
[[budget]]
tokens = 100
"""


async def noted(tab: Page, titles: Sequence[str]) -> None:
    """Wait until there were just these notifications."""
    await tab.wait_for_function("number => noted.length >= number", arg=len(titles))
    assert await tab.evaluate("noted") == titles


async def test_a_page_has_the_number_that_wait_and_notifies_of_every_alert(
    site: Site, tab: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unbraid.fold.alerts.monitor.ALERT_GATHER_MS", 0)
    monkeypatch.setattr("unbraid.fold.alerts.monitor.ALERT_INTERVAL_MS", 0)
    (tmp_path / "alerts.toml").write_text(RULES)
    service = AlertService(
        site.log,
        Controllers(),
        {"UNBRAID_HOME": str(tmp_path)},
        home=tmp_path,
        warn=print,
        pages=site.server.services.alerts,
        tick_seconds=0.02,
    )
    await tab.context.grant_permissions(["notifications"], origin=site.url.rstrip("/"))
    await tab.add_init_script(NOTED)
    first, second = (Maker(begin=now_ms(), step=0) for _ in range(2))
    await site.append("r1", [*first.begin(), first.asked("q1")])
    async with service.running():

        async def alerted() -> bool:
            answer = await tab.context.request.get("/v1/alerts?after=0")
            return bool((await answer.json())["alerts"])

        # Or the page could be there before the first alert.
        await becomes(alerted, True)
        await tab.goto("/")
        await expect(tab).to_have_title(re.compile(r"^\(1\) "))
        icon = tab.locator("link[rel=icon]")
        await expect(icon).to_have_attribute("href", re.compile(quote(">1</text>", safe="")))
        await tab.get_by_role("button", name="Notifications: off").click()
        await expect(tab.get_by_role("button", name="Notifications: on")).to_be_visible()
        # What was alerted of before is no news.
        assert await tab.evaluate("noted") == []

        await site.append("r2", [*second.begin(), second.asked("q2", command="\u202erm\x1b")])
        titles = ["Fix the tests: waits for permission"]
        await noted(tab, titles)
        await expect(tab).to_have_title(re.compile(r"^\(2\) "))
        await tab.evaluate("last.onclick()")
        # The page of a run has a title of its own, and the number stays.
        await expect(tab).to_have_url(re.compile("#/run/r2$"))
        await expect(tab).to_have_title(re.compile(r"^\(2\) .*Fix the tests"))

        # Several of one moment are one.
        third = Maker(begin=now_ms(), step=0)
        events = third.begin()
        for _ in range(5):
            events += third.call("npm test", "no tests")
        await site.append("r3", [*events, third.usage(85, 0.0), third.end()])
        await noted(tab, [*titles, "Fix the tests: repeats itself, has failed, is near its budget"])

        await site.append("r1", [first.replied("q1")])
        await site.append("r2", [second.replied("q2")])
        await expect(tab).to_have_title(re.compile(r"^(?!\()"))
        await expect(icon).to_have_attribute("href", re.compile("mark"))
        await tab.reload()
        await tab.get_by_role("button", name="Notifications: on").click()
        await expect(tab.get_by_role("button", name="Notifications: off")).to_be_visible()
