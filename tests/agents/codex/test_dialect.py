"""Codex's dialect: sources in any order, tokens once, ends as they were."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.agents.codex.rollouts import CHILD, ROOT, head, line, says, spawns, turn, write
from tests.block_rows import FOLDERS, RECORDINGS, logged_rows, sources_of, stream_of
from unbraid import Translator
from unbraid import events as e
from unbraid.fold.pipeline import Pipeline
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.testing import load

CODEX = [folder for folder in FOLDERS if ".codex-" in folder.name]
every_recording = pytest.mark.parametrize("folder", CODEX, ids=lambda folder: folder.name)


def read(*sources: str) -> list[e.FleetEvent]:
    (run,) = runs_of_sources(list(sources), {})
    assert run.source == "codex"
    return list(events_of(run))


@every_recording
def test_each_token_is_counted_once_under_its_agent(folder: Path) -> None:
    truth = load(folder).truth
    calls = {name: spawn["tool_use_id"] for name, spawn in truth["parents"].items()}
    want: Counter[tuple[str, str]] = Counter()
    for answer in truth["usage"]:
        agent = calls.get(answer["agent"], "")
        want[agent, "in"] += answer["input_tokens"]
        want[agent, "out"] += answer["output_tokens"]
    got: Counter[tuple[str, str]] = Counter()
    owners: dict[int, str] = {}
    for event in read(*sources_of(folder, full=True)):
        if isinstance(event, e.StreamStart):
            again = event.resumes
            owner = event.tool_use_id or ""
            owners[event.stream_id] = owner if again is None else owners[again]
        elif isinstance(event, e.FleetTokenUsage):
            cached = event.cache_read_tokens + event.cache_creation_tokens
            got[owners[event.stream_id], "in"] += event.input_tokens + cached
            got[owners[event.stream_id], "out"] += event.output_tokens
    assert got == want


@every_recording
def test_nothing_is_unknown_or_malformed(folder: Path) -> None:
    events = read(*sources_of(folder, full=True))
    assert not [x for x in events if isinstance(x, e.FleetUnrecognized | e.FleetMalformed)]


def test_a_stdout_that_comes_before_its_rollout_is_not_said_twice() -> None:
    folder = RECORDINGS / "tools.exec.codex-0.77.0"
    stream, rollout = (Path(name) for name in sources_of(folder, full=True))
    pipeline = Pipeline()
    events = pipeline.feed(stream.read_bytes())
    events += pipeline.feed(rollout.read_bytes(), rollout.name)
    events += pipeline.finish()
    texts = [row for row in logged_rows(events) if row[1] != "tool_use"]
    assert texts == [row for row in logged_rows(read(str(rollout))) if row[1] != "tool_use"]


def test_a_failed_child_has_failed_in_every_release() -> None:
    for folder in CODEX:
        if folder.name.startswith("child-fails"):
            events = read(*sources_of(folder, full=True))
            ends = {x.stream_id: x.reason for x in events if isinstance(x, e.StreamEnd)}
            assert sorted(ends.values()) == ["completed", "completed", "failed"]


@pytest.mark.parametrize(
    ("output", "ok"),
    [
        ("unsupported custom tool call: apply_patch", False),
        ("unsupported call: nonsense", False),
        ("aborted by user after 4.0s", False),
        ("Wall time: 4.0 seconds\naborted by user", False),
        ("Wall time: 0.0058 seconds\nOutput:\naborted by user is what it says", True),
        ("mcp says hi", True),
    ],
)
def test_a_call_that_was_not_made_or_was_stopped_has_failed(output: str, ok: bool) -> None:
    call = {"call_id": "c1", "namespace": "mcp__lab", "name": "echo", "arguments": "{}"}
    lines = [
        head(ROOT),
        line(100, "response_item", {"type": "function_call", **call}),
        line(200, "response_item", {"type": "function_call_output", **call, "output": output}),
    ]
    events = Pipeline().feed(b"\n".join([*lines, b""]))
    assert [x.ok for x in events if isinstance(x, e.FleetToolResult)] == [ok]
    assert [x.tool for x in events if isinstance(x, e.FleetToolUse)] == ["mcp__lab__echo"]


def test_an_agent_that_is_asked_again_is_the_same_agent() -> None:
    events = read(*sources_of(RECORDINGS / "send-input.exec-v2.codex-0.166.0", full=True))
    first, again = [x for x in events if isinstance(x, e.StreamStart) and x.stream_id]
    assert again.resumes == first.stream_id
    assert again.agent_id == first.agent_id
    answers = [x.content for x in events if isinstance(x, e.SubAgentResponse)]
    assert answers == ["helper ended once", "helper ended twice"]


def test_a_permission_request_and_its_answer() -> None:
    folder = RECORDINGS / "child-permission.app-server.codex-0.166.0"
    events = read(str(stream_of(folder)))
    (asked,) = [x for x in events if isinstance(x, e.FleetPermissionAsked)]
    (replied,) = [x for x in events if isinstance(x, e.FleetPermissionReplied)]
    assert asked.stream_id == replied.stream_id != 0
    assert asked.request_id == replied.request_id
    assert replied.behavior == "allow"


def test_a_rollout_that_is_read_from_its_middle_is_known_by_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, ROOT, *turn("t1", says("later")))
    translator = Translator()
    events = translator.feed(path.read_bytes(), path.name) + translator.finish()
    assert [x.delta for x in events if isinstance(x, e.TextDelta)] == ["later"]


def test_the_copied_history_of_a_forked_thread_is_left_out(tmp_path: Path) -> None:
    older, own = "01a1e36f-0000-7000-8000-000000000009", "01a1e371-0000-7000-8000-000000000009"
    usage = {"input_tokens": 100, "output_tokens": 10}
    total = {"type": "token_count", "info": {"total_token_usage": usage, "last_token_usage": usage}}
    grown = {
        "type": "token_count",
        "info": {
            "total_token_usage": {"input_tokens": 130, "output_tokens": 13},
            "last_token_usage": {"input_tokens": 30, "output_tokens": 3},
        },
    }
    path = write(
        tmp_path,
        CHILD,
        head(CHILD, forked_from_id=ROOT),
        head(ROOT),
        *turn(older, says("copied"), line(600, "event_msg", total), at=1, end=2),
        *turn(own, says("own", 700), line(750, "event_msg", total), line(800, "event_msg", grown)),
    )
    events = read(str(path))
    assert [row[2] for row in logged_rows(events)] == ["own"]
    (used,) = [x for x in events if isinstance(x, e.FleetTokenUsage)]
    assert (used.input_tokens, used.output_tokens) == (30, 3)


def test_a_child_whose_rollout_is_read_late_is_one_agent(tmp_path: Path) -> None:
    """As while it runs: the file of a new agent is found a moment later than its parent's grows."""
    asked = {"type": "function_call", "name": "wait_agent", "arguments": "{}", "call_id": "call_2"}
    got = json.dumps({"status": {CHILD: {"completed": "said"}}, "timed_out": False})
    output = {"type": "function_call_output", "call_id": "call_2", "output": got}
    waits = (line(300, "response_item", asked), line(301, "response_item", output))
    root = turn("t1", spawns("call_1", CHILD), *waits, says("root"))
    child = turn("t2", says("said", 200), at=150, end=250)
    pipeline = Pipeline()
    events = pipeline.feed(b"".join(x + b"\n" for x in (head(ROOT), *root)), f"rollout-{ROOT}")
    alone = Pipeline()
    alone.feed(b"".join(x + b"\n" for x in (head(ROOT), *root)), f"rollout-{ROOT}")
    (end,) = [x for x in alone.finish() if isinstance(x, e.StreamEnd) and x.stream_id]
    assert end.ok
    lines = b"".join(x + b"\n" for x in (head(CHILD, ROOT, 140), *child))
    events += pipeline.feed(lines, f"rollout-{CHILD}") + pipeline.finish()
    assert [x.reason for x in events if isinstance(x, e.StreamEnd)] == ["completed"] * 2
    assert ("call_1", "text", "said") in logged_rows(events)


