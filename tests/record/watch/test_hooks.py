"""Hooks of sessions that we did not start: asked, held, answered, sent messages, stopped.

The hooks are the real commands, run by a shell; the sessions are files as Claude Code writes them.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
import sys
from collections.abc import Awaitable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from tests.polling import until
from tests.record.watch.hooked_session import (
    BASH,
    RULE,
    Watched,
    env_of,
    watched,
)
from tests.record.watch.writing import append
from unbraid.agents.claude.hooks import decisions
from unbraid.agents.claude.hooks.commands import ORDERS, WAIT
from unbraid.agents.control_port import GIVE_BACK, halt
from unbraid.errors import CallerError
from unbraid.events import FleetError, FleetPermissionAsked
from unbraid.machine import Machine
from unbraid.read.notes import RunNote
from unbraid.steer import hooks

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("curl") is None, reason="needs sh and curl"
)

ALLOWED = decisions.allow("Bash", BASH["input"], [], None).decode()


async def test_a_main_agent_is_answered_in_every_way(tmp_path: Path) -> None:
    async with watched(tmp_path) as session:
        folder = session.folder
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "hook.sock").stat().st_mode) == 0o600

        hook = await session.ask(permission_suggestions=[RULE])
        [request] = await session.pending()
        assert (request.run, request.tool, request.input) == (
            session.writer.session, "Bash", BASH["input"],
        )  # fmt: skip
        assert request.also_in_terminal
        assert request.held_until is None
        assert request.always == ["always allow Bash(npm test *) (localSettings)"]
        with pytest.raises(CallerError, match="no such option"):
            await session.answer("allow", always=[1])
        with pytest.raises(CallerError, match="not a valid answer"):
            await session.answer("perhaps")
        await session.answer("allow", always=[0])
        assert await hook.answer() == {
            "hookEventName": "PermissionRequest",
            "decision": {"behavior": "allow", "updatedPermissions": [RULE]},
        }
        hook = await session.ask()
        await session.answer("deny", "Not that one.")
        decision: dict[str, Any] = {"behavior": "deny", "message": "Not that one."}
        assert (await hook.answer())["decision"] == decision
        hook = await session.ask()
        await session.answer("allow", input={"command": "npm run lint"})
        decision = {"behavior": "allow", "updatedInput": {"command": "npm run lint"}}
        assert (await hook.answer())["decision"] == decision
        hook = await session.ask()
        await session.answer("give_back")
        assert await hook.answer() is None

        # A plan that is allowed without its input would stay on the screen.
        hook = await session.ask(tool_name="ExitPlanMode", tool_input={"plan": "1. Do it."})
        await session.answer("allow")
        decision = {"behavior": "allow", "updatedInput": {"plan": "1. Do it."}}
        assert (await hook.answer())["decision"] == decision
        questions: dict[str, Any] = {
            "questions": [{"question": "Which?", "options": [{"label": "A"}]}]
        }
        hook = await session.ask(tool_name="AskUserQuestion", tool_input=questions)
        with pytest.raises(CallerError, match="question"):
            await session.answer("allow")
        with pytest.raises(CallerError, match=r"no question 'What\?'; the questions are 'Which\?'"):
            await session.answer("allow", answers={"What?": "A"})
        await session.answer("allow", answers={"Which?": "A"})
        decision = {"behavior": "allow", "updatedInput": {**questions, "answers": {"Which?": "A"}}}
        assert (await hook.answer())["decision"] == decision

        replies = await session.replies(5)
        assert [(each.behavior, each.by, each.where, each.message) for each in replies] == [
            ("allow", "me", "page", None),
            ("deny", "me", "page", "Not that one."),
            ("allow", "me", "page", None),
            ("allow", "me", "page", None),
            ("allow", "me", "page", None),
        ]
        asked = [e for e in await session.events() if isinstance(e, FleetPermissionAsked)]
        assert [e.tool for e in asked] == ["Bash"] * 4 + ["ExitPlanMode", "AskUserQuestion"]
        assert asked[0].tool_use_id == "toolu_1"
        assert json.loads(bytes(asked[0].input_json)) == BASH["input"]
        assert await session.waiting() == []
    assert sorted(path.name for path in folder.iterdir()) == ["lock"], "nothing is left behind"


async def test_the_person_is_first(tmp_path: Path) -> None:
    async with watched(tmp_path) as session:
        hook = await session.ask()
        [request] = await session.pending()
        await until(session.events)
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
        append(session.writer.main, session.writer.line("user", {"content": [result]}))
        assert await hook.answer() is None
        assert await session.waiting() == []
        [reply] = await session.replies(1)
        assert (reply.request_id, reply.behavior, reply.by) == (request.request_id, "allow", None)
        with pytest.raises(CallerError, match="no pending"):
            await session.answer_to(request.request_id, "allow")

        # The tool that was asked for is used: that is known before the transcript has it.
        hook = await session.ask()
        await session.pending()
        await until((session.folder / "orders").exists)
        used: dict[str, Any] = {"tool_name": "Bash", "tool_input": BASH["input"]}
        for other in ({"agent_id": "a1"}, {"tool_name": "Read"}, {"tool_input": {"command": "ls"}}):
            call = await session.hook(ORDERS, "PostToolUse", **{**used, **other})
            assert await call.said() == (0, "", "")
            await session.pending()
        call = await session.hook(ORDERS, "PostToolUse", **used)
        assert await call.said() == (0, "", "")
        assert await session.waiting() == [], "before the CLI goes on"
        assert await hook.answer() is None
        assert not (session.folder / "orders").exists()

        # Esc in the dialog: the CLI ends the hook.
        hook = await session.ask()
        await session.pending()
        hook.process.terminate()
        await hook.process.wait()
        await session.pending(0)


@pytest.mark.parametrize("given", [{"agent_id": "a1"}, {"entrypoint": "sdk-cli"}])
async def test_what_shows_nothing_is_held_while_somebody_answers(
    tmp_path: Path, given: dict[str, str]
) -> None:
    async with watched(tmp_path) as session:
        controllers = session.machine.controllers
        assert await (await session.ask(**given)).answer() is None, "nobody answers"
        assert await session.waiting() == []
        await controllers.attend("me", 600)
        hooks = [await session.ask(**given) for _ in range(2)]
        for request in await session.pending(2):
            assert not request.also_in_terminal
            assert request.held_until is not None
            assert request.held_until - request.ts == pytest.approx(300_000, abs=2000)
        first = (await session.waiting())[0]
        await session.answer_to(first.request_id, "allow")
        await session.pending(1)
        await controllers.attend("me", 0)
        answers = [await hook.answer() for hook in hooks]
        assert sorted(answer is None for answer in answers) == [False, True], "one is given back"


async def test_messages_and_stops_wait_for_a_tool_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watched(tmp_path) as session:
        spawn = {"type": "tool_use", "id": "toolu_2", "name": "Task", "input": {"prompt": "p"}}
        writer = session.writer
        append(writer.main, writer.answer([spawn]))
        append(writer.child("a1", "toolu_2"), writer.text("one", "a1"))
        # A session can be steered when its hooks have called.
        assert await (await session.hook(WAIT, "Stop", entrypoint="sdk-cli")).said() == (0, "", "")
        waiting = await session.hook(WAIT, "UserPromptSubmit")
        run = writer.session
        held: Any = await until(lambda: session.machine.controllers.own().get(run))
        orders = session.folder / "orders"
        assert not orders.exists()
        await held.message("To the idle one.")
        assert await waiting.said() == (2, "", "To the idle one.")
        # The turn is over, and the hook that waits beside it has not called yet.
        await held.message("In between.")
        waiting = await session.hook(WAIT, "Stop")
        assert await waiting.said() == (2, "", "In between.")
        assert not orders.exists()

        async def calls(event: str, **given: Any) -> Any:
            code, out, err = await (await session.hook(ORDERS, event, **given)).said()
            assert (code, err) == (0, "")
            return json.loads(out) if out else None

        await held.message("First.")
        await held.message("Second.")
        await until(orders.exists)
        assert await calls("PostToolUse", agent_id="a1") is None, "it is for the main agent"
        assert await calls("PreToolUse") is None
        assert await calls("PostToolUse") == {
            "hookSpecificOutput": {
                "hookEventName": "PostToolUse",
                "additionalContext": "First.\n\nSecond.",
            }
        }
        assert not orders.exists()
        await until(lambda: agent_known(session))
        await held.message_agent(1, "To the agent.")
        assert await calls("Stop") is None
        assert await calls("SubagentStop", agent_id="a1") == {
            "decision": "block", "reason": "To the agent.",
        }  # fmt: skip
        await held.stop(1)
        assert await calls("PreToolUse") is None
        stopped = await calls("PreToolUse", agent_id="a1")
        assert (stopped["continue"], stopped["hookSpecificOutput"]["permissionDecision"]) == (
            False, "deny",
        )  # fmt: skip
        assert await calls("PreToolUse", agent_id="a1") is None, "only once"
        await held.interrupt()
        assert (await calls("PreToolUse"))["continue"] is False
        # An older version would ask its model again after a denial: it uses the tool, and stops.
        await held.interrupt()
        for version in ("", "claude-code_2-1-197_harness"):
            assert await calls("PreToolUse", version=version) is None
        stopped = await calls("PostToolUse", version="")
        assert stopped == {"continue": False, "stopReason": decisions.STOPPED}
        # Whatever stops it while its tool runs comes before the next answer of the model.
        await halt(held)
        assert await calls("PostToolUse", agent_id="a1") is None
        stopped = await calls("PostToolUse")
        assert stopped == {"continue": False, "stopReason": decisions.STOPPED}
        assert (await calls("PreToolUse", agent_id="a1"))["continue"] is False
        # Who sends a message after a stop wants it read.
        await held.interrupt()
        await held.message("Go on.")
        assert await calls("PreToolUse") is None
        assert (await calls("PostToolUse"))["hookSpecificOutput"]["additionalContext"] == "Go on."
        # What was to stop is over with the next prompt, but not with a report of an agent.
        await held.interrupt()
        report = {"prompt": "<task-notification>\n<task-id>a1</task-id>"}
        begun, wait = asyncio.Event(), held.wait

        def observed() -> Awaitable[str]:
            begun.set()
            return cast("Awaitable[str]", wait())

        with monkeypatch.context() as patch:
            patch.setattr(held, "wait", observed)
            waiting = await session.hook(WAIT, "UserPromptSubmit", **report)
            await begun.wait()
        assert orders.exists()
        await session.hook(WAIT, "UserPromptSubmit", prompt="Go on.")
        assert await waiting.said() == (0, "", "")
        await until(lambda: not orders.exists())
        # Who asks comes to no tool call: a stop is an answer.
        hook = await session.ask()
        await session.pending()
        await held.cancel()
        decision = (await hook.answer())["decision"]
        assert (decision["behavior"], decision["interrupt"]) == ("deny", True)
        assert (await calls("PreToolUse", agent_id="a1"))["continue"] is False
        assert await calls("PreToolUse") is None, "the main agent has stopped already"
        waiting = await session.hook(WAIT, "UserPromptSubmit")
        await until(lambda: not orders.exists())
        newer = await session.hook(WAIT, "Stop")
        assert await waiting.said() == (0, "", ""), "only the latest waits"
    assert await newer.said() == (0, "", ""), "none is left when nobody listens"


async def agent_known(session: Watched) -> bool:
    from unbraid.steer.resume import agent_of

    try:
        return await agent_of(session.machine.log, session.writer.session, 1) is not None
    except CallerError:
        return False


async def test_a_hook_whose_cli_was_killed_is_let_go(tmp_path: Path) -> None:
    async with watched(tmp_path) as session:
        cli = await asyncio.create_subprocess_exec("sleep", "1000")
        waiting = asyncio.create_task(posted(session, b"wait", process=cli.pid))
        await until(session.machine.controllers.own)
        cli.kill()
        await cli.wait()
        assert (await waiting).startswith(b"HTTP/1.1 200")


async def posted(
    session: Watched, what: bytes, body: bytes | None = None, *, process: int = 0
) -> bytes:
    given = {"session_id": session.writer.session, "transcript_path": str(session.writer.main)}
    body = json.dumps(given).encode() if body is None else body
    reader, writer = await asyncio.open_unix_connection(session.folder / "hook.sock")
    head = b"POST /claude/%s HTTP/1.1\r\nHost: u\r\nProcess: %d\r\nContent-Length: %d\r\n\r\n"
    writer.write(head % (what, process, len(body)) + body)
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_what_is_sent_to_the_socket_answers_nothing(tmp_path: Path) -> None:
    async with watched(tmp_path) as session:
        hook = await session.ask()
        [request] = await session.pending()
        answer = {
            "session_id": session.writer.session,
            "request_id": request.request_id,
            "behavior": "allow",
        }
        for what in (b"answer", b"ask/answer", b"permissions/" + request.request_id.encode()):
            await posted(session, what, json.dumps(answer).encode())
        for body in (b"", b"{", b"[]", b'{"session_id": "../../etc"}', b'{"session_id": 1}'):
            assert (await posted(session, b"ask", body)).startswith(b"HTTP/1.1 400")
        large = json.dumps({**answer, "x": "x" * (17 << 20)}).encode()
        assert (await posted(session, b"orders", large))[:12] in (b"HTTP/1.1 404", b"")
        reader, writer = await asyncio.open_unix_connection(session.folder / "hook.sock")
        writer.write(b"no HTTP at all\r\n\r\n")
        assert await reader.read() == b""
        writer.close()
        assert await session.pending() == [request]
        await session.answer("deny")
        assert (await hook.answer())["decision"]["behavior"] == "deny"


async def test_a_note_of_ours_is_in_the_log_of_whoever_records_it(tmp_path: Path) -> None:
    async with Machine(env=env_of(tmp_path)) as other:
        for text in ("here", "elsewhere", "continued"):
            async with watched(tmp_path) as session:
                controllers = (other if text == "elsewhere" else session.machine).controllers
                note, run = RunNote(text, "budget", 1_000), session.writer.session
                # As soon as its run is open.
                await until(partial(controllers.note, run, note))
                assert not await controllers.note("unknown", note)
        found = await other.log.read(run, 0, 1000, types=("error",))
        errors = [entry.event for entry in found if isinstance(entry.event, FleetError)]
        assert [(each.message, each.code) for each in errors] == [
            ("here", "budget"), ("elsewhere", "budget"), ("continued", "budget"),
        ]  # fmt: skip


async def test_another_process_takes_the_place(tmp_path: Path) -> None:
    async with Machine(env=env_of(tmp_path)) as later:
        async with watched(tmp_path) as session:
            place = session.folder / "hook.sock"
            listening = place.stat().st_ino
            watching = later.watching()
            await watching.__aenter__()
            hook = await session.ask()
            await session.answer("allow")
            assert (await hook.answer())["decision"] == {"behavior": "allow"}
            assert place.stat().st_ino == listening, "one of them listens"
        await until(place.is_socket)
        hook = await session.ask()
        session.machine = later
        await session.answer("allow")
        assert (await hook.answer())["decision"] == {"behavior": "allow"}
        await watching.__aexit__(None, None, None)


async def test_a_session_is_known_by_its_first_tool_call_and_calls_no_more(tmp_path: Path) -> None:
    async with watched(tmp_path) as session:
        callers = session.folder / "callers"
        await (await session.hook(ORDERS, "PreToolUse")).said()
        await until(session.machine.controllers.own)
        assert [path.name for path in callers.iterdir()] == [f"{os.getpid()}-"]
        await (await session.hook(ORDERS, "PostToolUse")).said()
        (session.folder / "stalled").touch()  # somebody got no answer, while we were stopped
        await until(lambda: not (session.folder / "stalled").exists())
    assert not callers.exists()


async def test_who_holds_a_request_says_that_it_is_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "HOOK_BEAT_SECONDS", 0.001)  # curl prints 4 kB at once
    async with watched(tmp_path) as session:
        for behavior in ("allow", GIVE_BACK):
            hook = await session.ask()
            assert hook.process.stdout is not None
            await hook.process.stdout.readline()
            await session.answer(behavior)
            code, out, err = await hook.said()
            assert (code, err) == (0, "")
            assert out.startswith("\n")
            assert out.strip() == ("" if behavior == GIVE_BACK else ALLOWED)
