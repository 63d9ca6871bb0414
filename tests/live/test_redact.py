"""`--redact`: no secret is stored, sent or shown; every other word is there, once."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import signal
import socket
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.hub.test_redact import BODY, claude, cut
from tests.invariants import check
from tests.live.agents import (
    UNBRAID,
    cli_of,
    events_of,
    log_path,
    logged,
    play,
    verdict,
)
from tests.live.test_passing import start
from tests.live.test_restart import environment, heard, reached, watch_and_die
from tests.live.test_sending import arrived
from tests.live.test_server import rows_of, served
from tests.live.test_serving import ADDRESS, address_of
from tests.live.test_watch_clis import whole
from tests.live.writing import SESSION, Writer, append
from tests.said import CLEAN, joined, told
from unbraid import events as e
from unbraid.live.archive import Archive
from unbraid.live.recorder import Recorder
from unbraid.log import Entry, SqliteLog
from unbraid.serve import Limits, ServeConfig, serving
from unbraid.sources.session import Fed
from unbraid.testing import Recording, Script, ScriptedModel, Spawn, Thinking, bash, say
from unbraid.testing.launch import claude_launch
from unbraid.testing.process import Child

KEY = "sk-" + "ant-" + BODY
SEEN = "sk-" + "ant-" + "*" * len(BODY)
# Bits that are shorter stand in many a word.
BITS = [BODY[at : at + 4].encode() for at in range(len(BODY) - 3)]

FLEET = Script(
    {
        "main": [
            say(
                Thinking(f"It is {KEY}, so."),
                f"I use {KEY} now.",
                bash(f"echo {KEY}"),
                chunk_chars=5,
            ),
            say("Now a helper.", Spawn("kid", prompt=f"Use {KEY}.")),
            say(f"Both of us had {KEY}, and that is all.", chunk_chars=4),
        ],
        "kid": [
            say(f"The helper has {KEY} too.", bash(f"printf {KEY}"), chunk_chars=6),
            say(f"It gives back {KEY}", chunk_chars=7),
        ],
    },
    "redacted",
)
GO = f"[[main]] Go with {KEY}."
PARTIAL = ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages", GO]


def leaks(*folders: Path, pattern: str = "*") -> list[tuple[Path, bytes]]:
    """Files with a bit of the key, and which."""
    found = []
    for path in itertools.chain.from_iterable(folder.rglob(pattern) for folder in folders):
        with contextlib.suppress(OSError):
            data = path.read_bytes() if path.is_file() else b""
            found += [(path, bit) for bit in BITS if bit in data]
    return found


def masked(recording: Recording) -> Recording:
    """The same with the truth as it may be seen."""
    for block in recording.truth["blocks"]:
        for kind in ("text", "thinking"):
            if kind in block:
                block[kind] = block[kind].replace(KEY, SEEN)
    return recording


def calls_are_masked(events: Sequence[e.FleetEvent]) -> None:
    """What the shell was told, and what it said."""
    calls = [event for event in events if isinstance(event, e.FleetToolUse)]
    commands = [call.input["command"] for call in calls if "command" in call.input]
    assert sorted(commands) == [f"echo {SEEN}", f"printf {SEEN}"]
    shell = {call.tool_use_id for call in calls if "command" in call.input}
    results = [event for event in events if isinstance(event, e.FleetToolResult)]
    told = [result.content.strip() for result in results if result.tool_use_id in shell]
    assert told == [SEEN, SEEN]


def everything_once(
    recording: Recording, events: list[e.FleetEvent], folder: Path, *, live: bool = True
) -> None:
    """All that the model said, masked, under its agent; of what we started, also in its order."""
    found = verdict(masked(recording), events, folder / "recording")
    assert (found if live else found._replace(disordered=[])) == CLEAN
    calls_are_masked(events)


@contextlib.asynccontextmanager
async def elsewhere(path: Path, port: int = 0) -> AsyncIterator[str]:
    """Another machine's server, which masks nothing by itself."""
    log = await SqliteLog.open(path)
    config = ServeConfig(port=port, limits=Limits(shutdown_seconds=1))
    try:
        async with serving(config, log) as server:
            yield server.url
    finally:
        await log.close()


async def shown(client: httpx.AsyncClient, ours: Path) -> bytes:
    """All that a page is sent until its server goes; and nothing may lie around meanwhile."""
    seen = b""
    with contextlib.suppress(httpx.RemoteProtocolError):
        async with client.stream("GET", "/v1/events?since=0") as answer:
            async for chunk in answer.aiter_bytes():
                seen += chunk
                assert not leaks(ours)
    return seen


# --- the real CLIs --------------------------------------------------------------------------------


