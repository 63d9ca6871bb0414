"""What a log has arrives at a server once and in order, however the server fares."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.access import SECRET, TOKEN
from tests.polling import until
from unbraid.events import Done, FleetEvent, RequestReceived
from unbraid.log import MemoryLog
from unbraid.send.delivery import Delivery, DeliveryLedger, Destination, LogDelivery
from unbraid.serve import ServeConfig, ServeLimits, Server, serving
from unbraid.testing.log_contract import sample_run

PATIENCE_SECONDS = 60.0
LIMITS = ServeLimits(shutdown_seconds=1)
failing = settings(max_examples=25, deadline=None)
texts = st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=12)


@contextlib.asynccontextmanager
async def listening(
    log: MemoryLog, port: int = 0, *, redact: bool = False
) -> AsyncIterator[Server]:
    config = ServeConfig(port=port, redact=redact, tokens=(TOKEN,), limits=LIMITS)
    async with serving(config, log) as server:
        yield server


@contextlib.asynccontextmanager
async def delivering(
    log: MemoryLog,
    url: str,
    home: Path,
    warn: Callable[[str, str], None] = lambda run, problem: None,
) -> AsyncIterator[Delivery]:
    """What sends the runs of a log, as one process does."""
    ledger = DeliveryLedger(home)
    to = Destination(url, SECRET, home=home)
    delivery = Delivery(to, log, "log", ledger=ledger, on_refused=warn)
    for waiting in ledger.waiting():
        delivery.note(waiting.run)
    task = asyncio.create_task(delivery.run())
    try:
        yield delivery
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        ledger.close()


async def put(log: MemoryLog, url: str, home: Path, run: str, events: Sequence[FleetEvent]) -> None:
    """Another process records more of a run that is to be sent."""
    with contextlib.closing(DeliveryLedger(home)) as ledger:
        ledger.add("log", url, [run])
    await log.append(run, events)


async def stored(log: MemoryLog, run: str) -> list[FleetEvent]:
    """A run's events but for whose they are."""
    events = [entry.event for entry in await log.read(run, limit=10**6)]
    for event in events:
        if isinstance(event, RequestReceived):
            event.machine = event.user = None
    return events


@failing
@given(st.lists(texts, min_size=1, max_size=4), st.integers(0, 12), st.booleans(), st.booleans())
def test_all_arrives_once_in_order(
    said: list[list[str]], cut: int, forgets: bool, redact: bool
) -> None:
    """The server is there, gone, and there again, perhaps with nothing of what it had; and so is
    the process that sends.
    """
    runs = {f"r{number}": sample_run(texts) for number, texts in enumerate(said)}

    async def play(home: Path) -> None:
        log, here = MemoryLog(), MemoryLog()
        async with listening(log, redact=redact) as server:
            port, url = server.port, server.url
            async with delivering(here, url, home) as delivery:
                for run, events in runs.items():
                    # Not its end: what has wholly arrived is the server's own to keep.
                    await put(here, url, home, run, events[: min(cut, len(events) - 1)])
                    delivery.note(run)
                await asyncio.sleep(0.01)
        log = MemoryLog() if forgets else log
        async with delivering(here, url, home) as delivery:
            for run, events in runs.items():
                await put(here, url, home, run, events[min(cut, len(events) - 1) :])
                delivery.note(run)
            async with listening(log, port, redact=redact), asyncio.timeout(PATIENCE_SECONDS):
                for run in runs:
                    assert await delivery.arrival(run)
        for run, events in runs.items():
            assert [event.seq for event in await stored(log, run)] == [e.seq for e in events]
            if not redact:
                assert await stored(log, run) == list(events)
        with contextlib.closing(DeliveryLedger(home)) as ledger:
            assert ledger.waiting() == []

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder)))


async def test_a_run_with_another_history_is_refused_and_the_others_arrive(tmp_path: Path) -> None:
    log, here, refused = MemoryLog(), MemoryLog(), list[tuple[str, str]]()
    await log.append("b", sample_run(["one"], ts=5))
    async with listening(log) as server:
        for run in ("a", "b", "c"):
            await put(here, server.url, tmp_path, run, sample_run(["another"]))
        say = lambda run, problem: refused.append((run, problem))  # noqa: E731
        async with delivering(here, server.url, tmp_path, say) as delivery:
            arrived = [await delivery.arrival(run) for run in ("a", "b", "c")]
    assert arrived == [True, False, True]
    ((run, problem),) = refused
    assert run == "b" and "another event is there" in problem
    with contextlib.closing(DeliveryLedger(tmp_path)) as ledger:
        assert [each.run for each in ledger.waiting()] == ["b"]


