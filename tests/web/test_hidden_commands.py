"""Attack: a permission card on the page that shows less than what Approve would run."""

from __future__ import annotations

import json

import pytest
from msgspec import Raw
from playwright.async_api import Page, expect

from tests.web.site import Site
from tests.web.stories import Story
from unbraid import events as e

HIDDEN = {
    "escape": ("ls -la \x1b]\nid > /tmp/x\n", "⟨U+001B⟩"),
    "one-byte escape": ("ls -la \x9b]\nid > /tmp/x\n", "⟨U+009B⟩"),
    "no width": ("ls\u200b -la\nid > /tmp/x", "⟨U+200B⟩"),
    "turned": ("ls -la \u202e\nid > /tmp/x", "⟨RLO⟩"),
    "tags": ("ls \U000e0041\nid > /tmp/x", "⟨U+E0041⟩"),
}


async def asked(site: Site, tab: Page, tool: str, **given: object) -> None:
    """A run whose agent waits for permission."""
    story = Story()
    raw = json.dumps(given).encode()
    request = e.PermissionAsked("", request_id="r1", tool=tool, input_json=Raw(raw))
    story.say("May I?").tell(request)
    await site.log.append("r", story.events)
    await tab.goto("/#/run/r")


@pytest.mark.parametrize("way", HIDDEN)
async def test_the_whole_command_is_on_the_card(way: str, site: Site, tab: Page) -> None:
    command, mark = HIDDEN[way]
    await asked(site, tab, "Bash", command=command, dangerouslyDisableSandbox=True)
    card = tab.get_by_role("region", name="main wants to use Bash")
    await expect(card).to_contain_text("id > /tmp/x")
    await expect(card).to_contain_text(mark)
    # Every other argument changes what is approved, too.
    await expect(card).to_contain_text("dangerouslyDisableSandbox")


async def test_an_edit_is_there_to_its_last_line(site: Site, tab: Page) -> None:
    lines = "\n".join(f"line {number}" for number in range(900)) + "\nthe last one"
    await asked(site, tab, "Write", file_path="/w/a.txt", content=lines)
    card = tab.get_by_role("region", name="main wants to use Write")
    await expect(card).to_contain_text("the last one")
