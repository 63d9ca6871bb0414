"""`unbraid otel`: what a real collector receives is the run, once, however often it is sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.block_rows import RECORDINGS, sources_of
from tests.send.otel.agreement import check_agreement, tree_of
from tests.send.otel.receiver import Receiver, receiving
from unbraid import events as e
from unbraid.cli import main
from unbraid.fold.run_trace import TraceParent
from unbraid.log import SqliteLog
from unbraid.record.sessions.sources import events_of, runs_of_sources

# A fleet of three levels each, with what the CLIs themselves wrote down.
NESTED = ("nested.plain-fwd.2.1.325", "nested.app-server.codex-0.118.0", "deep-fan.plain.2.1.197")
KEY = "sk-ant-" + "api03-" + "Zk3" * 32 + "AA"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("TRACEPARENT", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_RESOURCE_ATTRIBUTES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("UNBRAID_HOME", str(tmp_path / "unbraid"))
    # What is not there is given up at once, instead of after the ten seconds of the SDK.
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    return tmp_path / "unbraid"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as started:
        yield started


def recorded(name: str) -> list[e.FleetEvent]:
    (run,) = runs_of_sources(sources_of(RECORDINGS / name, full=True), {})
    return list(events_of(run))


def append(home: Path, run: str, events: list[e.FleetEvent]) -> None:
    async def add() -> None:
        log = await SqliteLog.open(home / "log.db")
        await log.append(run, events)
        await log.close()

    home.mkdir(mode=0o700, exist_ok=True)
    asyncio.run(add())


def otel(*args: str) -> Result:
    return CliRunner().invoke(main, ["otel", *args], catch_exceptions=False)


def test_a_fleet_of_three_levels_is_exactly_the_tree(home: Path, receiver: Receiver) -> None:
    for name in NESTED:
        append(home, name, recorded(name))
        receiver.spans.clear()
        assert otel("--endpoint", receiver.url, name).exit_code == 0
        assert check_agreement(tree_of(name), receiver.spans) == 2
        words = json.dumps([span.attributes for span in receiver.spans])
        assert "delegat" not in words.lower()  # nobody's words, without --content
        assert {span.resource["service.name"] for span in receiver.spans} == {"unbraid"}
        assert all(
            span.attributes["gen_ai.conversation.id"] and span.attributes["unbraid.run"] == name
            for span in receiver.spans
        )


def test_sent_twice_is_sent_once(home: Path, receiver: Receiver) -> None:
    append(home, "one", recorded(NESTED[0]))
    append(home, "two", recorded(NESTED[1]))
    assert otel("--endpoint", receiver.url).exit_code == 0
    once = receiver.distinct()
    assert len(once) == len(receiver.spans) > 0
    assert len({span.trace_id for span in receiver.spans}) == 2
    assert otel("--endpoint", receiver.url).stdout == "0 spans sent\n"  # it has all of them
    assert len(receiver.spans) == len(once)
    for again in (["one", "two"], ["--all"]):
        otel("--endpoint", receiver.url + "/v1/traces", *again)
    assert len(receiver.spans) == 3 * len(once)
    assert receiver.distinct() == once


def test_every_log_has_a_cursor_of_its_own(
    home: Path, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(home, "one", recorded(NESTED[2]))
    otel("--endpoint", receiver.url)
    other = tmp_path / "other"
    append(other, "two", recorded(NESTED[0]))
    monkeypatch.setenv("UNBRAID_LOG", str(other / "log.db"))
    receiver.spans.clear()
    assert otel("--endpoint", receiver.url).exit_code == 0
    check_agreement(tree_of("two"), receiver.spans)


def test_a_collector_that_is_away_loses_nothing(home: Path, receiver: Receiver) -> None:
    events = recorded(NESTED[2])
    middle = len(events) // 2
    append(home, "run", events[:middle])
    assert otel("--endpoint", receiver.url).exit_code == 0
    append(home, "run", events[middle:])
    receiver.status = 503
    away = otel("--endpoint", receiver.url)
    assert (away.exit_code, receiver.refusals > 0) == (4, True)
    receiver.status = 401  # nor does one that does not know us
    assert otel("--endpoint", receiver.url).exit_code == 4
    receiver.status = 200
    assert otel("--endpoint", receiver.url).exit_code == 0
    # Each span came once: what had arrived before was not sent again.
    assert len(receiver.distinct()) == len(receiver.spans)
    check_agreement(tree_of("run"), receiver.spans)


def test_a_collector_that_is_gone_is_said_to_be(home: Path) -> None:
    append(home, "run", recorded(NESTED[0]))
    with receiving() as receiver:
        port = receiver.port
    gone = otel("--endpoint", f"http://127.0.0.1:{port}", "run")
    assert gone.exit_code == 4
    assert "collector" in gone.output
    with receiving(receiver, port):
        assert otel("--endpoint", receiver.url, "run").exit_code == 0
    check_agreement(tree_of("run"), receiver.spans)


def test_a_span_that_is_refused_holds_up_no_other(home: Path, receiver: Receiver) -> None:
    events = recorded(NESTED[0])
    append(home, "run", events)
    whole = 1 << 62
    receiver.too_large = 1
    refused = otel("--endpoint", receiver.url, "run")
    assert (refused.exit_code, receiver.spans) == (0, [])
    assert "refused a span of run run" in refused.output
    receiver.too_large = 2000  # some fit, each alone
    otel("--endpoint", receiver.url, "run")
    assert receiver.spans
    receiver.too_large = whole


def test_content_is_redacted_and_only_sent_when_asked_for(home: Path, receiver: Receiver) -> None:
    events = recorded(NESTED[0])
    for place, event in enumerate(events):
        if isinstance(event, e.Text) and event.stream_id == 2:
            # In two parts, as a model may print it.
            data = json.loads(e.encode(event))
            half = len(KEY) // 2
            data["delta"] = f"the key is {KEY[:half]}"
            events[place] = e.decode_event(json.dumps(data).encode())
            data |= {"delta": f"{KEY[half:]} indeed", "seq": event.seq + 1}
            events.insert(place + 1, e.decode_event(json.dumps(data).encode()))
            break
    numbered = [
        e.decode_event(json.dumps(json.loads(e.encode(event)) | {"seq": seq}).encode())
        for seq, event in enumerate(events, 1)
    ]
    append(home, "run", numbered)
    otel("--endpoint", receiver.url, "run", "--content")
    check_agreement(tree_of("run"), receiver.spans)
    words = json.dumps([(span.attributes, span.events) for span in receiver.spans])
    assert KEY not in words
    assert KEY[:20] not in words
    assert KEY[-20:] not in words
    assert "the key is" in words
    assert " indeed" in words
    by_name = {span.name: span.attributes for span in receiver.spans}
    main_agent = by_name["invoke_agent main"]
    assert json.loads(main_agent["gen_ai.output.messages"])[0]["parts"][0]["content"] == "End."
    bash = by_name["execute_tool Bash"]
    assert json.loads(bash["gen_ai.tool.call.arguments"])["command"] == "echo leaf"
    assert bash["gen_ai.tool.call.result"] == "leaf"
    chats = [json.loads(s.attributes["gen_ai.output.messages"]) for s in receiver.spans
             if s.is_a("chat")]  # fmt: skip
    said = [part for chat in chats for part in chat[0]["parts"]]
    assert {"type": "text", "content": "Delegating down."} in said
    assert [part["name"] for part in said if part["type"] == "tool_call"].count("Agent") == 2


def test_the_environment_names_the_parent(
    home: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = TraceParent(0xABC, 0xDEF)
    append(home, "run", recorded(NESTED[0]))
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=ours")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    monkeypatch.setenv("TRACEPARENT", str(parent))
    assert otel("run").exit_code == 0
    (root,) = [span for span in receiver.spans if span.name == "invoke_agent main"]
    assert (root.trace_id, root.parent_id) == (f"{0xABC:032x}", f"{0xDEF:016x}")
    assert receiver.headers[0]["x-team"] == "ours"
    # Whoever sends it later, from elsewhere, sends it to the same trace.
    monkeypatch.delenv("TRACEPARENT")
    otel("run")
    receiver.distinct()


def test_what_is_asked_for_wrongly(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert otel("run").exit_code == 2  # where to?
    assert otel("--endpoint", "localhost:4318", "run").exit_code == 2
    assert otel("--endpoint", "http://127.0.0.1:1", "no-such-run").exit_code == 2
    assert otel("--endpoint", "http://127.0.0.1:1", "--all", "run").exit_code == 2