async def test_large_events_go_alone_and_arrive(tmp_path: Path) -> None:
    log, here = MemoryLog(), MemoryLog()
    said = ["x" * (3 << 20), "y" * (1 << 19), "z" * (20 << 20), "w"]
    async with listening(log) as server, asyncio.timeout(PATIENCE_SECONDS):
        await put(here, server.url, tmp_path, "r", sample_run(said))
        async with delivering(here, server.url, tmp_path) as delivery:
            assert await delivery.arrival("r")
    assert await stored(log, "r") == sample_run(said)


@contextlib.asynccontextmanager
async def saying(*answers: bytes) -> AsyncIterator[tuple[str, list[tuple[bytes, bytes]]]]:
    """A server that says just this to one request each, and hangs up; and what it was sent."""
    left, asked = list(answers), list[tuple[bytes, bytes]]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(re.findall(rb"(?i)content-length: (\d+)", head)[0])
        asked.append((head, await reader.readexactly(size)))
        writer.write(left.pop(0))
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}", asked


def answered(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\ncontent-length: %d\r\n\r\n%s" % (status, len(body), body)


ANSWER = answered(b'{"runs":[{"run":"r","seq":6}]}')


async def test_an_answer_that_was_cut_off_is_asked_for_again(tmp_path: Path) -> None:
    here = MemoryLog()
    cuts = (ANSWER[:-3], ANSWER[: ANSWER.index(b"{")], b"")
    async with saying(*cuts, ANSWER) as (url, asked), asyncio.timeout(PATIENCE_SECONDS):
        await put(here, url, tmp_path, "r", sample_run(["one"]))
        assert (await here.run("r") or pytest.fail()).last_seq == 6
        async with delivering(here, url, tmp_path) as delivery:
            assert await delivery.arrival("r")
    assert len(asked) == 4


async def test_a_server_that_takes_nothing_compressed_gets_it_plain(tmp_path: Path) -> None:
    here, events = MemoryLog(), sample_run(["word " * 1000])
    refusal = answered(b'{"error":{"message":"no"}}', b"415 No")
    async with saying(refusal, ANSWER) as (url, asked), asyncio.timeout(PATIENCE_SECONDS):
        await put(here, url, tmp_path, "r", events)
        async with delivering(here, url, tmp_path) as delivery:
            assert await delivery.arrival("r")
    (first, packed), (second, plain) = asked
    assert b"gzip" in first.lower() and b"content-encoding" not in second.lower()
    assert gzip.decompress(packed) == plain and len(packed) < len(plain) / 4
    assert isinstance(events[-1], Done)


async def test_a_server_of_another_kind_is_reported_and_nothing_is_given_up(
    tmp_path: Path,
) -> None:
    here, refused = MemoryLog(), list[tuple[str, str]]()
    foreign = answered(b"<html>")
    say = lambda run, problem: refused.append((run, problem))  # noqa: E731
    async with saying(foreign, foreign, foreign) as (url, _), asyncio.timeout(PATIENCE_SECONDS):
        for run in ("a", "b"):
            await put(here, url, tmp_path, run, sample_run(["one"]))
        async with delivering(here, url, tmp_path, say) as delivery:
            assert [await delivery.arrival(run) for run in ("a", "b")] == [False, False]
            assert (delivery.status.behind, delivery.status.refused) == (2, 2)
    problem = "200 (not the answer of an unbraid server)"
    assert sorted(refused) == [("a", problem), ("b", problem)]
    with contextlib.closing(DeliveryLedger(tmp_path)) as ledger:
        assert [(each.run, each.seq) for each in ledger.waiting()] == [("a", 0), ("b", 0)]


async def test_a_machine_that_has_another_name_goes_on_sending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = MemoryLog(), MemoryLog()
    events = sample_run(["x"])
    assert isinstance(events[0], RequestReceived)

    async def sent(machine: str, wanted: int, more: Sequence[FleetEvent]) -> None:
        """Sends what there is, up to an event, and then more, while it is recorded."""
        monkeypatch.setenv("UNBRAID_MACHINE", machine)
        to = Destination(server.url, SECRET, home=tmp_path)
        delivery = LogDelivery(to, here, "log", warn=pytest.fail)

        async def is_there(seq: int) -> bool:
            found = await there.run("r")
            return not delivery.status.behind and found is not None and found.last_seq >= seq

        async with delivery.sending():
            for seq in (wanted, wanted + len(more)):
                await until(partial(is_there, seq))
                await here.append("r", more)

    async with asyncio.timeout(PATIENCE_SECONDS), listening(there) as server:
        events[0].machine = "before"
        await here.append("r", events[:2])
        await sent("before", 2, events[2:3])
        events[0].machine = "another"
        await here.append("not-ours", events[:3])
        await sent("after", 3, events[3:])
        assert [run.run for run in await there.runs()] == ["r"]
