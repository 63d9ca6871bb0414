"""Claude Code as a backend: the real one against a scripted model, or a program that plays it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from tests.record.run.agents import cli_of
from tests.system.survivors import marked, survivors
from unbraid.agents.claude.backend import ClaudeBackend
from unbraid.events import RelayEvent, TextDelta
from unbraid.testing import Script, ScriptedModel, claude_launch

# It answers every prompt with what `answer(text)` prints, and knows nothing else.
PLAYED = """
import json, os, sys, time
if "--version" in sys.argv:
    print("VERSION (Claude Code)")
    sys.exit()
def line(**record):
    sys.stdout.write(json.dumps(record) + "\\n")
def said(text, number):
    message = {"id": f"msg_{number}", "role": "assistant", "model": "m",
               "content": [{"type": "text", "text": text}], "usage": {}}
    line(type="assistant", message=message, session_id="s", uuid=f"u{number}",
         parent_tool_use_id=None)
def result():
    line(type="result", subtype="success", result="done", session_id="s", is_error=False)
    sys.stdout.flush()
%s
for given in sys.stdin:
    record = json.loads(given)
    if record["type"] == "user":
        answer(record["message"]["content"][0]["text"])
"""


@contextlib.contextmanager
def real(
    version: str, script: Script, home: Path, *, asks: bool = False
) -> Iterator[tuple[ClaudeBackend, ScriptedModel]]:
    """The real CLI; in the end, nothing of it is left."""
    cli = cli_of("claude", version)
    with ScriptedModel(script) as model:
        launch = claude_launch(cli, model.url, home, asks=asks)
        env, mark = marked(launch.env)
        args = launch.argv[len(cli.command) :]
        yield ClaudeBackend(cli.command, args=args, env=env, cwd=launch.cwd), model
        assert survivors(mark) == []


@contextlib.contextmanager
def played(
    home: Path, answer: str, *, start_seconds: float = 60, version: str = "2.1.325"
) -> Iterator[ClaudeBackend]:
    """A program that plays it; in the end, nothing of it is left."""
    program = home / "claude.py"
    program.write_text(PLAYED.replace("VERSION", version) % answer)
    env, mark = marked(dict(os.environ))
    yield ClaudeBackend(
        (sys.executable, str(program)), env=env, cwd=home, start_seconds=start_seconds
    )
    assert survivors(mark) == []


async def said(turn: AsyncIterator[RelayEvent]) -> list[RelayEvent]:
    """A whole turn."""
    return [event async for event in turn]


def text(events: list[RelayEvent], context: str = "") -> str:
    """What an agent has said."""
    return "".join(
        event.delta for event in events if isinstance(event, TextDelta) and event.context == context
    )
