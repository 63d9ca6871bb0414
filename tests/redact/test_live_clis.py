"""`--redact` before real agents: no secret is stored, sent or shown; every other word is, once."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import httpx
import pytest

from tests.access import SECRET, TOKEN, visitor
from tests.block_rows import CLEAN, joined, logged_rows, rows_of
from tests.log.remote.test_delivery import arrived, waiting
from tests.polling import until
from tests.ports import free_port
from tests.record.run.agents import (
    UNBRAID,
    cli_of,
    log_path,
    logged,
    play,
    verdict,
)
from tests.record.run.test_passing import start
from tests.record.run.test_serving import ADDRESS, address_of
from tests.record.watch.test_opencode_server import served
from tests.record.watch.test_restart import watch_and_die
from tests.record.watch.test_watch_clis import whole
from tests.redact.secret import KEY, SEEN, bits_in, leaks
from unbraid import events as e
from unbraid.log import SqliteLog
from unbraid.serve import ServeConfig, ServeLimits, serving
from unbraid.testing import (
    Recording,
    Script,
    ScriptedModel,
    ScriptedThinking,
    Spawn,
    assert_fleet,
    bash,
    say,
)
from unbraid.testing.launch import claude_launch
from unbraid.testing.process import Child

pytestmark = pytest.mark.cli

FLEET = Script(
    {
        "main": [
            say(
                ScriptedThinking(f"It is {KEY}, so."),
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


def redacted(recording: Recording) -> Recording:
    """The same with the truth as it may be seen."""
    for block in recording.truth["blocks"]:
        for kind in ("text", "thinking"):
            if kind in block:
                block[kind] = block[kind].replace(KEY, SEEN)
    return recording


def calls_are_redacted(events: Sequence[e.FleetEvent]) -> None:
    """What the shell was told, and what it said."""
    calls = [event for event in events if isinstance(event, e.FleetToolUse)]
    commands = [call.input["command"] for call in calls if "command" in call.input]
    assert sorted(commands) == [f"echo {SEEN}", f"printf {SEEN}"]
    shell = {call.tool_use_id for call in calls if "command" in call.input}
    results = [event for event in events if isinstance(event, e.FleetToolResult)]
    output = [result.content.strip() for result in results if result.tool_use_id in shell]
    assert output == [SEEN, SEEN]


def everything_once(
    recording: Recording, events: list[e.FleetEvent], folder: Path, *, live: bool = True
) -> None:
    """All that the model said, redacted, under its agent; of what we started, also in its order."""
    found = verdict(redacted(recording), events, folder / "recording")
    assert (found if live else found._replace(disordered=[])) == CLEAN
    calls_are_redacted(events)


@contextlib.asynccontextmanager
async def elsewhere(path: Path, port: int = 0) -> AsyncIterator[str]:
    """Another machine's server, which redacts nothing by itself."""
    log = await SqliteLog.open(path)
    config = ServeConfig(port=port, tokens=(TOKEN,), limits=ServeLimits(shutdown_seconds=1))
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


@pytest.mark.parametrize("version", ["2.0.76", "2.1.325"])
async def test_a_run_of_claude_code(version: str, tmp_path: Path) -> None:
    home, theirs = tmp_path / "home", tmp_path / "theirs" / "log.db"
    ours = log_path(home).parent
    cli = cli_of("claude", version)
    async with asyncio.timeout(120), elsewhere(theirs) as url:
        with ScriptedModel(FLEET) as model:
            launch = claude_launch(cli, model.url, home, PARTIAL)
            options = ("--redact", "--serve", "--port", "0", "--to", url, "--token", SECRET)
            argv = [UNBRAID, "run", *options, "--", *launch.argv]
            child = await Child.start(argv, launch.env, launch.cwd)
            try:
                page = await address_of(child)
                async with visitor(page) as client:
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
    assert not bits_in(seen)
    assert not leaks(ours, theirs.parent)
    (events,) = (await logged(home)).values()
    for log in (events, await arrived(theirs)):
        assert_fleet(log)
        everything_once(recording, log, tmp_path)


