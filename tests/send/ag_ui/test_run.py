"""AG-UI events of runs, by the types of the protocol's own package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ag_ui.core import Event
from pydantic import TypeAdapter

from tests.block_rows import FOLDERS, sources_of
from unbraid import events as e
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.send.ag_ui import AgUiMessages, AgUiRun

known: TypeAdapter[Any] = TypeAdapter(Event)


def recorded(name: str) -> list[e.FleetEvent]:
    folder = next(folder for folder in FOLDERS if folder.name == name)
    (run,) = runs_of_sources(sources_of(folder, full=True), {})
    return list(events_of(run))


def played(events: list[e.FleetEvent]) -> list[dict[str, Any]]:
    run = AgUiRun("run")
    found = [each for event in events for each in run.apply(event)]
    assert run.over
    return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in found]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_event_is_of_a_known_type_and_tagged_with_its_agent(folder: Path) -> None:
    events = recorded(folder.name)
    found = played(events)
    open_agents: set[str] = set()
    for event in found:
        # Unknown fields would be kept by the type, and be missing here.
        again = known.validate_python(event).model_dump(mode="json", by_alias=True)
        assert {name for name, value in again.items() if value is not None} == set(event)
        tag = event.get("subagentRunId")
        if event["type"] == "SUBAGENT_STARTED":
            assert event.get("parentSubagentRunId") in (*open_agents, None)
            open_agents.add(tag or "")
        elif tag is not None:
            assert tag in open_agents
    used = [x for x in events if isinstance(x, e.FleetTokenUsage)]
    assert len([x for x in found if x.get("name") == "token_usage"]) == len(used)
    calls = [x for x in events if isinstance(x, e.FleetToolUse)]
    assert len([x for x in found if x["type"] == "TOOL_CALL_START"]) == len(calls)
    assert len({x["toolCallId"] for x in found if x["type"] == "TOOL_CALL_START"}) == len(calls)
    assert played(events) == found


@pytest.mark.parametrize("name", ["nested.partial-fwd.2.1.260", "permission.stdin.2.1.325"])
def test_a_late_viewer_gets_the_same_messages_wherever_it_comes_in(name: str) -> None:
    events, whole = recorded(name), AgUiMessages()
    run = AgUiRun("run")
    for event in events:
        whole.apply(run.apply(event))
    wanted = whole.snapshot(0).messages
    for place in range(1, len(events)):
        run, before, late = AgUiRun("run"), AgUiMessages(), AgUiMessages()
        for event in events[:place]:
            before.apply(run.apply(event))
        snapshot = before.snapshot(0)
        late.apply(run.so_far(snapshot, 0))
        for event in events[place:]:
            late.apply(run.apply(event))
        assert late.snapshot(0).messages == wanted


def test_a_permission_request_is_an_interrupt_and_the_run_goes_on() -> None:
    events = recorded("permission.stdin.2.1.325")
    asked = [x for x in events if isinstance(x, e.FleetPermissionAsked)]
    found = played(events)
    ends = [x for x in found if x["type"] == "RUN_FINISHED"]
    stops = [x["outcome"]["interrupts"] for x in ends if x["outcome"]["type"] == "interrupt"]
    assert [[stop["id"] for stop in each] for each in stops] == [[x.request_id] for x in asked]
    assert stops[0][0]["toolCallId"] == asked[0].tool_use_id
    assert stops[0][0]["metadata"]["unbraid"]["tool"] == asked[0].tool
    assert ends[-1]["outcome"]["type"] == "success"
    starts = [x["runId"] for x in found if x["type"] == "RUN_STARTED"]
    assert starts == ["run", *(f"run/{n}" for n in range(2, len(asked) + 2))]
    replies = [x["value"]["behavior"] for x in found if x.get("name") == "permission_replied"]
    assert sorted(replies) == sorted(
        x.behavior for x in events if isinstance(x, e.FleetPermissionReplied)
    )


def test_a_sub_agent_that_fails_does_not_fail_the_run() -> None:
    found = played(recorded("child-fails.serve.opencode"))
    (failed,) = [x for x in found if x["type"] == "SUBAGENT_ERROR"]
    assert (failed["message"], failed["code"]) == ("scripted child failure", "failed")
    assert found[-1]["type"] == "RUN_FINISHED"
    assert found[-1]["result"] == "One broke."
    assert found[-1]["usage"] == [
        {"model": "one", "inputTokens": 500, "outputTokens": 210, "totalTokens": 710,
         "cachedInputTokens": 0, "cacheWriteInputTokens": 0}
    ]  # fmt: skip


def test_a_run_that_fails_or_is_stopped() -> None:
    failed = played(recorded("api-error.plain.2.1.197"))[-1]
    assert failed["type"] == "RUN_ERROR"
    assert "400" in failed["message"]
    stopped = played(recorded("interrupt.stdin.2.1.325"))
    assert stopped[-1]["type"] in ("RUN_FINISHED", "RUN_ERROR")
