"""A server's log over HTTP is the log: the same runs, events and places, through any loss."""

from __future__ import annotations

import asyncio
import contextlib
import operator
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.access import SECRET, TOKEN
from tests.polling import until
from tests.record.watch.writing import SESSION, Writer, append
from tests.steer.steered_run import SteeredRun, append_request
from tests.tui.screens import opening, said
from unbraid.agents.control_port import SteeringRequest
from unbraid.errors import CallerError, LogError
from unbraid.fold.status import RunState
from unbraid.log import Entry, MemoryLog
from unbraid.log.remote.client import RemoteServer
from unbraid.log.remote.ingest import RemoteError
from unbraid.log.remote.log import RemoteLog, RemoteStoredSessions
from unbraid.record.sessions.stored_sessions import StoredSessionList
from unbraid.serve import ServeConfig, serving
from unbraid.serve.access import new_token
from unbraid.serve.services import ServeLimits
from unbraid.steer.controllers import Controllers
from unbraid.steer.servers import RemoteControllers
from unbraid.testing.log_contract import gather, sample_run

SOON = ServeLimits(shutdown_seconds=1)


@contextlib.asynccontextmanager
async def distant(
    log: MemoryLog, **parts: Controllers | StoredSessionList
) -> AsyncIterator[RemoteLog]:
    """A real server over a log, and that log as it is seen from elsewhere."""
    config = ServeConfig(port=0, tokens=(TOKEN,), limits=SOON)
    async with (
        serving(config, log, **parts) as server,
        RemoteLog(RemoteServer(server.url, SECRET)) as seen,
    ):
        yield seen


def without_cursors(entries: list[Entry]) -> list[Entry]:
    """They are a log's own."""
    return [replace(entry, cursor=0) for entry in entries]


async def test_it_reads_as_the_log_itself() -> None:
    log = MemoryLog()
    await log.append("one", sample_run([f"word {n} " for n in range(2500)]))
    await log.append("two", sample_run(["a needle"], ok=False))
    async with distant(log) as seen:
        for run in ("one", "two"):
            summary = await log.run(run)
            assert summary is not None
            # What only the log itself goes on with stays there.
            assert await seen.run(run) == replace(summary, bytes=0, state=RunState())
            local = without_cursors(await gather(log.follow(run)))
            assert await gather(seen.follow(run)) == local
            assert await gather(seen.follow(run, 2)) == local[2:]
            assert await gather(seen.follow(run, local[-1].seq)) == []
            assert await seen.read(run, 1, 7) == local[1:8]
            assert await seen.read(run, len(local)) == []
        types = ("stream_start", "done")
        for which in ({"stream_id": 0, "types": types}, {"stream_id": 1}):
            local = without_cursors(await log.read("one", 0, **which))
            assert await seen.read("one", 0, **which) == local
        assert [run.run for run in await seen.runs()] == [run.run for run in await log.runs()]
        assert await seen.run("three") is None
        assert await seen.search("needle", limit=9) == await log.search("needle", limit=9)
        assert await seen.named("tw") == "two"
        with pytest.raises(CallerError, match="run or session not found: x"):
            await seen.named("x")


async def test_what_comes_later_comes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    log = MemoryLog()
    await log.append("one", opening())
    # The version of what it has counts changes alone, not the time.
    monkeypatch.setattr("unbraid.log.remote.log.REMOTE_LIST_REFRESH_SECONDS", 1e9)
    async with distant(log) as seen, asyncio.timeout(60):
        _, before = await until(seen.bounds, lambda bounds: bounds[1] > 0)
        following = seen.follow("one")
        output = await anext(following)
        # A page never waits for what is to come.
        assert await seen.read("one") == output
        await log.append("one", said(0, ["first"], first=3))
        output += await anext(following)
        await log.append("one", sample_run(["first"])[-3:])
        output += [entry async for batch in following for entry in batch]
        assert output == without_cursors(await log.read("one"))
        await until(seen.bounds, lambda bounds: bounds[1] > before)


async def test_a_server_that_goes_and_comes_back() -> None:
    log, texts = MemoryLog(), [f"word {n} " for n in range(40)]
    events = sample_run(texts)
    output: list[Entry] = []
    async with contextlib.AsyncExitStack() as stack:
        first = await stack.enter_async_context(contextlib.AsyncExitStack())
        server = await first.enter_async_context(
            serving(ServeConfig(port=0, tokens=(TOKEN,), limits=SOON), log)
        )
        config = ServeConfig(port=server.port, tokens=(TOKEN,), limits=SOON)
        await log.append("one", events[:20])
        seen = await stack.enter_async_context(RemoteLog(RemoteServer(server.url, SECRET)))

        async def follow() -> None:
            while not output or output[-1].type != "done":
                with contextlib.suppress(LogError):
                    async for batch in seen.follow("one", output[-1].seq if output else 0):
                        output.extend(batch)
                await asyncio.sleep(0.01)

        following = asyncio.create_task(follow())
        await until(lambda: len(output) == 20)
        await first.aclose()
        problem = await until(lambda: _problem_of(seen))
        assert problem is not None and "cannot be reached" in problem
        await log.append("one", events[20:])
        await stack.enter_async_context(serving(config, log))
        async with asyncio.timeout(60):
            await following
        await until(lambda: _problem_of(seen), operator.not_)
    assert output == without_cursors(await log.read("one"))


