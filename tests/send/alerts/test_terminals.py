"""`watch` and `top` in a real terminal: they call their person, and never by an agent's words."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.record.run.agents import UNBRAID
from tests.record.run.terminal import TIMEOUT_SECONDS, Terminal, terminal
from tests.record.watch.test_restart import environment
from tests.record.watch.writing import Writer, append

# An agent that would like to be a terminal's master: it sets the title, and calls by itself.
HOSTILE = "\x1b]0;owned\x07\x1b]9;from the agent\x07 fix it"
CALL = re.compile(rb"\x1b\]9;([^\x07\x1b]*)\x07\x07")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    env = {**environment(tmp_path), "UNBRAID_HOME": str(tmp_path / "unbraid")}
    rules = Path(env["UNBRAID_HOME"]) / "alerts.toml"
    rules.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    rules.write_text('[[rule]]\nwhen = "silent"\nafter = "1s"\n')
    writer = Writer(Path(env["CLAUDE_CONFIG_DIR"]))
    writer.timestamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    append(writer.main, writer.prompt(HOSTILE) + writer.text("I am at it."))
    return env


@pytest.mark.parametrize("command", [("watch", "--no-page"), ("top",)], ids=lambda words: words[0])
async def test_a_terminal_is_called(command: tuple[str, ...], env: dict[str, str]) -> None:
    env = {**env, "TERM": "xterm-256color"}
    async with terminal([UNBRAID, *command], env) as person:
        call = await _called(person)
        person.type("q" if command == ("top",) else "\x03")
        assert await person.end() == 0
    words = call.decode()
    assert words.startswith("unbraid: ") and "has been silent while working" in words
    assert b"\x1b]0;owned" not in person.drawn
    assert [found[1] for found in CALL.finditer(person.drawn)] == [call]
    assert b"\x1b]9;from" not in person.drawn


async def _called(person: Terminal) -> bytes:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while (found := CALL.search(person.drawn)) is None:
            await person.read()
    return found[1]