@pytest.mark.cli
@pytest.mark.parametrize("version", ["2.0.76", "2.1.325"])
async def test_a_run_of_claude_code(version: str, tmp_path: Path) -> None:
    home, theirs = tmp_path / "home", tmp_path / "theirs" / "log.db"
    ours = log_path(home).parent
    cli = cli_of("claude", version)
    async with asyncio.timeout(120), elsewhere(theirs) as url:
        with ScriptedModel(FLEET) as model:
            launch = claude_launch(cli, model.url, home, PARTIAL)
            options = ("--redact", "--serve", "--port", "0", "--to", url)
            argv = [UNBRAID, "run", *options, "--", *launch.argv]
            child = await Child.start(argv, launch.env, launch.cwd)
            try:
                page = await address_of(child)
                async with httpx.AsyncClient(base_url=page, timeout=60, trust_env=False) as client:
                    showing = asyncio.create_task(shown(client, ours))
                    lines = [line async for _, line in child.lines()]
                    seen = await showing
                assert await child.wait() == 0
            finally:
                await child.stop()
            recording = Recording(FLEET.name, version, "partial", {}, lines=lines)
            recording.truth = model.truth
    assert KEY.encode() in b"\n".join(lines), "what the agent prints is its own"
    assert SEEN.encode() in seen
    assert not [bit for bit in BITS if bit in seen]
    assert not leaks(ours, theirs.parent)
    (events,) = (await logged(home)).values()
    for log in (events, await arrived(theirs)):
        check(log)
        everything_once(recording, log, tmp_path)


@pytest.mark.cli
async def test_a_pipe_and_its_outbox(tmp_path: Path) -> None:
    home, theirs = tmp_path / "home", tmp_path / "theirs" / "log.db"
    ours = log_path(home).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    pipe = [UNBRAID, "pipe", "--redact", "--to", f"http://127.0.0.1:{port}", "--linger", "0"]
    recording = await play("2.1.325", FLEET, home, PARTIAL, prefix=(), suffix=pipe)
    assert KEY.encode() in b"\n".join(recording.lines)
    (waiting,) = (ours / "outbox").iterdir()
    assert SEEN.encode() in waiting.read_bytes()
    assert not leaks(ours)
    (events,) = (await logged(home)).values()
    check(events)
    everything_once(recording, events, tmp_path)
    async with elsewhere(theirs, port):
        later = await start(home, "deliver", UNBRAID_HOME=str(ours))
        out, err = await later.communicate()
        assert out.endswith(b"arrived\n"), err
    assert not leaks(theirs.parent)
    everything_once(recording, await arrived(theirs), tmp_path)


@pytest.mark.cli
async def test_a_run_of_opencode(tmp_path: Path) -> None:
    args = ["run", "--model", "scripted/one", GO]
    prefix = (UNBRAID, "run", "--redact", "--")
    recording = await play("opencode 1.18.33", FLEET, tmp_path, args, prefix=prefix)
    assert recording.exit == 0
    assert KEY.encode() in b"\n".join(recording.lines)
    assert not leaks(log_path(tmp_path).parent)
    (events,) = (await logged(tmp_path)).values()
    check(events)
    everything_once(recording, events, tmp_path)