def test_searches_without_ids_are_calls_of_their_own(tmp_path: Path) -> None:
    action = {"type": "search", "query": "cats"}
    search = {"type": "web_search_call", "status": "completed", "action": action}
    lines = [line(at, "response_item", search) for at in (100, 200)]
    events = read(str(write(tmp_path, ROOT, head(ROOT), *turn("t1", *lines, says("found")))))
    made = [x.tool_use_id for x in events if isinstance(x, e.FleetToolUse)]
    assert len(set(made)) == 2
    assert [x.tool_use_id for x in events if isinstance(x, e.FleetToolResult)] == made


def test_a_stdout_that_names_another_agents_failure_does_not_fail_the_main_agent() -> None:
    """0.98 and 0.107 print the failure of any agent as that of the run."""
    folder = RECORDINGS / "nested.exec.codex-0.107.0"
    stream, rollout = (Path(name) for name in sources_of(folder, full=True))
    failed = {"type": "turn.failed", "error": {"message": "a child's"}}
    pipeline = Pipeline()
    for path in sorted(rollout.parent.iterdir()):
        pipeline.feed(path.read_bytes(), path.name)
    pipeline.feed(stream.read_bytes() + json.dumps(failed).encode() + b"\n")
    ends = [x for x in pipeline.finish() if isinstance(x, e.StreamEnd) and not x.stream_id]
    assert [x.reason for x in ends] == ["completed"]


