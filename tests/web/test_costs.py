"""The page of costs: a chart and a table, for everyone."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.web.browser import serious_violations
from tests.web.site import Site
from tests.web.test_run import fleet

FITS = "document.documentElement.scrollWidth <= innerWidth"


@pytest.mark.parametrize("width", [1280, 375])
async def test_what_was_spent_is_shown_by_what_is_chosen(site: Site, tab: Page, width: int) -> None:
    await tab.set_viewport_size({"width": width, "height": 800})
    await site.append("run", fleet().events)
    await tab.goto("/")
    await tab.get_by_role("link", name="Costs").click()
    total = tab.get_by_role("row").filter(has_text="Total")
    await expect(total).to_contain_text("$0.03")
    # All of it was reported.
    await expect(tab.get_by_role("main")).not_to_contain_text("≈")
    await tab.get_by_role("combobox", name="Group by").select_option("agent")
    await expect(tab.get_by_role("rowheader", name="main")).to_be_visible()
    await expect(total).to_contain_text("$0.03")
    assert await serious_violations(tab) == []
    assert await tab.evaluate(FITS)
    await tab.get_by_role("combobox", name="Period").select_option("1d")
    await expect(tab.get_by_role("main")).to_contain_text("No costs in this period.")
