"""Traces while runs go on: each span when it has ended, whatever the collector does meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tests.record.run.agents import UNBRAID, arguments, log_path, logged, play
from tests.send.otel.agreement import check_agreement, tree_of
from tests.send.otel.receiver import WAIT_SECONDS, ReceivedSpan, Receiver, receiving
from tests.send.otel.test_otel import NESTED, home, recorded
from unbraid import events as e
from unbraid.fold.run_trace import TraceIdentity, TraceParent
from unbraid.log import SqliteLog
from unbraid.send import otel as sender_module
from unbraid.send.otel import Traces, collector_of, problem_with
from unbraid.system.home import make_private_folder
from unbraid.testing import Script, Spawn, bash, say

__all__ = ["home"]  # a fixture


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as started:
        yield started


@pytest.fixture
async def log(home: Path) -> AsyncIterator[SqliteLog]:
    make_private_folder(home)
    opened = await SqliteLog.open(home / "log.db")
    yield opened
    await opened.close()


class Said(list[str]):
    """What people were warned of."""

    def __init__(self) -> None:
        self.is_back = asyncio.Event()

    def append(self, text: str) -> None:
        super().append(text)
        if text == "the collector is back":
            self.is_back.set()


def traces(home: Path, receiver: Receiver, said: Said) -> Traces:
    collector = collector_of(receiver.url, {})
    assert collector is not None
    return Traces(collector, home, "log", warn=said.append)


async def arrived(receiver: Receiver, count: int) -> None:
    await asyncio.to_thread(receiver.wait, lambda: len(receiver.spans) >= count)


async def test_spans_are_sent_as_they_end_and_after_an_outage(
    home: Path, log: SqliteLog, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender_module, "OTLP_RETRY_SECONDS", 0.05)
    events, said = recorded(NESTED[2]), Said()
    first, second = 70, 100  # of 123; the first span ends with the 67th
    await log.append("before", recorded(NESTED[1]))
    await log.append("run", events[:5])
    async with traces(home, receiver, said).following(log):
        await log.append("run", events[5:first])
        await arrived(receiver, 1)
        # Nothing of runs that were over before anyone asked for traces.
        assert {span.attributes["unbraid.run"] for span in receiver.spans} == {"run"}
        receiver.status = 503
        await log.append("run", events[first:second])
        await asyncio.to_thread(receiver.wait, lambda: receiver.refusals >= 2)
        receiver.status = 200
        async with asyncio.timeout(WAIT_SECONDS):
            await said.is_back.wait()
    assert ["will be sent" in text for text in said] == [True, False]
    half = len(receiver.spans)
    assert not [span for span in receiver.spans if span.name == "invoke_agent main"]
    # Nobody listens: what comes now is sent by the next process that does.
    await log.append("run", events[second:])
    async with traces(home, receiver, said).following(log):
        await arrived(receiver, half + 1)
    assert len(receiver.distinct()) == len(receiver.spans)
    check_agreement(await asyncio.to_thread(tree_of, "run"), receiver.spans)


async def test_one_process_at_a_time_sends_a_log(
    home: Path, log: SqliteLog, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unbraid.send.otel.OTLP_TURN_SECONDS", 0.05)
    events, said = recorded(NESTED[0]), Said()
    async with traces(home, receiver, said).following(log):
        await log.append("one", recorded(NESTED[0]))
        await arrived(receiver, 1)
        second = traces(home, receiver, said).following(log)
        await second.__aenter__()
        await log.append("two", events)
    one = len([s for s in receiver.spans if s.attributes["unbraid.run"] == "one"])
    assert len(receiver.spans) == len(receiver.distinct()) == 2 * one
    # The first has gone: the other goes on from there.
    await log.append("three", events)
    await arrived(receiver, 3 * one)
    await second.__aexit__(None, None, None)
    assert len(receiver.distinct()) == len(receiver.spans) == 3 * one


async def test_the_cursor_file_of_an_earlier_version_is_taken_over(
    home: Path, log: SqliteLog, receiver: Receiver
) -> None:
    await log.append("sent", recorded(NESTED[0]))
    cursor = (await log.bounds())[1]
    await log.append("unsent", recorded(NESTED[0]))
    digest = sha256(f"log\n{receiver.url}/v1/traces".encode()).hexdigest()[:32]
    file = home / "otel" / f"{digest}.json"
    make_private_folder(file.parent)
    file.write_text(f'{{"cursor":{cursor}}}')
    for _ in range(2):
        async with traces(home, receiver, Said()).following(log):
            await arrived(receiver, 1)
        assert {span.attributes["unbraid.run"] for span in receiver.spans} == {"unsent"}
        assert len(receiver.distinct()) == len(receiver.spans)
        assert not file.exists()


async def test_a_damaged_event_holds_up_no_other_run(home: Path, receiver: Receiver) -> None:
    make_private_folder(home)
    path, said = home / "log.db", Said()
    log = await SqliteLog.open(path)
    async with traces(home, receiver, said).following(log):
        pass
    await log.append("damaged", recorded(NESTED[0]))
    await log.append("whole", recorded(NESTED[0]))
    await log.close()
    first = path.read_bytes().index(b'"type":"tool_use"')
    with path.open("r+b") as file:
        file.seek(first)
        file.write(b'"type"!')
    log = await SqliteLog.open(path)
    async with traces(home, receiver, said).following(log):
        pass
    await log.close()
    assert "run damaged: event" in said[0]
    spans = [span for span in receiver.spans if span.attributes["unbraid.run"] == "whole"]
    assert len({span.span_id for span in spans}) == len(spans) > 1


async def test_a_run_that_goes_on_after_many_others(
    home: Path, log: SqliteLog, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only so many are held; the others are read again."""
    monkeypatch.setattr(sender_module, "MAX_OPEN_RUNS", 1)
    events, said = recorded(NESTED[0]), Said()
    async with traces(home, receiver, said).following(log):
        for start in range(0, len(events), 9):
            for run in ("a", "b", "c"):
                await log.append(run, events[start : start + 9])
    for run in "abc":
        spans = [span for span in receiver.spans if span.attributes["unbraid.run"] == run]
        check_agreement(await asyncio.to_thread(tree_of, run), unique(spans))


