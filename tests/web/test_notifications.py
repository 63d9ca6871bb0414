"""The page calls its person: the number that wait in the tab's title and on its icon, and
notifications of the browser.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from playwright.async_api import Page, expect

from tests.alerts.made import Maker
from tests.web.site import Site
from unbraid.system.clock import now_ms

# The browser's own notifications, noted as they are made; and a person who looks elsewhere.
NOTED = """
  window.noted = [];
  const Real = window.Notification;
  window.Notification = class extends Real {
    constructor(title, options) {
      super(title, options);
      window.noted.push({ title, body: options.body });
    }
  };
  document.hasFocus = () => false;
"""


async def test_waiting_runs_call_their_person(site: Site, tab: Page) -> None:
    await tab.context.grant_permissions(["notifications"], origin=site.url.rstrip("/"))
    await tab.add_init_script(NOTED)
    first, second = (Maker(begin=now_ms(), step=0) for _ in range(2))
    await site.append("r1", [*first.begin(), first.asked("q1")])
    await site.append("r2", second.begin())
    await tab.goto("/")
    await expect(tab).to_have_title(re.compile(r"^\(1\) "))
    icon = tab.locator("link[rel=icon]")
    assert ">1</text>" in unquote(await icon.get_attribute("href") or "")
    button = tab.get_by_role("button", name="Notifications: off")
    await button.click()
    await expect(tab.get_by_role("button", name="Notifications: on")).to_be_visible()
    # What waited before is no news.
    assert await tab.evaluate("noted") == []

    await site.append("r2", [second.asked("q2", command="\u202erm\x1b")])
    await expect(tab).to_have_title(re.compile(r"^\(2\) "))
    assert await tab.evaluate("noted") == [
        {
            "title": "Waits for permission to use Bash",
            "body": "Fix the tests: permission to use Bash",
        }
    ]
    # The page of a run has a title of its own, and the number stays.
    await tab.goto("/#/run/r1")
    await expect(tab).to_have_title(re.compile(r"^\(2\) .*Fix the tests"))

    await site.append("r1", [first.replied("q1")])
    await site.append("r2", [second.replied("q2")])
    await expect(tab).to_have_title(re.compile(r"^(?!\()"))
    await expect(icon).to_have_attribute("href", re.compile("mark"))
    assert len(await tab.evaluate("noted")) == 1

    await tab.reload()
    await tab.get_by_role("button", name="Notifications: on").click()
    await expect(tab.get_by_role("button", name="Notifications: off")).to_be_visible()