@contextlib.asynccontextmanager
async def watched(home: Path, *argv: str) -> AsyncIterator[str]:
    """A watch of this home, and the address of its page."""
    env = claude_launch(cli_of("claude", "2.1.325"), "http://127.0.0.1:1", home).env
    process = await asyncio.create_subprocess_exec(
        UNBRAID, *argv, env=env, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        told = b""
        while not ((found := ADDRESS.search(told)) and b" tokens\n" in told):
            told += await process.stderr.readline()
        yield found[1].decode()
        process.send_signal(signal.SIGTERM)
        _, rest = await process.communicate()
        assert process.returncode == 0
        assert not [bit for bit in BITS if bit in told + rest]
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.cli
@pytest.mark.parametrize("version", ["2.1.325", "opencode 1.18.33"])
async def test_a_bare_watch(version: str, tmp_path: Path) -> None:
    ours = log_path(tmp_path).parent
    args = ["run", "--model", "scripted/one", GO] if " " in version else ["-p", GO]
    async with contextlib.AsyncExitStack() as stack:
        async with watched(tmp_path, "--redact") as page:
            client = httpx.AsyncClient(base_url=page, timeout=60, trust_env=False)
            await stack.enter_async_context(client)
            showing = asyncio.create_task(shown(client, ours))
            recording = await play(version, FLEET, tmp_path, args, prefix=())
            runs = (await client.get("/v1/runs")).content
        seen = await showing
    assert SEEN.encode() in seen
    assert SEEN.encode() in runs
    assert not [bit for bit in BITS if bit in seen + runs]
    assert not leaks(ours)
    (events,) = (await logged(tmp_path)).values()
    whole(events)
    everything_once(recording, events, tmp_path, live=False)


@pytest.mark.cli
@pytest.mark.parametrize("version", ["2.1.325", "opencode 1.18.33"])
async def test_a_watch_that_is_killed_beside_real_agents(version: str, tmp_path: Path) -> None:
    ours, died = log_path(tmp_path).parent, asyncio.Event()
    args = ["run", "--model", "scripted/one", GO] if " " in version else ["-p", GO]
    env = claude_launch(cli_of("claude", "2.1.325"), "http://127.0.0.1:1", tmp_path).env
    log = await SqliteLog.open(log_path(tmp_path))

    def on_death() -> None:
        assert not leaks(ours)
        died.set()

    killing = asyncio.create_task(watch_and_die(log, env, on_death, "--redact"))
    recording = await play(version, FLEET, tmp_path, args, prefix=())
    # On a slow machine the agent may be done before any watch is there.
    async with asyncio.timeout(60):
        await died.wait()
    killing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await killing
    async with watched(tmp_path, "watch", "--port", "0", "--redact"):
        pass
    await log.close()
    assert not leaks(ours)
    (events,) = (await logged(tmp_path)).values()
    whole(events)
    everything_once(recording, events, tmp_path, live=False)


@pytest.mark.cli
@pytest.mark.parametrize("database", [True, False], ids=["and its database", "alone"])
async def test_a_watched_server_of_opencode(database: bool, tmp_path: Path) -> None:
    """Its words come bit by bit."""
    async with served(FLEET, tmp_path, asks=False, database=database, redact=True) as server:
        session = await server.begin()
        await server.until(session, e.Text, "all.")
        await server.until(session, e.FleetTokenUsage)
        truth = server.model.truth
    rows = [(agent, kind, words.replace(KEY, SEEN)) for agent, kind, words in rows_of(truth)]
    assert sorted(joined(told(server.events))) == sorted(joined(rows))
    calls_are_masked(server.events)
    assert not leaks(tmp_path, pattern="log.db*")


# --- without them ---------------------------------------------------------------------------------


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
    """Also where a file's first and last bytes, by which it is known again, are masked ones."""
    dice, env = random.Random(5), environment(tmp_path)
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.prompt(GO))
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
    assert {source.partition("@")[2] for source in await log.cursors(SESSION)} == {"", "1+0"}
    await log.close()
    ((run, events),) = (await logged(tmp_path)).items()
    assert run == SESSION
    texts = [event.delta for event in events if isinstance(event, e.Text)]
    assert texts == [words.replace(KEY, SEEN) for words in writer.said]
    assert not leaks(log_path(tmp_path).parent)


def told_in(words: bytes, entry: Entry) -> bool:
    """Whether an event has these words."""
    return words in entry.data


async def test_a_run_that_was_begun_without_masks_goes_on_with_them(tmp_path: Path) -> None:
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
    """What is held at its end is told: it never became one."""
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


async def test_a_session_of_the_past_is_masked_when_it_is_opened(tmp_path: Path) -> None:
    home, writer = tmp_path / "unbraid", Writer(tmp_path / "claude")
    append(writer.main, writer.prompt(f"Go with {KEY}.") + writer.text(f"I use {KEY}."))
    os.utime(writer.main, (time.time() - 3600,) * 2)
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    log = await SqliteLog.open(home / "log.db")
    # An index from before anyone wanted masks.
    await Archive(log, env, home).read(print)
    assert leaks(home)
    archive = Archive(log, env, home, redact=True)
    await archive.read(print)
    (listed,) = await archive.runs()
    assert listed.title == f"Go with {SEEN}."
    opened = await archive.open(SESSION)
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
async def test_the_page_masks_what_is_in_the_log_already(
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
        async with httpx.AsyncClient(base_url=found[1].decode(), trust_env=False) as client:
            page = (await client.get("/v1/runs/s/events")).content
        process.stdin.close()
        process.terminate()
        await process.wait()
    assert f"I use {SEEN}.".encode() in page
    assert not [bit for bit in BITS if bit in page]


async def test_an_event_is_masked_where_no_line_tells(tmp_path: Path) -> None:
    """JSON may spell a letter out; and a recorder that is opened again comes to the same."""
    log = await SqliteLog.open(tmp_path / "log.db")
    recorder = await Recorder.open(log, "r", redact=True)
    spelled = b"".join(claude(f"I use {KEY}.", [])[:1] + claude(f"I use {KEY}.", [])[-4:-3])
    spelled = spelled.replace(b"sk-", rb"\u0073k-")
    assert await recorder.feed([Fed("out", 0, spelled)], 1)
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
    assert b"--redact stands after a command" in err