def test_a_thread_that_is_loaded_brings_no_tokens() -> None:
    """An app-server repeats what the last answer before had used."""

    def used(total: int, last: int) -> dict[str, object]:
        counts = {"total": {"inputTokens": total}, "last": {"inputTokens": last}}
        about = {"threadId": ROOT, "turnId": "t", "tokenUsage": counts}
        return {"method": "thread/tokenUsage/updated", "params": about}

    item = {"threadId": ROOT, "item": {"type": "agentMessage", "id": "m", "text": "x"}}
    lines = [
        {"id": 2, "result": {"thread": {"id": ROOT, "status": {"type": "idle"}}}},
        used(30, 20),  # in some releases here, in others below
        {"method": "turn/started", "params": {"threadId": ROOT, "turn": {"id": "t2"}}},
        used(30, 20),
        {"method": "item/completed", "params": item},
        used(37, 7),
    ]
    translator = Translator()
    events = translator.feed(b"".join(json.dumps(each).encode() + b"\n" for each in lines))
    assert [x.input_tokens for x in events if isinstance(x, e.TokenUsage)] == [7]


def served(method: str, thread: str, **given: object) -> bytes:
    """A notification of an app-server."""
    return json.dumps({"method": method, "params": {"threadId": thread, **given}}).encode() + b"\n"


def test_a_result_that_comes_after_the_end_of_its_agent_does_not_begin_it_again() -> None:
    spawn = {"type": "collabAgentToolCall", "id": "c", "tool": "spawnAgent"}
    command = {"type": "commandExecution", "id": "x", "command": "sleep 9"}
    pipeline = Pipeline()
    events = pipeline.feed(
        json.dumps({"id": 1, "result": {"thread": {"id": ROOT}}}).encode()
        + b"\n"
        + served("turn/started", ROOT, turn={"id": "t1"})
        + served("item/completed", ROOT, item={**spawn, "receiverThreadIds": [CHILD]})
        + served("turn/started", CHILD, turn={"id": "t2"})
        + served("item/started", CHILD, item=command)
        + served("turn/completed", CHILD, turn={"id": "t2", "status": "interrupted"})
        + served("item/completed", CHILD, item={**command, "status": "failed"})
    )
    assert len([x for x in events if isinstance(x, e.StreamStart)]) == 2
    ends = [x.reason for x in pipeline.finish() + events if isinstance(x, e.StreamEnd)]
    assert sorted(ends) == ["interrupted", "orphaned"]


def test_what_an_agent_does_to_another_is_a_call() -> None:
    """Of multi-agent v2, a server reports no calls but these."""
    about = {"type": "subAgentActivity", "agentThreadId": CHILD, "agentPath": "/root/a"}
    kinds = ("started", "interacted", "interrupted", "completed")
    items = [{**about, "id": f"call-{kind}", "kind": kind} for kind in kinds]
    translator = Translator()
    translator.feed(json.dumps({"id": 1, "result": {"thread": {"id": ROOT}}}).encode() + b"\n")
    events = translator.feed(b"".join(served("item/completed", ROOT, item=i) for i in items))
    calls = [(x.tool_use_id, x.tool) for x in events if isinstance(x, e.ToolUse)]
    assert calls == [
        ("call-started", "spawn_agent"),
        ("call-interacted", "send_message"),
        ("call-interrupted", "interrupt_agent"),
    ]


def test_an_empty_input_stays_what_it_is(tmp_path: Path) -> None:
    call = {"type": "function_call", "name": "list", "call_id": "c", "arguments": "{}"}
    path = write(tmp_path, ROOT, head(ROOT), *turn("t", line(100, "response_item", call)))
    (made,) = [x for x in read(str(path)) if isinstance(x, e.FleetToolUse)]
    assert made.input == {}


def test_a_review_is_an_answer(tmp_path: Path) -> None:
    """Releases that write no error say nothing of the last message either."""
    prompt = line(100, "event_msg", {"type": "user_message", "message": "Review it."})
    over = line(200, "event_msg", {"type": "exited_review_mode", "review_output": {}})
    done = line(600, "event_msg", {"type": "task_complete", "turn_id": "t0"})
    path = write(tmp_path, ROOT, head(ROOT), prompt, over, says("fine"), done)
    (end,) = [x for x in read(str(path)) if isinstance(x, e.StreamEnd)]
    assert end.ok