async def _problem_of(log: RemoteLog) -> str | None:
    try:
        await log.bounds()
    except RemoteError as error:
        return str(error)
    return None


async def test_who_may_look_and_who_may_steer() -> None:
    secret, token = new_token("wall", ("read",))
    log, controllers, steered = MemoryLog(), Controllers(), SteeredRun("one", refused=["stop"])
    controllers.register("one", steered)
    await log.append("one", opening())
    config = ServeConfig(port=0, limits=SOON, tokens=(token,))
    async with serving(config, log, controllers=controllers) as server:
        for given, refusal in (
            (None, "it requires a token: --token, or UNBRAID_TOKEN"),
            ("unbraid_x", "it does not accept the token"),
        ):
            with pytest.raises(RemoteError, match=refusal):
                async with RemoteLog(RemoteServer(server.url, given)):
                    pass
        reader = RemoteServer(server.url, secret)
        assert [run.run for run in await RemoteLog(reader).runs()] == ["one"]
        held = (await RemoteControllers(reader).controllers())["one"]
        with pytest.raises(CallerError, match="this token does not have the scope control"):
            await held.carry_out(SteeringRequest("interrupt"))
        assert steered.asked == []
        await reader.close()


async def test_runs_are_steered_through_the_server() -> None:
    log, controllers, steered = MemoryLog(), Controllers(), SteeredRun("one", refused=["stop"])
    controllers.register("one", steered)
    await log.append("one", opening())
    await append_request(log, "one")
    async with serving(
        ServeConfig(port=0, tokens=(TOKEN,), limits=SOON), log, controllers=controllers
    ) as server:
        distant = RemoteServer(server.url, SECRET)
        elsewhere = RemoteControllers(distant)
        seen, ((run, held),) = Controllers(elsewhere), (await elsewhere.controllers()).items()
        assert (run, held.verbs()) == ("one", steered.verbs())
        (asked,) = (await elsewhere.open_requests()).requests
        assert (asked.run, asked.request_id, asked.input) == ("one", "q1", {"command": "ls"})
        await seen.steer("one", "message", "more")
        await seen.steer("one", "interrupt")
        await seen.steer("one", "answer", request_id="q1", behavior="deny")
        await seen.steer("one", "cancel")
        with pytest.raises(CallerError, match="it cannot stop"):
            await seen.steer("one", "stop", stream_id=7)
        await distant.close()
    assert steered.asked == [
        ("message", "more"), ("interrupt",), ("answer", "q1", "deny", None), ("cancel",),
    ]  # fmt: skip


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://localhost:1/x"])
async def test_nobody_there(url: str) -> None:
    with pytest.raises(RemoteError, match="cannot be reached"):
        async with RemoteLog(RemoteServer(url, None)):
            pass


@pytest.mark.parametrize("body", [b"<html>", b'{"x":' * 100_000, b'{"runs":"\xff"}'])
async def test_another_kind_of_server(body: bytes) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(RemoteError, match="this is not the answer of an unbraid server"):
            async with RemoteLog(RemoteServer(f"http://127.0.0.1:{port}", None)):
                pass


async def test_what_lies_beside_the_servers_log(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "claude")
    append(writer.main, writer.prompt("Go.") + writer.text("A needle."))
    os.utime(writer.main, (time.time() - 3600,) * 2)
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    log = MemoryLog()
    sessions = StoredSessionList(log, env, tmp_path / "unbraid")
    await sessions.read(print)
    async with distant(log, stored_sessions=sessions) as seen:
        stored = RemoteStoredSessions(seen)
        (run,) = await stored.runs()
        assert (run.run, run.title) == (SESSION, "Go.")
        assert await stored.runs(matching="other") == await stored.runs(status="failed") == []
        assert await seen.runs() == []
        # Whatever the log was asked for before, or not at all.
        assert [hit.snippet for hit in await stored.search("needle")] == ["A needle."]
        assert await seen.search("other") == []
        assert [hit.snippet for hit in await stored.search("needle")] == ["A needle."]
        assert await stored.search("other") == []
        assert await log.run(SESSION) is None
        opened = await seen.run(SESSION)
        assert opened is not None and opened.last_seq > 0
        assert [run.run for run in await seen.runs()] == [SESSION]
        assert await stored.runs() == []


async def test_a_connection_that_the_server_has_closed_meanwhile() -> None:
    """Questions are asked again; what is to be done is never done twice."""
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked.append(head.split()[0])
        if head.startswith(b"GET"):
            # Kept, as far as anyone can tell; and then closed without a word.
            writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"runs":[]}')
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        distant = RemoteServer(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", None)
        for _ in range(3):
            assert await RemoteLog(distant).runs() == []
        with pytest.raises(RemoteError, match="cannot be reached"):
            await distant.post("/v1/runs/r/interrupt")
        await distant.close()
    assert asked == [b"GET"] * 3 + [b"POST"]
