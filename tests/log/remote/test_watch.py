"""`unbraid watch --to`: a server gets everything of a machine once, whatever happens to either."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from contextlib import suppress
from functools import partial
from pathlib import Path

from tests.access import SECRET
from tests.log.remote.test_delivery import undated
from tests.polling import until
from tests.record.run.agents import UNBRAID, events_of, log_path
from tests.record.run.test_passing import start
from tests.record.watch.test_restart import environment
from tests.record.watch.writing import Writer, append
from tests.serve.test_crash import launched
from unbraid.log import RunSummary, SqliteLog
from unbraid.serve import ServeConfig, ServeLimits, new_token, serving
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run

SESSIONS = [f"00000000-0000-4000-8000-00000000000{number}" for number in range(4)]
OLD = "old"


def token_file(home: Path, secret: str = SECRET) -> Path:
    path = home / "token"
    path.write_text(secret + "\n")
    path.chmod(0o600)
    return path


async def watching(home: Path, url: str, *options: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        UNBRAID, "watch", "--no-page", "--to", url, "--token-file", str(home / "token"), *options,
        env=environment(home), stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def ended(process: asyncio.subprocess.Process) -> str:
    process.terminate()
    _, err = await process.communicate()
    assert process.returncode == 0
    return err.decode()


async def reached(log: SqliteLog, run: str, seq: int) -> None:
    """Waits until a log has an event of a run."""
    await until(partial(log.run, run), lambda found: found is not None and found.last_seq >= seq)


async def test_everything_arrives_once_though_both_sides_are_killed(tmp_path: Path) -> None:
    """Server and watch are killed in turn, in the middle of their work."""
    home, path = tmp_path / "home", tmp_path / "server.db"
    home.mkdir()
    token_file(home)
    dice = random.Random(3)
    writers = [Writer(home / "claude", session) for session in SESSIONS]
    here = await SqliteLog.open(log_path(home))
    await here.append(OLD, sample_run(["long ago"]))
    there = await SqliteLog.open(path)

    async def later(cursor: int) -> bool:
        return (await there.bounds())[1] > cursor

    async with asyncio.timeout(PATIENCE_SECONDS), launched(path) as (launcher, port):
        assert launcher.stdin is not None and launcher.stdout is not None
        watch = await watching(home, f"http://127.0.0.1:{port}")
        for kill in range(4):
            for number in range(40):
                writer = dice.choice(writers)
                append(writer.main, writer.text(f"{kill}.{number}"))
            if kill % 3 != 2:
                launcher.stdin.write(b"go\n")
                output = {(await launcher.stdout.readline()).strip() for _ in range(2)}
                before = (await there.bounds())[1]
                await until(partial(later, before))
                os.kill(int((output - {b"ready"}).pop()), signal.SIGKILL)
            if kill % 2:
                watch.kill()
                await watch.communicate()
                watch = await watching(home, f"http://127.0.0.1:{port}")
        for writer in writers:
            append(writer.main, writer.text("the end"))
        launcher.stdin.write(b"go\n")
        for session in SESSIONS:
            await said(here, session, b"the end")
            await reached(there, session, (await summary(here, session)).last_seq)
        await ended(watch)
        for session in SESSIONS:
            sent, kept = await summary(there, session), await summary(here, session)
            assert sent.machine == "tests" and sent.user
            assert undated(await events_of(there, sent)) == undated(await events_of(here, kept))
        assert await there.run(OLD) is None
    await here.close()
    await there.close()


async def said(log: SqliteLog, run: str, words: bytes) -> None:
    with suppress(StopAsyncIteration):
        async for batch in log.follow(run):
            if any(words in entry.data for entry in batch):
                return


async def summary(log: SqliteLog, run: str) -> RunSummary:
    found = await log.run(run)
    assert found is not None
    return found


async def printed(process: asyncio.subprocess.Process, words: bytes) -> None:
    """Waits until a process has printed something."""
    assert process.stderr is not None
    while words not in (line := await process.stderr.readline()):
        assert line


async def test_history_refusals_and_what_is_left_to_deliver(tmp_path: Path) -> None:
    """Older runs go when they are asked for; one that the server refuses keeps no other from
    arriving; what came while the server was away is left for `deliver`.
    """
    home = tmp_path / "home"
    home.mkdir()
    secret, token = new_token("laptop", ["ingest"])
    token_file(home, secret)
    here = await SqliteLog.open(log_path(home))
    for run in (OLD, "taken", "third"):
        await here.append(run, sample_run([f"key sk-ant-api03-{'Ab3dEf6hIj9lMn2p' * 5}"]))
    there = await SqliteLog.open(tmp_path / "server.db")
    await there.append("taken", sample_run(["by another machine"]))
    config = ServeConfig(port=0, tokens=(token,), limits=ServeLimits(shutdown_seconds=1))
    async with asyncio.timeout(PATIENCE_SECONDS):
        async with serving(config, there) as server:
            url = server.url
            watch = await watching(home, url, "--all", "--redact")
            for run in (OLD, "third"):
                await reached(there, run, 6)
            again = await watching(home, url)
            await printed(again, b"another process on this machine is already sending to")
            await ended(again)
            err = await ended(watch)
            assert "run taken was not accepted: permission denied: laptop did not begin run" in err
            assert "3 runs, 1 behind, 1 refused, since" in err
            sent = await summary(there, OLD)
            assert (sent.machine, sent.status) == ("laptop", "done")
            (words,) = await there.read(OLD, types=["text"])
            assert b"Ab3dEf6hIj9lMn2p" not in words.data and b"***" in words.data
        watch = await watching(home, url)
        writer = Writer(home / "claude", SESSIONS[0])
        append(writer.main, writer.text("unheard"))
        await said(here, SESSIONS[0], b"unheard")
        err = await ended(watch)
        assert "4 runs, 2 behind, since" in err and ": Connection refused; the next start" in err
        port = int(url.rpartition(":")[2])
        async with serving(
            ServeConfig(port=port, tokens=(token,), limits=ServeLimits(shutdown_seconds=1)), there
        ):
            later = await start(home, "deliver", UNBRAID_HOME=str(log_path(home).parent),
                                UNBRAID_TOKEN=secret)  # fmt: skip
            out, _ = await later.communicate()
            assert later.returncode == 1
            assert [line.split()[0::2] for line in out.decode().splitlines()] == [
                ["taken", "not"], [SESSIONS[0], "arrived"],
            ]  # fmt: skip
        await reached(there, SESSIONS[0], 3)
    await here.close()
    await there.close()


async def test_a_log_that_machines_share_is_no_server(tmp_path: Path) -> None:
    for address in ("nats://server:secret@a,b,c/UNBRAID", "tls://a"):
        process = await start(tmp_path, "watch", "--to", address)
        out, err = await process.communicate()
        assert (out, process.returncode) == (b"", 2)
        assert b"with `--log nats://" in err or b"with `--log tls://" in err
        assert b"secret" not in err
