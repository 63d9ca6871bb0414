"""Sessions of orchestrated agents belong to the orchestrator from their first moment on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.orchestrate.fleets import fleet
from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec
from unbraid.log.leases import FileLeases, Leases
from unbraid.orchestrate.orchestrator import Orchestrator

SESSION = "ses_1"


class Conversation:
    """Says one word, in a session that others can see."""

    session = SESSION

    async def say(self, message: str) -> AsyncGenerator[e.RelayEvent, None]:
        yield e.TextDelta("", 0, "m", 0, "Yes.")
        yield e.TurnComplete("", 0, True, "success")


class Backend:
    """Notes what a watch would find while a session begins, and while it lasts."""

    def __init__(self, watch: Leases) -> None:
        self._watch = watch
        self.found: list[bool] = []

    @asynccontextmanager
    async def open(self, agent: AgentSpec) -> AsyncIterator[Conversation]:
        self.found.append(self._watch.another_is_starting())
        yield Conversation()
        self.found.append(self._watch.another_is_starting())
        self.found.append(await self._watch.acquire(SESSION))

    async def close(self) -> None:
        """There is nothing to end."""


async def test_no_watch_can_take_a_session_that_begins_or_lasts(tmp_path: Path) -> None:
    ours, watch = FileLeases(tmp_path), FileLeases(tmp_path)
    backend = Backend(watch)
    async with Orchestrator(
        fleet(), backends={"one": backend}, backend="one", leases=ours, cwd=tmp_path, env={}
    ) as orchestrator:
        events = [event async for event in orchestrator.run("Go.")]
    assert events[-1].type == "done"
    assert backend.found == [True, False, False]
    assert await watch.acquire(SESSION)
    await watch.close(ended=True)
    await ours.close(ended=True)