async def test_a_pipe_and_its_outbox(tmp_path: Path) -> None:
    home, theirs = tmp_path / "home", tmp_path / "theirs" / "log.db"
    ours = log_path(home).parent
    port = free_port()
    pipe = [
        UNBRAID,
        "pipe",
        "--redact",
        "--to",
        f"http://127.0.0.1:{port}",
        "--linger",
        "0",
        "--token",
        SECRET,
    ]
    recording = await play("2.1.325", FLEET, home, PARTIAL, prefix=(), suffix=pipe)
    assert KEY.encode() in b"\n".join(recording.lines)
    assert len(waiting(ours)) == 1
    assert not leaks(ours)
    (events,) = (await logged(home)).values()
    assert_fleet(events)
    everything_once(recording, events, tmp_path)
    async with elsewhere(theirs, port):
        later = await start(home, "deliver", UNBRAID_HOME=str(ours))
        out, err = await later.communicate()
        assert out.endswith(b"arrived\n"), err
    assert not leaks(theirs.parent)
    everything_once(recording, await arrived(theirs), tmp_path)


@contextlib.asynccontextmanager
async def watched(home: Path, *argv: str, ours: Path | None = None) -> AsyncIterator[str]:
    """A watch of this home, with a log of its own in `ours`, and the address of its page."""
    env = claude_launch(cli_of("claude", "2.1.325"), "http://127.0.0.1:1", home).env
    if ours is not None:
        env["UNBRAID_HOME"] = str(ours)
    process = await asyncio.create_subprocess_exec(
        UNBRAID, *argv, env=env, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        output = b""
        while not ((found := ADDRESS.search(output)) and b" tokens\n" in output):
            line = await process.stderr.readline()
            assert line, output  # it has ended
            output += line
        yield found[1].decode()
        process.send_signal(signal.SIGTERM)
        _, rest = await process.communicate()
        assert process.returncode == 0
        assert not bits_in(output + rest)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.parametrize("version", ["2.1.325", "opencode 1.18.33"])
async def test_a_bare_watch(version: str, tmp_path: Path) -> None:
    """OpenCode's agent is in a run of ours, too, of which the watch knows nothing."""
    apart, of_opencode = tmp_path / "apart", version.startswith("opencode ")
    ours = log_path(apart).parent
    args = ["run", "--model", "scripted/one", GO] if of_opencode else ["-p", GO]
    prefix = (UNBRAID, "run", "--redact", "--") if of_opencode else ()
    async with contextlib.AsyncExitStack() as stack:
        async with watched(tmp_path, "watch", "--port", "0", "--redact", ours=ours) as page:
            client = await stack.enter_async_context(visitor(page))
            showing = asyncio.create_task(shown(client, ours))
            recording = await play(version, FLEET, tmp_path, args, prefix=prefix)
            # Claude Code's runs are called by their prompt, which has the key.
            title = b"A short title" if of_opencode else SEEN.encode()

            async def is_titled() -> bool:
                runs = (await client.get("/v1/runs")).content
                assert not bits_in(runs)
                return title in runs

            await until(is_titled)
        seen = await showing
    assert recording.exit == 0
    assert SEEN.encode() in seen
    assert not bits_in(seen)
    assert not leaks(ours)
    (events,) = (await logged(apart)).values()
    whole(events)
    everything_once(recording, events, tmp_path, live=False)
    if of_opencode:
        assert KEY.encode() in b"\n".join(recording.lines)
        assert not leaks(log_path(tmp_path).parent)
        (events,) = (await logged(tmp_path)).values()
        assert_fleet(events)
        everything_once(recording, events, tmp_path)


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


async def test_a_watched_server_of_opencode(tmp_path: Path) -> None:
    """Its words come bit by bit: with its database, and alone."""
    async with (
        served(FLEET, tmp_path, redact=True) as server,
        server.watched(tmp_path / "alone", redact=True) as alone,
    ):
        session = await server.begin()
        for watch in (server, alone):
            await watch.until(session, e.Text, "all.")
            await watch.until(session, e.FleetTokenUsage)
        truth = server.model.truth
    rows = [(agent, kind, words.replace(KEY, SEEN)) for agent, kind, words in rows_of(truth)]
    for watch in (server, alone):
        events = watch.output[session]
        assert sorted(joined(logged_rows(events))) == sorted(joined(rows))
        calls_are_redacted(events)
    assert not leaks(tmp_path, pattern="log.db*")
