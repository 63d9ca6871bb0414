"""Claude Code as a backend, played by a program: crashes, silence, floods, cancellations."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tracemalloc
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agents.claude.backend_cli import played, said, text
from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.claude.backend import MAX_LINE_BYTES, ClaudeBackend
from unbraid.agents.port import AgentConversation, Backend
from unbraid.agents.turn_limit import MAX_TURN_CHARS
from unbraid.errors import BackendError, CallerError

ANYONE = AgentSpec("anyone")
POLITE = "def answer(text): said('You said ' + text, text); result()"


async def test_it_is_a_backend(tmp_path: Path) -> None:
    with played(tmp_path, POLITE) as backend:
        port: Backend = backend
        async with port.open(ANYONE) as conversation:
            assert hasattr(conversation, "answer")
            speaking: AgentConversation = conversation
            events = await said(speaking.say("hello"))
        await port.close()
    assert text(events) == "You said hello"
    assert isinstance(events[-1], e.TurnComplete)
    assert events[-1].ok


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(min_size=1), min_size=1, max_size=20, unique=True))
def test_every_message_is_answered_in_its_own_turn(tmp_path: Path, messages: list[str]) -> None:
    async def talk() -> list[str]:
        with played(tmp_path, POLITE) as backend:
            async with backend.open(ANYONE) as conversation:
                return [text(await said(conversation.say(each))) for each in messages]

    assert asyncio.run(talk()) == [
        f"You said {' ' if each.startswith('/') else ''}{each}" for each in messages
    ]


async def test_no_message_is_a_command_of_the_cli(tmp_path: Path) -> None:
    with played(tmp_path, POLITE) as backend:
        async with backend.open(ANYONE) as conversation:
            assert text(await said(conversation.say("/clear"))) == "You said  /clear"


@pytest.mark.parametrize("version", ["1.0.128", "2.1.325", "who knows"])
async def test_what_an_agent_is_started_with(version: str, tmp_path: Path) -> None:
    agent = AgentSpec(
        "a", prompt="- Be brief.", model="opus", tools=("Read",), denied=("Bash(rm *)",)
    )
    answer = "def answer(text): said(json.dumps(sys.argv[1:]), 1); result()"
    with played(tmp_path, answer, version=version) as backend:
        async with backend.open(agent) as conversation:
            args = json.loads(text(await said(conversation.say("hello"))))
    assert "--append-system-prompt=- Be brief." in args
    assert "--model=opus" in args
    denied = next(each for each in args if each.startswith("--disallowedTools="))
    assert "Bash(rm *)" in denied
    assert "--include-partial-messages" in args
    assert ("--tools=Read" in args) == (version != "1.0.128")
    assert ("Write" in denied) == (version == "1.0.128")
    assert ("--forward-subagent-text" in args) == (version != "1.0.128")
    assert ("--no-session-persistence" in args) == (version != "1.0.128")


async def test_a_missing_program_says_how_to_go_on(tmp_path: Path) -> None:
    backend = ClaudeBackend(env={"UNBRAID_CLAUDE": f"{tmp_path}/nothing --verbose"}, cwd=tmp_path)
    with pytest.raises(BackendError, match="install Claude Code"):
        async with backend.open(ANYONE):
            raise AssertionError


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("def answer(text): sys.exit('I give up')", "ended with exit code 1: I give up"),
        ("def answer(text): os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
        ("def answer(text): said('begun', 1); sys.stdout.flush(); os._exit(0)", "exit code 0"),
    ],
)
async def test_a_crash_ends_the_turn_with_a_reason(
    tmp_path: Path, answer: str, problem: str
) -> None:
    with played(tmp_path, answer) as backend:
        async with backend.open(ANYONE) as conversation:
            with pytest.raises(BackendError, match=problem) as raised:
                await said(conversation.say("hello"))
            assert raised.value.advice
            with pytest.raises(BackendError):
                await said(conversation.say("are you there?"))


async def test_what_was_said_before_a_crash_was_said(tmp_path: Path) -> None:
    events: list[e.RelayEvent] = []
    answer = "def answer(text): said('begun', 1); sys.stdout.flush(); os._exit(9)"
    with played(tmp_path, answer) as backend:
        async with backend.open(ANYONE) as conversation:
            with pytest.raises(BackendError):
                async for event in conversation.say("hello"):
                    events.append(event)  # noqa: PERF401
    assert text(events) == "begun"


async def test_one_that_never_speaks_is_given_up(tmp_path: Path) -> None:
    silence = "def answer(text): time.sleep(9999)"
    with played(tmp_path, silence, start_seconds=0.3) as backend:
        async with backend.open(ANYONE) as conversation:
            with pytest.raises(BackendError, match=r"silent for 0\.3 s"):
                await said(conversation.say("hello"))


STREAMED = """
def event(**given):
    line(type="stream_event", event=given, session_id="s", parent_tool_use_id=None)
def answer(text):
    event(type="message_start", message={"id": "m", "role": "assistant", "content": []})
    event(type="content_block_start", index=0, content_block={"type": "text", "text": ""})
    for _ in range(1600):
        delta = {"type": "text_delta", "text": "x" * 65536}
        event(type="content_block_delta", index=0, delta=delta)
    result()
