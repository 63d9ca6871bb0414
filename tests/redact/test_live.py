"""`--redact`: no secret is stored or shown, whoever dies in the middle of one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from tests.access import visitor
from tests.record.run.agents import (
    UNBRAID,
    events_of,
    log_path,
    logged,
)
from tests.record.run.test_passing import start
from tests.record.run.test_serving import ADDRESS
from tests.record.watch.test_restart import environment, heard, reached
from tests.record.watch.writing import HOURS_AGO, SESSION, Writer, append
from tests.redact.secret import KEY, SEEN, bits_in, leaks
from tests.redact.test_lines import claude, cut
from unbraid import events as e
from unbraid.log import Entry, SqliteLog
from unbraid.read.chunk import Chunk
from unbraid.record.recorder import Recorder
from unbraid.record.sessions.stored_sessions import StoredSessionList


@contextlib.asynccontextmanager
async def killed(env: dict[str, str], *options: str) -> AsyncIterator[None]:
    """A watch that is killed at the end of the block, which has not for ever."""
    process = await asyncio.create_subprocess_exec(UNBRAID, "watch", "--no-page", *options, env=env)
    try:
        async with asyncio.timeout(60):
            yield
    finally:
        process.kill()
        await process.wait()


async def test_a_watch_that_is_killed_between_any_lines(tmp_path: Path) -> None:
    """Also where a file's first and last bytes, by which it is known again, are redacted ones."""
    dice, env = random.Random(5), environment(tmp_path)
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.prompt(f"[[main]] Go with {KEY}."))
    log = await SqliteLog.open(log_path(tmp_path))
    for kill in range(12):
        async with killed(env, "--redact"):
            summary = await log.run(SESSION)
            last_seq = 0 if summary is None else summary.last_seq
            for number in range(dice.randrange(2, 10)):
                data = writer.text(f"{kill}.{number} {KEY}")
                place = dice.randrange(len(data))
                append(writer.main, data[:place])
                await asyncio.sleep(0)
                append(writer.main, data[place:])
            await heard(log, reached(last_seq + dice.randrange(1, 4)))
        assert not leaks(log_path(tmp_path).parent)
    async with killed(env, "--redact"):
        append(writer.main, writer.text("the end"))
        await heard(log, partial(told_in, b"the end"))
    assert {source.partition("@")[2] for source in await log.offsets(SESSION)} == {"", "1+0"}
    await log.close()
    ((run, events),) = (await logged(tmp_path)).items()
    assert run == SESSION
    texts = [event.delta for event in events if isinstance(event, e.Text)]
    assert texts == [words.replace(KEY, SEEN) for words in writer.said]
    assert not leaks(log_path(tmp_path).parent)


def told_in(words: bytes, entry: Entry) -> bool:
    """Whether an event has these words."""
    return words in entry.data


async def test_a_run_that_was_begun_in_clear_goes_on_redacted(tmp_path: Path) -> None:
    env, writer = environment(tmp_path), Writer(tmp_path / "claude")
    log = await SqliteLog.open(log_path(tmp_path))
    for options in ((), ("--redact",), (), ("--redact",)):
        append(writer.main, writer.text(f"{len(writer.said)} {KEY}"))
        async with killed(env, *options):
            await heard(log, partial(told_in, f"{len(writer.said) - 1} sk-".encode()))
    await log.close()
    ((run, events),) = (await logged(tmp_path)).items()
    assert run == SESSION
    texts = [event.delta for event in events if isinstance(event, e.Text)]
    assert texts == [f"0 {KEY}", f"1 {SEEN}", f"2 {KEY}", f"3 {SEEN}"]


async def test_an_agent_that_dies_within_a_secret(tmp_path: Path) -> None:
    """What is held at its end is shown: it never became one."""
    text = f"Take {KEY} or token"
    data = b"".join(claude(text, cut(text, list(range(0, 100, 3))))[:-4])
    process = await start(tmp_path, "pipe", "--redact")
    assert (await process.communicate(data))[0] == data
    log = await SqliteLog.open(tmp_path / "unbraid" / "log.db")
    (run,) = await log.runs()
    events = await events_of(log, run)
    await log.close()
    words = "".join(event.delta for event in events if isinstance(event, e.Text))
    assert words == f"Take {SEEN} or token"
    assert isinstance(events[-1], e.Done)
    assert not leaks(tmp_path / "unbraid")


async def test_a_session_of_the_past_is_redacted_when_it_is_opened(tmp_path: Path) -> None:
    home, writer = tmp_path / "unbraid", Writer(tmp_path / "claude", timestamp=HOURS_AGO)
    append(writer.main, writer.prompt(f"Go with {KEY}.") + writer.text(f"I use {KEY}."))
    os.utime(writer.main, (time.time() - 3600,) * 2)
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    log = await SqliteLog.open(home / "log.db")
    # An index from before anyone wanted it redacted.
    await StoredSessionList(log, env, home).read(print)
    assert leaks(home)
    stored = StoredSessionList(log, env, home, redact=True)
    await stored.read(print)
    (listed,) = await stored.runs()
    assert listed.title == f"Go with {SEEN}."
    opened = await stored.open(SESSION)
    assert opened is not None
    assert (opened.title, opened.status) == (listed.title, "done")
    events = await events_of(log, opened)
    assert [event.delta for event in events if isinstance(event, e.Text)] == [f"I use {SEEN}."]
    assert not leaks(home)
    await log.close()
    assert not leaks(home)


@pytest.mark.parametrize(
    "argv",
    [
        ("watch", "--redact", "--port", "0"),
        ("run", "--redact", "--serve", "--port", "0", "--", "cat"),
    ],
    ids=["watch", "run"],
)
async def test_the_page_redacts_what_is_in_the_log_already(
    argv: tuple[str, ...], tmp_path: Path
) -> None:
    text = f"I use {KEY}."
    before = await start(tmp_path, "pipe")
    await before.communicate(b"".join(claude(text, [text])))
    assert leaks(tmp_path / "unbraid")
    process = await start(tmp_path, *argv)
    assert process.stdin is not None and process.stderr is not None
    async with asyncio.timeout(60):
        while not (found := ADDRESS.search(await process.stderr.readline())):
            pass
        async with visitor(found[1].decode()) as client:
            page = (await client.get("/v1/runs/s/events")).content
        process.stdin.close()
        process.terminate()
        await process.wait()
    assert f"I use {SEEN}.".encode() in page
    assert not bits_in(page)


async def test_an_event_is_redacted_where_no_line_tells(tmp_path: Path) -> None:
    """JSON may spell a letter out; and a recorder that is opened again comes to the same."""
    log = await SqliteLog.open(tmp_path / "log.db")
    recorder = await Recorder.open(log, "r", redact=True)
    spelled = b"".join(claude(f"I use {KEY}.", [])[:1] + claude(f"I use {KEY}.", [])[-4:-3])
    spelled = spelled.replace(b"sk-", rb"\u0073k-")
    assert await recorder.feed([Chunk("out", 0, spelled)], 1)
    again = await Recorder.open(log, "r", redact=True)
    await again.finish(2)
    (run,) = await log.runs()
    words = [event.delta for event in await events_of(log, run) if isinstance(event, e.Text)]
    assert words == [f"I use {SEEN}."]
    await log.close()


async def test_the_option_is_not_taken_where_it_does_nothing(tmp_path: Path) -> None:
    process = await start(tmp_path, "--redact", "run", "--", "echo", "started")
    out, err = await process.communicate()
    assert (out, process.returncode) == (b"", 2)
    assert b"put --redact after the command" in err
