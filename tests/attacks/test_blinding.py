"""Attack: an agent puts a FIFO, a folder or a device where its watcher expects a transcript.

Whoever opens a FIFO waits for a writer: a watch was frozen by one named `agent-f.jsonl`, and `cat`
hung. Only regular files are opened, without waiting, and everything else is passed over.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.forked import ran
from tests.record.run.agents import UNBRAID
from tests.record.watch.writing import SESSION, Writer, append
from unbraid.log import open_log

MAKERS: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo,
    "folder": Path.mkdir,
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "link to itself": lambda path: path.symlink_to(path),
}
# Where Claude Code puts the transcripts and facts of sub-agents, in its layouts.
PLACES = (
    f"{SESSION}/subagents/agent-f.jsonl",
    f"{SESSION}/subagents/agent-f.meta.json",
    "agent-f.jsonl",
    "22222222-2222-4333-8444-555555555555.jsonl",
)


@pytest.fixture(params=MAKERS)
def writer(request: pytest.FixtureRequest, tmp_path: Path) -> Writer:
    """A session with traps in all places."""
    writer = Writer(tmp_path / ".claude")
    for place in PLACES:
        trap = writer.main.parent / place
        trap.parent.mkdir(parents=True, exist_ok=True)
        MAKERS[request.param](trap)
    agent = writer.main.parent / SESSION / "subagents" / "agent-f.jsonl"
    assert not agent.is_file()
    return writer


def test_cat_ps_and_search_pass_over_it(writer: Writer, tmp_path: Path) -> None:
    append(writer.main, writer.prompt("Find me.") + writer.text("Here I am."))
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "u")}
    for words in (["cat", SESSION], ["tree", SESSION], ["ps", "--all"], ["search", "here"]):
        done = ran(*words, env=env)
        assert done.returncode == 0, done.stderr
        assert "Here I am." in done.stdout or words[0] in ("tree", "ps")


async def test_a_watch_goes_on(writer: Writer, tmp_path: Path) -> None:
    append(writer.main, writer.prompt("Go.") + writer.text("Before."))
    home = tmp_path / "u"
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "UNBRAID_HOME": str(home)}
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "watch", "--no-page", env=env, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(60):
            await _text(home, "Before.")
            append(writer.main, writer.text("After."))
            await _text(home, "After.")
            process.terminate()
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _text(home: Path, text: str) -> None:
    log = await open_log(home / "log.db")
    try:
        async for batch in log.follow(SESSION):
            if any(text.encode() in entry.data for entry in batch):
                return
    finally:
        await log.close()
