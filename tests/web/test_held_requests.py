"""A person answers, on the page, a request of a session that was started elsewhere."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from msgspec import Raw
from playwright.async_api import Page, expect

from tests.web.browser import serious_violations
from tests.web.site import Site
from tests.web.stories import Story
from unbraid import events as e
from unbraid.agents.claude.hooks.session import HookedSession, HookRequest
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
        self._session.run = "r"
        self._sent = 0

    async def ask(
        self, tool: str, given: dict[str, Any], *, in_terminal: bool = True
    ) -> asyncio.Future[bytes]:
        """The answer to a request, as it will be."""
        data = Raw(json.dumps(given).encode())
        request = HookRequest(tool, data, [RULE], agent_id=None, agent_type=None)
        until = None if in_terminal else now_ms() + 300_000
        name, answer = self._session.hold(request, in_terminal=in_terminal, held_until=until)
        self._story.tell(e.PermissionAsked("", request_id=name, tool=tool, input_json=data))
        self._site.server.services.controllers.register("r", self._session)
        await self._site.log.append("r", self._story.events[self._sent :])
        self._sent = len(self._story.events)
        return answer


async def decided(answer: asyncio.Future[bytes]) -> Any:
    async with asyncio.timeout(30):
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

    question = {"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}
    answer = await asking.ask("AskUserQuestion", {"questions": [question]})
    card = tab.get_by_role("region", name="main wants to use AskUserQuestion")
    await expect(card.get_by_role("button", name="Approve")).to_be_disabled()
    await card.get_by_role("radio", name="B").check()
    await card.get_by_role("button", name="Approve").click()
    assert (await decided(answer))["updatedInput"]["answers"] == {"Which?": "B"}

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
    async with asyncio.timeout(30):
        while attendance.seconds <= 0:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        await button.click()
        while attendance.seconds > 0:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
