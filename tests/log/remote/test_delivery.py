"""`unbraid run --to`: another machine's log gets everything once, whatever happens to it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.access import SECRET, TOKEN
from tests.block_rows import CLEAN
from tests.record.run.agents import UNBRAID, events_of, log_path, logged, play, verdict
from tests.record.run.test_passing import environment, start
from tests.redact.test_lines import claude
from tests.serve.test_crash import launched, lines_of
from unbraid import events as e
from unbraid.log import SqliteLog
from unbraid.send.delivery import DeliveryLedger
from unbraid.serve import ServeConfig, ServeLimits, new_token, serving
from unbraid.testing import assert_fleet

GO = "[[main]] Go."
CONFIG = ServeConfig(port=0, tokens=(TOKEN,), limits=ServeLimits(shutdown_seconds=1))


def undated(events: list[e.FleetEvent]) -> list[e.FleetEvent]:
    """Events without what depends on when they were sent, and by whom."""
    for event in events:
        if isinstance(event, e.RequestReceived):
            event.machine = event.user = None
        event.ts = 0
        if isinstance(event, e.Done | e.FleetToolResult):
            event.duration_ms = None
    return events


async def arrived(path: Path) -> list[e.FleetEvent]:
    """The events of the one run of a log."""
    log = await SqliteLog.open(path)
    try:
        (run,) = await log.runs()
        return await events_of(log, run)
    finally:
        await log.close()


def waiting(home: Path) -> list[str]:
    """The runs that have not arrived, by the ledger of a machine."""
    with contextlib.closing(DeliveryLedger(home)) as ledger:
        return [each.run for each in ledger.waiting()]


async def harass(path: Path, launcher: asyncio.subprocess.Process, killed: list[int]) -> None:
    """Kill the server whenever it has taken in a little more, and start it again."""
    assert launcher.stdin is not None
    assert launcher.stdout is not None
    chance, log = random.Random(11), await SqliteLog.open(path)
    try:
        cursor = 0
        while True:
            launcher.stdin.write(b"go\n")
            output = {(await launcher.stdout.readline()).strip() for _ in range(2)}
            cursor += chance.randint(1, 5)
            async for batch in log.follow_all(0):
                if batch[-1].cursor >= cursor:
                    cursor = batch[-1].cursor
                    break
            pid = int((output - {b"ready"}).pop())
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
    finally:
        await log.close()


@pytest.mark.cli
@pytest.mark.parametrize(
    ("version", "args"),
    [
        ("2.1.325", ["-p", GO]),
        ("opencode 1.18.33", ["run", "--model", "scripted/one", GO]),
    ],
)
async def test_a_server_that_is_killed_again_and_again_gets_all_of_a_real_run(
    version: str, args: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "server.db"
    async with launched(path) as (launcher, port):
        killed: list[int] = []
        harassing = asyncio.create_task(harass(path, launcher, killed))
        url = f"http://127.0.0.1:{port}"
        prefix = (UNBRAID, "run", "--to", url, "--token", SECRET, "--linger", "60", "--")
        recording = await play(version, "deep-fan", tmp_path, args, prefix=prefix)
        harassing.cancel()
        with suppress(asyncio.CancelledError):
            await harassing
    assert recording.exit == 0
    assert len(killed) > 1, "it was hardly tried"
    assert b"does not take" not in recording.stderr
    events = await arrived(path)
    assert_fleet(events)
    assert verdict(recording, events, tmp_path / "recording") == CLEAN
    (here,) = (await logged(tmp_path)).values()
    assert undated(events) == undated(here)
    assert not waiting(log_path(tmp_path).parent)


AGENT = """
import os, sys, time
sys.stdout.write(open("said").read() + str(os.environ))
sys.stdout.flush()
while not os.path.exists("end"):
    time.sleep(0.02)
