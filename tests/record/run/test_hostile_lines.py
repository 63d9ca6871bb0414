"""Lines that no decoder takes: the agent goes on, and all the others are in the log."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.forked import NOTHING, ran
from unbraid.log import SqliteLog

SESSION = "0b7b1c9e-6a54-4c39-9e0f-4f5f4ad9a111"
DEEP = b"[" * 100_000 + b"]" * 100_000
HOSTILE = {
    "nested too deep": b'{"type":"brand_new","x":' + DEEP + b"}",
    "nested too deep, of OpenCode's": b'{"type":"text","sessionID":"s","part":' + DEEP + b"}",
    "a request, nested too deep": b'{"type":"control_request","request_id":"r","request":'
    b'{"subtype":"can_use_tool","tool_name":"Bash","input":' + DEEP + b"}}",
    "a request with a number that fits nowhere": b'{"type":"control_request","request_id":"r",'
    b'"request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"n":1e999}}}',
    "a result, nested too deep": b'{"type":"result","usage":' + DEEP + b"}",
}


def said(text: str, session: str = f'"{SESSION}"') -> bytes:
    return (
        b'{"type":"assistant","session_id":%s,"uuid":"u-%s","message":{"id":"m-%s","content":'
        b'[{"type":"text","text":"%s"}]}}' % (session.encode(), *[text.encode()] * 3)
    )


def result(session: str = f'"{SESSION}"') -> bytes:
    return b'{"type":"result","subtype":"success","result":"ok","session_id":%s}' % session.encode()


def unbraid(home: Path, *words: str, given: Path = NOTHING) -> bytes:
    env = os.environ | {"HOME": str(home), "UNBRAID_HOME": str(home / "unbraid")}
    env["PATH"] = f"{home}:{env['PATH']}"
    done = ran(*words, env=env, given=given)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.encode(errors="surrogateescape")


def printing(home: Path, *lines: bytes) -> Path:
    path = home / "printed"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def agent(home: Path) -> None:
    """A program that stands where Claude Code would, and prints what that never would."""
    program = home / "claude"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && exec echo 2.1.325\ncat {home}/printed\n'
    )
    program.chmod(0o755)


async def texts(home: Path) -> list[str]:
    log = await SqliteLog.open(home / "unbraid" / "log.db")
    [run] = await log.runs()
    entries = await log.read(run.run)
    await log.close()
    assert run.status == "done"
    return [word for e in entries for word in ("before", "after") if f'"{word}"'.encode() in e.data]


@pytest.mark.parametrize("line", HOSTILE.values(), ids=list(HOSTILE))
async def test_a_pipe_passes_it_on_and_logs_the_rest(line: bytes, tmp_path: Path) -> None:
    printed = printing(tmp_path, said("before"), line, said("after"), result())
    assert unbraid(tmp_path, "pipe", given=printed) == printed.read_bytes()
    assert {*await texts(tmp_path)} == {"before", "after"}


@pytest.mark.parametrize("options", [[], ["--redact"], ["--steer"]], ids=" ".join)
@pytest.mark.parametrize("line", HOSTILE.values(), ids=list(HOSTILE))
async def test_a_run_shows_its_result_and_logs_the_rest(
    line: bytes, options: list[str], tmp_path: Path
) -> None:
    printing(tmp_path, said("before"), line, said("after"), result())
    agent(tmp_path)
    shown = unbraid(tmp_path, "run", *options, "--", "claude", "-p", "hi")
    assert shown.endswith(b"ok\n")
    assert {*await texts(tmp_path)} == {"before", "after"}


@pytest.mark.parametrize("session", ["5", '["a"]', '"\\ud800"', "{}", "1e999"])
async def test_a_session_of_the_wrong_type_is_no_reason_to_log_nothing(
    session: str, tmp_path: Path
) -> None:
    printed = printing(tmp_path, said("before", session), said("after", session), result(session))
    assert unbraid(tmp_path, "pipe", given=printed) == printed.read_bytes()
    assert {*await texts(tmp_path)} == {"before", "after"}
