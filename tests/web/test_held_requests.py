"""A person answers, on the page, a request of a session that was started elsewhere."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from msgspec import Raw
from playwright.async_api import Locator, Page, expect

from tests.polling import PATIENCE_SECONDS, until
from tests.web.browser import serious_violations
from tests.web.site import Site
from tests.web.stories import Story
from unbraid import events as e
from unbraid.agents.claude.hooks.decisions import offers
from unbraid.agents.claude.hooks.session import HookedSession, HookInput
from unbraid.system.clock import now_ms

SESSION = "11111111-2222-4333-8444-555555555555"
RULE = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}],
    "behavior": "allow",
    "destination": "localSettings",
}


class Asking:
    """A session whose hooks ask."""

    def __init__(self, site: Site) -> None:
        self._site, self._story = site, Story()
        self._session = HookedSession(SESSION, lambda name: None)
        self._sent = 0
        self._names: dict[asyncio.Future[bytes], str] = {}

    async def ask(
        self, tool: str, given: dict[str, Any], *, in_terminal: bool = True
    ) -> asyncio.Future[bytes]:
        """The answer to a request, as it will be."""
        data = Raw(json.dumps(given).encode())
        request = HookInput(SESSION, tool_name=tool, tool_input=data, permission_suggestions=[RULE])
        until = None if in_terminal else now_ms() + 300_000
        name, answer = self._session.hold(request, in_terminal=in_terminal, held_until=until)
        self._story.tell(
            e.PermissionAsked(
                "",
                request_id=name,
                tool=tool,
                input_json=data,
                always=offers([RULE]),
                can_edit=True,
                also_in_terminal=in_terminal,
                held_until=until,
            )
        )
        self._site.server.services.controllers.register("r", self._session)
        await self._log()
        self._names[answer] = name
        return answer

    async def record_approval(self, answer: asyncio.Future[bytes]) -> None:
        """Says in the log that a request was approved, as its session does."""
        assert (await decided(answer))["behavior"] == "allow"
        name = self._names[answer]
        self._story.tell(e.PermissionReplied("", request_id=name, behavior="allow"))
        await self._log()

    async def _log(self) -> None:
        await self._site.log.append("r", self._story.events[self._sent :])
        self._sent = len(self._story.events)


async def decided(answer: asyncio.Future[bytes]) -> Any:
    async with asyncio.timeout(PATIENCE_SECONDS):
        data = await answer
    return json.loads(data)["hookSpecificOutput"]["decision"] if data else None


async def test_a_held_request_is_answered_in_every_way(site: Site, tab: Page) -> None:
    asking = Asking(site)
    answer = await asking.ask("Bash", {"command": "npm test"})
    await tab.goto("/#/run/r")
    card = tab.get_by_role("region", name="main wants to use Bash")
    await expect(card).to_contain_text("The first answer counts")
    await card.get_by_text("always allow Bash(npm test *) (localSettings)").click()
    assert await serious_violations(tab) == []
    await card.get_by_role("button", name="Approve").click()
    assert await decided(answer) == {"behavior": "allow", "updatedPermissions": [RULE]}
    await asking.record_approval(answer)

    answer = await asking.ask("Read", {"file_path": "/a\u202eb"}, in_terminal=False)
    card = tab.get_by_role("region", name="main wants to use Read")
    await expect(card.get_by_role("timer")).to_contain_text("Returned to it in")
    await card.get_by_role("button", name="Edit").click()
    box = card.get_by_label("Input to use instead")
    await expect(box).to_have_value('{\n  "file_path": "/a\\u202eb"\n}')
    await box.fill("nothing")
    await expect(card.get_by_role("alert")).to_contain_text("not a JSON object")
    await expect(card.get_by_role("button", name="Approve")).to_be_disabled()
    await box.fill('{"file_path": "/etc/hosts"}')
    await card.get_by_role("button", name="Approve").click()
    decision = {"behavior": "allow", "updatedInput": {"file_path": "/etc/hosts"}}
    assert await decided(answer) == decision
    await asking.record_approval(answer)

    question = {"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}
    answer = await asking.ask("AskUserQuestion", {"questions": [question]})
    card = tab.get_by_role("region", name="main wants to use AskUserQuestion")
    await expect(card.get_by_role("button", name="Approve")).to_be_disabled()
    await card.get_by_role("radio", name="B").check()
    await card.get_by_role("button", name="Approve").click()
    assert (await decided(answer))["updatedInput"]["answers"] == {"Which?": "B"}
    await asking.record_approval(answer)

    answer = await asking.ask("Grep", {"pattern": "x"}, in_terminal=False)
    card = tab.get_by_role("region", name="main wants to use Grep")
    await card.get_by_role("button", name="Return to the terminal").click()
    assert await decided(answer) is None
    await expect(card).to_contain_text("Answer this where the agent runs")

    attendance = site.server.services.controllers.attendance
    assert attendance.seconds == 0
    button = tab.get_by_role("button", name="here")
    await button.click()
    await expect(button).to_have_attribute("aria-pressed", "true")
    await until(lambda: attendance.seconds > 0)
    await button.click()
    await until(lambda: attendance.seconds <= 0)


# Clicks wherever the pointer is as soon as a card has gone or come: no hand is that fast, and some
# mice are.
SECOND_CLICK = """([x, y]) => {
  window.clicked = [];
  const cards = document.querySelector('main') ?? document.body;
  const names = () => [...document.querySelectorAll('section.card')].map((c) => c.ariaLabel).join();
  let before = names();
  new MutationObserver(() => {
    if (names() === before) return;
    before = names();
    setTimeout(() => {
      const hit = document.elementFromPoint(x, y);
      window.clicked.push(hit?.closest('section.card')?.ariaLabel ?? '');
      hit?.click();
    });
  }).observe(cards, { childList: true, subtree: true });
}"""


async def approve_by_mouse(tab: Page, card: Locator) -> None:
    """Clicks on Approve, and then again where it was whenever another card comes or goes."""
    button = card.get_by_role("button", name="Approve")
    await expect(button).to_be_enabled()
    box = await button.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await tab.evaluate(SECOND_CLICK, [x, y])
    await tab.mouse.click(x, y)


async def clicked_on(tab: Page, card: str) -> None:
    """Waits for the second click to hit a card."""
    await until(lambda: tab.evaluate("window.clicked"), lambda clicked: card in clicked)


async def test_a_second_click_does_not_approve_the_next_request(site: Site, tab: Page) -> None:
    asking = Asking(site)
    first = await asking.ask("Bash", {"command": "ls"})
    await tab.goto("/#/run/r")
    await approve_by_mouse(tab, tab.get_by_role("region", name="main wants to use Bash"))
    await asking.record_approval(first)
    next_one = await asking.ask("Write", {"file_path": "/etc/passwd", "content": "x"})
    card = tab.get_by_role("region", name="main wants to use Write")
    await expect(card).to_be_visible()
    await clicked_on(tab, "main wants to use Write")
    approve = card.get_by_role("button", name="Approve")
    await expect(approve).to_be_enabled()
    assert not next_one.done()
    await approve.click()
    assert (await decided(next_one))["behavior"] == "allow"


async def test_a_request_that_moves_to_the_place_of_another_is_not_answered_by_its_click(
    site: Site, tab: Page
) -> None:
    asking = Asking(site)
    first = await asking.ask("Bash", {"command": "ls"})
    second = await asking.ask("Bash", {"command": "rm"})
    await tab.goto("/#/run/r")
    cards = tab.get_by_role("region", name="main wants to use Bash")
    await cards.nth(1).scroll_into_view_if_needed()
    await expect(cards.nth(1).get_by_role("button", name="Approve")).to_be_enabled()
    await cards.nth(0).scroll_into_view_if_needed()
    await approve_by_mouse(tab, cards.nth(0))
    await asking.record_approval(first)
    await clicked_on(tab, "main wants to use Bash")
    await expect(cards.get_by_role("button", name="Approve")).to_be_enabled()
    assert not second.done()
    await cards.get_by_role("button", name="Deny").click()
    assert (await decided(second))["behavior"] == "deny"


async def test_a_request_out_of_view_cannot_be_answered(site: Site, tab: Page) -> None:
    asking = Asking(site)
    for number in range(6):
        await asking.ask("Bash", {"command": f"ls {number}"})
    await tab.goto("/#/run/r")
    cards = tab.get_by_role("region", name="main wants to use Bash")
    await expect(cards.nth(0).get_by_role("button", name="Approve")).to_be_enabled()
    last = cards.nth(5).get_by_role("button", name="Approve")
    await expect(last).to_be_disabled()
    await expect(cards.nth(5).get_by_role("button", name="Deny")).to_be_disabled()
    await cards.nth(5).scroll_into_view_if_needed()
    await expect(last).to_be_enabled()


async def test_a_key_that_is_held_down_does_not_answer(site: Site, tab: Page) -> None:
    asking = Asking(site)
    answer = await asking.ask("Bash", {"command": "ls"})
    await tab.goto("/#/run/r")
    card = tab.get_by_role("region", name="main wants to use Bash")
    await tab.evaluate("addEventListener('keydown', (e) => (window.repeats = e.repeat))")
    for name in ("Approve", "Deny"):
        button = card.get_by_role("button", name=name)
        await expect(button).to_be_enabled()
        await tab.evaluate("document.activeElement.blur()")
        await tab.keyboard.down("Enter")
        await button.focus()
        for _ in range(3):
            await tab.keyboard.down("Enter")
            assert await tab.evaluate("window.repeats")
        await tab.keyboard.up("Enter")
        assert not answer.done()
    await card.get_by_role("button", name="Approve").press("Enter")
    assert (await decided(answer))["behavior"] == "allow"


async def test_a_double_click_answers_once(site: Site, tab: Page) -> None:
    asking = Asking(site)
    answer = await asking.ask("Bash", {"command": "ls"})
    sent: list[str] = []
    tab.on("request", lambda request: sent.append(request.method))
    await tab.goto("/#/run/r")
    card = tab.get_by_role("region", name="main wants to use Bash")
    await card.get_by_role("button", name="Approve").dblclick()
    assert (await decided(answer))["behavior"] == "allow"
    await expect(tab.get_by_role("status").first).to_be_attached()
    assert sent.count("POST") == 1