"""


async def run_of(
    home: Path, data: bytes, *options: str, until: bytes = b"", **env: str
) -> tuple[bytes, bytes, int]:
    """What `unbraid run` prints when an agent prints this, and ends when unbraid has warned of
    something.
    """
    (home / "said").write_bytes(data)
    (home / "end").unlink(missing_ok=True)
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "run", *options, "--", sys.executable, "-c", AGENT, cwd=home,
        env=environment(home) | env,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    reading, err = asyncio.create_task(process.stdout.read()), b""
    while until not in err:
        line = await process.stderr.readline()
        assert line, err
        err += line
    (home / "end").touch()
    err += await process.stderr.read()
    out = await reading
    await process.wait()
    assert process.returncode is not None
    assert out.startswith(data)
    return out, err, process.returncode


async def test_a_server_that_is_away_gets_it_later(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    async with launched(path) as (launcher, port):
        url = f"http://127.0.0.1:{port}"
        away = b"cannot be reached"
        to = ("--to", url, "--linger", "0.1")
        _, err, code = await run_of(tmp_path, lines_of(1), *to, until=away)
        assert code == 0
        assert b"`unbraid deliver` sends the rest" in err
        nothing = await start(tmp_path, "deliver", "--for", "0.1")
        out, _ = await nothing.communicate()
        assert out.endswith(b"not sent\n")
        assert nothing.returncode == 1
        assert launcher.stdin is not None
        launcher.stdin.write(b"go\n")
        later = await start(tmp_path, "deliver")
        out, err = await later.communicate()
        assert out.endswith(b"arrived\n"), err
        assert later.returncode == 0
        again = await start(tmp_path, "deliver")
        assert (await again.communicate())[0] == b""
    log = await SqliteLog.open(tmp_path / "unbraid" / "log.db")
    (here,) = await log.runs()
    assert undated(await arrived(path)) == undated(await events_of(log, here))
    await log.close()


async def test_the_token_is_for_the_server_alone(tmp_path: Path) -> None:
    secret, token = new_token("sender")
    config = ServeConfig(port=0, tokens=(token,), limits=ServeLimits(shutdown_seconds=1))
    log = await SqliteLog.open(tmp_path / "server.db")
    async with serving(config, log) as server:
        to = ("--to", server.url)
        for wrong in ({"UNBRAID_TOKEN": ""}, {"UNBRAID_TOKEN": "wrong"}):
            options, refused = (*to, "--linger", "0.1"), b"does not accept the token"
            _, err, code = await run_of(tmp_path, lines_of(1), *options, until=refused, **wrong)
            assert code == 0
        assert await log.runs() == []
        kept = b"".join(path.read_bytes() for path in (tmp_path / "unbraid/outbox").iterdir())
        assert b"wrong" not in kept
        out, err, code = await run_of(tmp_path, lines_of(2), *to, UNBRAID_TOKEN=secret)
        assert (err, code) == (b"", 0)
        assert secret.encode() not in out
        (run,) = await log.runs()
        assert run.status == "done"
    await log.close()


@pytest.mark.parametrize(
    "url", ["host:8420", "ftp://host", "http://", "http://a:b@host", "http://h?x"]
)
async def test_what_is_no_address_is_reported_before_the_agent_starts(
    url: str, tmp_path: Path
) -> None:
    process = await start(tmp_path, "run", "--to", url, "--", "echo", "started")
    out, err = await process.communicate()
    assert (out, process.returncode) == (b"", 2)
    assert b"not the address of a server" in err


async def test_a_pipe_is_sent_too(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path / "server.db")
    async with serving(CONFIG, log) as server:
        process = await start(tmp_path, "pipe", "--to", server.url)
        out, err = await process.communicate(lines_of(3))
        assert (out, err, process.returncode) == (lines_of(3), b"", 0)
        (run,) = await log.runs()
        assert (run.session_id, run.status) == ("s3", "done")
    await log.close()


async def test_a_run_that_goes_on_is_sent_from_its_beginning(tmp_path: Path) -> None:
    """The log has a part of it from before, which the other machine never got."""
    said = lines_of(4)
    (tmp_path / "said").write_bytes(said)
    half = str(len(said) // 2)
    agent = ("sh", "-c", f"head -c {half} {tmp_path}/said; exec cat")
    process = await start(tmp_path, "run", "--", *agent)
    here = await SqliteLog.open(tmp_path / "unbraid" / "log.db")
    async for batch in here.follow("s4"):
        if any(b"says 100 " in entry.data for entry in batch):
            break
    process.kill()
    assert process.stdin is not None
    process.stdin.close()
    await process.wait()
    log = await SqliteLog.open(tmp_path / "server.db")
    async with serving(CONFIG, log) as server:
        process = await start(tmp_path, "run", "--to", server.url, "--", "cat", f"{tmp_path}/said")
        assert await process.communicate() == (said, b"")
        (run,) = await here.runs()
        (there,) = await log.runs()
        assert undated(await events_of(log, there)) == undated(await events_of(here, run))
        assert there.status == "done"
    await log.close()
    await here.close()


async def test_a_server_that_redacts_gets_no_secret_in_parts(tmp_path: Path) -> None:
    text = "before token=" + "Ab3dEf6hIj9lMn2p" + " after"
    said = b"".join(claude(text, list(text)))
    log = await SqliteLog.open(tmp_path / "server.db")
    config = replace(CONFIG, redact=True)
    async with serving(config, log) as server:
        process = await start(tmp_path, "pipe", "--to", server.url)
        assert process.stdin is not None
        for line in said.splitlines(keepends=True):
            process.stdin.write(line)
            await process.stdin.drain()
        assert await process.communicate(b"") == (said, b"")
        (run,) = await log.runs()
        events = await events_of(log, run)
    words = [event.delta for event in events if isinstance(event, e.Text)]
    assert "".join(words) == f"before token={'*' * 16} after"
    await log.close()