def unique(spans: list[ReceivedSpan]) -> list[ReceivedSpan]:
    return list({span.span_id: span for span in spans}.values())


def test_what_the_environment_says_of_collectors() -> None:
    name = "OTEL_EXPORTER_OTLP_ENDPOINT"
    general = collector_of(None, {name: "http://localhost:4318"})
    assert general is not None
    assert general.url == "http://localhost:4318/v1/traces"
    exact = collector_of(None, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://x.example/in"})
    assert exact is not None
    assert exact.url == "https://x.example/in"
    assert collector_of(None, {}) is None
    assert collector_of(None, {name: "http://a", "OTEL_SDK_DISABLED": "true"}) is None
    assert problem_with(general, {}) is None
    # One that only other programs can speak to is no reason to fail.
    assert "grpc" in str(problem_with(general, {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}))


@pytest.mark.cli
async def test_a_real_fleet_is_traced_below_the_environments_span(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(
        {
            "main": [say("Down.", Spawn("mid")), say("Mid came back."), say("End.")],
            "mid": [say("mid delegates", Spawn("leaf")), say("leaf answered"), say("mid ends")],
            "leaf": [say("leaf works", bash("printenv TRACEPARENT")), say("leaf is done")],
        }
    )
    home, parent = tmp_path / "home", TraceParent(0xFEED, 0xBEEF)
    version = "2.1.325"
    prefix = ["/usr/bin/env", f"TRACEPARENT={parent}", UNBRAID, "run", "--otlp", receiver.url, "--"]
    ran = await play(version, script, home, arguments(version, "[[main]] Go."), prefix=prefix)
    assert ran.exit == 0
    ((run, events),) = (await logged(home)).items()
    monkeypatch.setenv("UNBRAID_HOME", str(log_path(home).parent))
    depth = check_agreement(await asyncio.to_thread(tree_of, run), receiver.spans)
    assert depth == 2
    (root,) = [span for span in receiver.spans if span.name == "invoke_agent main"]
    assert (root.trace_id, root.parent_id) == (f"{0xFEED:032x}", f"{0xBEEF:016x}")
    # What the agent starts finds itself below the agent.
    results = [x.content for x in events if isinstance(x, e.FleetToolResult) and x.stream_id == 2]
    assert results == [str(TraceIdentity(run, parent).root)]
    assert root.span_id == f"{TraceIdentity(run).root.span_id:016x}"
