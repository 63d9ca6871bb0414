"""Attack: a permission card on the page that shows less than what Approve would run."""

from __future__ import annotations

import json

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


def request(name: str, tool: str, given: dict[str, object]) -> e.PermissionAsked:
    raw = Raw(json.dumps(given).encode())
    return e.PermissionAsked("", request_id=name, tool=tool, input_json=raw)


async def asked(site: Site, tab: Page, *requests: e.PermissionAsked) -> None:
    """A run whose agent waits for permission."""
    story = Story().say("May I?")
    for each in requests:
        story.tell(each)
    await site.log.append("r", story.events)
    await tab.goto("/#/run/r")


async def test_the_whole_command_is_on_the_card(site: Site, tab: Page) -> None:
    every = [
        request(way, "Bash", {"command": command, "dangerouslyDisableSandbox": True})
        for way, (command, _) in HIDDEN.items()
    ]
    await asked(site, tab, *every)
    cards = tab.get_by_role("region", name="main wants to use Bash")
    await expect(cards).to_have_count(len(HIDDEN))
    for number, (_, mark) in enumerate(HIDDEN.values()):
        card = cards.nth(number)
        await expect(card).to_contain_text("id > /tmp/x")
        await expect(card).to_contain_text(mark)
        # Every other argument changes what is approved, too.
        await expect(card).to_contain_text("dangerouslyDisableSandbox")


async def test_an_edit_is_there_to_its_last_line(site: Site, tab: Page) -> None:
    lines = "\n".join(f"line {number}" for number in range(900)) + "\nthe last one"
    await asked(site, tab, request("r1", "Write", {"file_path": "/w/a.txt", "content": lines}))
    card = tab.get_by_role("region", name="main wants to use Write")
    await expect(card).to_contain_text("the last one")


# Arguments of which the look of a card would show a part, and what must be on it all the same.
OVERLAID: dict[str, tuple[str, dict[str, object], str]] = {
    "a command in parts": (
        "Bash", {"command": ["sh", "-c", "id > /tmp/x"], "description": "List"}, "id > /tmp/x",
    ),
    "two paths": (
        "Write", {"file_path": "/tmp/a", "filePath": "/home/me/.bashrc", "content": "x"}, ".bashrc",
    ),
    "edits beside the edit": (
        "Edit",
        {
            "file_path": "/w/a", "edits": [{"old_string": "a", "new_string": "b"}],
            "old_string": "c", "new_string": "evil()",
        },
        "evil()",
    ),
    "content beside the edit": (
        "Edit",
        {"file_path": "/w/a", "old_string": "a", "new_string": "b", "content": "evil()"},
        "evil()",
    ),
    "more in an edit": (
        "MultiEdit",
        {
            "file_path": "/w/a",
            "edits": [{"old_string": "a", "new_string": "b", "replace_all": True}],
        },
        "replace_all",
    ),
    "an object for a text": (
        "Write", {"file_path": "/w/a", "content": {"evil": 1}, "new_source": "harmless"}, "evil",
    ),
    "a number that would be rounded": (
        "mcp__bank__pay", {"account": 9007199254740993, "cents": 10**30}, "9007199254740993",
    ),
    "and a larger one": ("mcp__bank__pay", {"cents": 10**30 + 1}, str(10**30 + 1)),
}  # fmt: skip


async def test_no_argument_hides_behind_another(site: Site, tab: Page) -> None:
    every = [request(name, tool, given) for name, (tool, given, _) in OVERLAID.items()]
    await asked(site, tab, *every)
    cards = tab.get_by_role("region", name="main wants to use")
    await expect(cards).to_have_count(len(OVERLAID))
    for number, (_, _, wanted) in enumerate(OVERLAID.values()):
        await expect(cards.nth(number)).to_contain_text(wanted)


async def test_another_request_of_the_same_name_is_another_card(site: Site, tab: Page) -> None:
    await asked(site, tab, request("r1", "Bash", {"command": "ls"}))
    card = tab.get_by_role("region", name="main wants to use Bash")
    await expect(card).to_contain_text("$ ls")
    await card.evaluate("each => (each.dataset.seen = 'yes')")
    again = Story().say("May I?")
    for _ in range(2):
        again.tell(request("r1", "Bash", {"command": "id > /tmp/x"}))
    await site.log.append("r", [again.events[-1]])
    await expect(card).to_contain_text("id > /tmp/x")
    assert await card.get_attribute("data-seen") is None


# In Markdown, characters have names and numbers; marks stand on a letter behind joiners, too; and a
# sequence that a terminal would wait for the end of hides all that follows.
async def test_what_an_agent_says_hides_nothing_by_other_means(site: Site, tab: Page) -> None:
    marks = "e" + ("\u0301" * 6 + "\u200d") * 5
    story = Story().say(f"turned &#x202e;txt.exe and &#8203;empty &shy;soft {marks} end")
    story.call("Bash", {"command": "cat notes"}, "first\x1b]0;never ended\nthe last line")
    await site.log.append("r", story.events)
    await tab.goto("/#/run/r")
    words = tab.locator("div.words", has_text="turned")
    for name in ("⟨RLO⟩", "⟨U+200B⟩", "⟨U+00AD⟩"):
        await expect(words).to_contain_text(name)
    # What is out of sight is not laid out, and has no inner text.
    assert (await words.text_content() or "").count("\u0301") == 6
    await tab.get_by_text("cat notes").first.click()
    await expect(tab.get_by_text("the last line").first).to_be_visible()
