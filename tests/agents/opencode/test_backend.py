"""OpenCode as a backend, played by a server: floods, hang-ups, refusals, a missing program."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path

import pytest

from tests.agents.opencode.backend_cli import SESSION, Played
from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.opencode.backend import OpenCodeBackend
from unbraid.agents.port import Backend
from unbraid.agents.turn_limit import MAX_TURN_CHARS
from unbraid.errors import BackendError, CallerError
from unbraid.testing.loopback import Exchange

ANYONE = AgentSpec("anyone")


class Flood(Played):
    """A text without an end."""

    async def send_events(self, exchange: Exchange) -> None:
        info = {"id": "msg_1", "sessionID": SESSION, "role": "assistant"}
        part = {"id": "prt_1", "messageID": "msg_1", "sessionID": SESSION, "type": "text"}
        await self.tell(exchange, "session.status", status={"type": "busy"})
        await self.tell(exchange, "message.updated", info=info)
        await self.tell(exchange, "message.part.updated", part={**part, "text": ""})
        while True:
            await self.tell(
                exchange,
                "message.part.delta",
                messageID="msg_1",
                partID="prt_1",
                field="text",
                delta="x" * 65536,
            )


class HangsUp(Played):
    """Says goodbye in the middle, with an agent at work."""

    async def send_events(self, exchange: Exchange) -> None:
        info = {"id": "msg_1", "sessionID": SESSION, "role": "assistant"}
        child = {"id": "ses_child", "parentID": SESSION}
        part = {"id": "prt_1", "messageID": "msg_1", "sessionID": SESSION, "type": "tool"}
        state = {"status": "running", "input": {}, "metadata": {"sessionId": "ses_child"}}
        await self.tell(exchange, "session.status", status={"type": "busy"})
        await self.tell(exchange, "message.updated", info=info)
        await self.tell(exchange, "session.created", info=child)
        task = {**part, "tool": "task", "callID": "call_1", "state": state}
        await self.tell(exchange, "message.part.updated", part=task)
        exchange.cut()


async def test_a_flood_of_words_is_ended(tmp_path: Path) -> None:
    size = 0
    with Flood() as server:
        backend: Backend = OpenCodeBackend(url=server.url, env={}, cwd=tmp_path)
        async with backend.open(ANYONE) as conversation:
            assert hasattr(conversation, "answer")
            tracemalloc.start()
            try:
                with pytest.raises(BackendError, match="has said more than"):
                    async for event in conversation.say("hello"):
                        size += len(event.delta) if isinstance(event, e.TextDelta) else 0
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
        await backend.close()
    assert 0 < size <= MAX_TURN_CHARS
    assert peak < 3 * MAX_TURN_CHARS
    assert f"POST /session/{SESSION}/abort" in server.asked
    assert f"DELETE /session/{SESSION}" in server.asked


async def test_a_server_that_hangs_up_is_reported(tmp_path: Path) -> None:
    with HangsUp() as server:
        backend = OpenCodeBackend(url=server.url, env={}, cwd=tmp_path)
        events = []
        async with backend.open(ANYONE) as conversation:
            with pytest.raises(BackendError, match="another backend"):
                async for event in conversation.say("hello"):
                    events.append(event)  # noqa: PERF401
        await backend.close()
    spawned = [event.context for event in events if isinstance(event, e.SubAgentSpawned)]
    ended = [(event.context, event.ok) for event in events if isinstance(event, e.SubAgentEnded)]
    assert spawned == ["ses_child"]
    assert ended == [("ses_child", False)]


async def test_a_server_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with Played() as server:
        gone = server.url
    backend = OpenCodeBackend(env={"UNBRAID_OPENCODE_URL": gone}, cwd=tmp_path)
    with pytest.raises(BackendError, match=r"127\.0\.0\.1"):
        async with backend.open(ANYONE):
            raise AssertionError
    await backend.close()


async def test_a_session_is_kept_where_that_is_wanted(tmp_path: Path) -> None:
    with Played() as server:
        backend = OpenCodeBackend(url=server.url, env={}, cwd=tmp_path, keeps_sessions=True)
        async with backend.open(ANYONE):
            pass
        await backend.close()
    assert f"DELETE /session/{SESSION}" not in server.asked


async def test_only_requests_that_wait_are_answered(tmp_path: Path) -> None:
    with Played() as server:
        backend = OpenCodeBackend(url=server.url, env={}, cwd=tmp_path)
        async with backend.open(ANYONE) as conversation:
            for behavior in ("allow", "deny", "perhaps"):
                with pytest.raises(CallerError):
                    await conversation.answer("nothing", behavior, None)
        await backend.close()


async def test_a_model_without_a_provider_says_how_to_write_it(tmp_path: Path) -> None:
    with Played() as server:
        backend = OpenCodeBackend(url=server.url, env={}, cwd=tmp_path)
        with pytest.raises(BackendError, match="provider/model"):
            async with backend.open(AgentSpec("anyone", model="sonnet")):
                raise AssertionError
        await backend.close()


async def test_a_missing_program_says_how_to_go_on(tmp_path: Path) -> None:
    backend = OpenCodeBackend(env={"UNBRAID_OPENCODE": str(tmp_path / "nothing")}, cwd=tmp_path)
    with pytest.raises(BackendError, match="install OpenCode"):
        async with backend.open(ANYONE):
            raise AssertionError
    await backend.close()


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import sys; sys.exit('no such port')", "ended with exit code 1: no such port"),
        ("import time; time.sleep(9999)", r"not ready 0\.5 s after its start"),
    ],
)
async def test_a_server_that_does_not_start_says_why(
    code: str, problem: str, tmp_path: Path
) -> None:
    seconds = 0.5 if "0" in problem and "ready" in problem else 60
    command = [sys.executable, "-c", code]
    backend = OpenCodeBackend(command, env={}, cwd=tmp_path, start_seconds=seconds)
    with pytest.raises(BackendError, match=problem):
        async with backend.open(ANYONE):
            raise AssertionError
    await backend.close()