"""
WHOLE = """
def answer(text):
    for number in range(1600):
        said("x" * 65536, number)
    result()
"""
READ = """
def answer(text):
    for number in range(1600):
        block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * 65536}
        line(type="user", message={"role": "user", "content": [block]}, session_id="s",
             uuid=f"u{number}")
    said("Read.", "last")
    result()
"""


@pytest.mark.parametrize("flood", [STREAMED, WHOLE], ids=["streamed", "whole"])
async def test_a_flood_of_words_is_ended(tmp_path: Path, flood: str) -> None:
    size = 0
    with played(tmp_path, flood) as backend:
        async with backend.open(ANYONE) as conversation:
            tracemalloc.start()
            try:
                with pytest.raises(BackendError, match="has said more than"):
                    async for event in conversation.say("hello"):
                        size += len(event.delta) if isinstance(event, e.TextDelta) else 0
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
    assert 0 < size <= MAX_TURN_CHARS
    assert peak < 2 * MAX_TURN_CHARS


async def test_a_flood_that_tools_give_is_passed_through(tmp_path: Path) -> None:
    size = 0
    with played(tmp_path, READ) as backend:
        async with backend.open(ANYONE) as conversation:
            tracemalloc.start()
            try:
                async for event in conversation.say("hello"):
                    size += len(event.content) if isinstance(event, e.ToolResult) else 0
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
    assert size == 1600 * 65536
    assert peak < 20 << 20


async def test_a_line_without_an_end_is_reported_and_not_kept(tmp_path: Path) -> None:
    flood = """
def answer(text):
    for _ in range(100):
        sys.stdout.write("x" * (1 << 20))
    sys.stdout.write("\\n")
    said("still here", 1)
    result()
"""
    with played(tmp_path, flood) as backend:
        async with backend.open(ANYONE) as conversation:
            tracemalloc.start()
            try:
                events = await said(conversation.say("hello"))
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
    assert text(events) == "still here"
    assert [event.type for event in events if isinstance(event, e.Malformed)] == ["malformed"]
    assert peak < 3 * MAX_LINE_BYTES


async def test_an_interrupted_turn_is_passed_over_before_the_next(tmp_path: Path) -> None:
    # The rest of the first turn comes only after the interrupt was read.
    answer = """
def answer(text):
    said("begun " + text, text)
    sys.stdout.flush()
    if text == "first":
        assert json.loads(sys.stdin.readline())["request"]["subtype"] == "interrupt"
        said("too late", "late")
    result()
"""
    with played(tmp_path, answer) as backend:
        async with backend.open(ANYONE) as conversation:
            turn = conversation.say("first")
            assert text([await anext(turn)]) == "begun first"
            await turn.aclose()
            assert text(await said(conversation.say("second"))) == "begun second"


async def test_a_permission_request_is_reported_and_answered(tmp_path: Path) -> None:
    answer = """
def answer(text):
    line(type="control_request", request_id="r1", request={"subtype": "can_use_tool",
         "tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "t1"})
    sys.stdout.flush()
    reply = json.loads(sys.stdin.readline())["response"]
    said(json.dumps(reply), text)
    result()
"""
    for behavior, wanted in (
        ("allow", {"behavior": "allow", "updatedInput": {"command": "ls"}}),
        ("deny", {"behavior": "deny", "message": "no"}),
    ):
        events: list[e.RelayEvent] = []
        with played(tmp_path, answer) as backend:
            async with backend.open(ANYONE) as conversation:
                async for event in conversation.say("go"):
                    events.append(event)
                    if isinstance(event, e.PermissionAsked):
                        assert (event.tool, event.input) == ("Bash", {"command": "ls"})
                        with pytest.raises(CallerError):
                            await conversation.answer(event.request_id, "perhaps", None)
                        await conversation.answer(event.request_id, behavior, "no")
                        with pytest.raises(CallerError):
                            await conversation.answer(event.request_id, "allow", None)
        assert json.loads(text(events))["response"] == wanted
        assert [event.behavior for event in events if isinstance(event, e.PermissionReplied)] == [
            behavior
        ]


async def test_one_that_is_killed_between_turns_says_so_at_the_next(tmp_path: Path) -> None:
    with played(tmp_path, POLITE) as backend:
        async with backend.open(ANYONE) as conversation:
            await said(conversation.say("hello"))
            os.kill(conversation.pid, signal.SIGKILL)
            with pytest.raises(BackendError, match="SIGKILL"):
                await said(conversation.say("hello?"))


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.integers(0, 200))
def test_cancelled_at_any_moment_it_leaves_nobody(tmp_path: Path, steps: int) -> None:
    async def talk(backend: ClaudeBackend) -> None:
        async with backend.open(ANYONE) as conversation:
            for number in count():
                await said(conversation.say(str(number)))

    async def cancelled() -> None:
        with played(tmp_path, POLITE) as backend:
            task = asyncio.create_task(talk(backend))
            for _ in range(steps):
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(cancelled())
