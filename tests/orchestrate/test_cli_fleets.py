"""Fleets whose agents the real CLIs run: the seed's example, failures, cancellation, questions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.agents.claude import backend_cli as claude_cli
from tests.agents.opencode import backend_cli as opencode_cli
from tests.orchestrate.fleets import fleet, of, shape, text_of
from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec, Limits
from unbraid.orchestrate.orchestrator import Orchestrator
from unbraid.orchestrate.roster import Roster
from unbraid.steer.permissions import open_requests
from unbraid.testing import Script, ScriptedModel, Spawn, assert_fleet, bash, say

pytestmark = pytest.mark.cli

# As backends, the oldest ones are tried in tests/agents/*/test_backend_clis.py, too.
CLIS = ("claude 2.1.325", "opencode 1.2.27", "opencode 1.18.33")
CLAUDE = "claude 2.1.325"
CITIES = {"researcher_a": "Paris", "researcher_b": "Berlin", "researcher_c": "Rome"}


@asynccontextmanager
async def running(
    cli: str, script: Script, roster: Roster, home: Path, *, asks: bool = False, **settings: Any
) -> AsyncIterator[tuple[Orchestrator, ScriptedModel]]:
    """An orchestrator whose agents a CLI runs; in the end, nothing of it is left."""
    name, version = cli.split()
    async with asyncio.timeout(170):
        if name == "claude":
            with claude_cli.real(version, script, home, asks=asks) as (claude, model):
                async with Orchestrator(
                    roster, backends={"cli": claude}, backend="cli", cwd=home, env={}, **settings
                ) as orchestrator:
                    yield orchestrator, model
        else:
            async with (
                opencode_cli.real(version, script, home, asks=asks) as (opencode, model),
                Orchestrator(
                    roster, backends={"cli": opencode}, backend="cli", cwd=home, env={}, **settings
                ) as orchestrator,
            ):
                yield orchestrator, model


async def played(
    cli: str, script: Script, roster: Roster, home: Path
) -> tuple[list[e.FleetEvent], ScriptedModel]:
    """All events of one request, checked, and the model that was asked."""
    async with running(cli, script, roster, home) as (orchestrator, model):
        events = [event async for event in orchestrator.run("[[main]] Go.")]
    assert_fleet(events)
    return events, model


def parallel(*names: str) -> str:
    asked = "\n".join(f"/agent {name} [[{name}]] Which city?" for name in names)
    return f"/parallel\n{asked}\n/endparallel\n"


def words(city: str) -> str:
    return f"RESULT: {city}, as everybody knows. " * 10


def request_with(model: ScriptedModel, words: str) -> str:
    """The last request of the master's that shows these words."""
    shown = [json.dumps(each["messages"], ensure_ascii=False) for each in model.requests]
    return [each for each in shown if "[[main]]" in each and words in each][-1]


@pytest.mark.parametrize("cli", CLIS)
async def test_the_seeds_example(cli: str, tmp_path: Path) -> None:
    final = "Paris, Berlin, and Rome are the capitals that were asked for. " * 4
    script = Script(
        {
            "main": [say(f"Plan: fan out three.\n{parallel(*CITIES)}"), say(final)],
            **{name: [say(words(city), chunk_delay_seconds=0.3)] for name, city in CITIES.items()},
        }
    )
    events, model = await played(cli, script, fleet(*CITIES), tmp_path)
    starts = [event for event in events if isinstance(event, e.StreamStart)]
    assert [(s.stream_id, s.depth, s.agent, s.parent_stream_id) for s in starts] == [
        (0, 0, "index", None),
        (1, 1, "researcher_a", 0),
        (2, 1, "researcher_b", 0),
        (3, 1, "researcher_c", 0),
    ]
    assert [kind for kind in shape(of(events, 0)) if kind != "session_meta"] == [
        "request_received", "stream_start", "agent_start", "text",
        "tool_call", "token_usage", "text", "token_usage", "stream_end", "done",
    ]  # fmt: skip
    for number, city in enumerate(CITIES.values(), 1):
        assert [kind for kind in shape(of(events, number)) if kind != "session_meta"] == [
            "stream_start", "agent_start", "text", "sub_agent_response", "token_usage",
            "stream_end",
        ]  # fmt: skip
        assert text_of(events, number) == words(city)
    children = [event.stream_id for event in events if isinstance(event, e.Text) and event.depth]
    assert sum(one != other for one, other in pairwise(children)) > 2
    delegating = "→ delegating: researcher_a, researcher_b, researcher_c\n"
    assert text_of(events).strip() == (delegating + final).strip()
    back = request_with(model, "[/parallel 3 children]")
    assert back.index("Paris") < back.index("Berlin") < back.index("Rome") < back.index("[END PAR")
    done = events[-1]
    assert isinstance(done, e.Done)
    assert done.ok
    assert done.output_tokens > 0
    for request in model.requests:
        shown = json.dumps(request["messages"])
        assert "[[main]]" in shown or sum(f"[[{name}]]" in shown for name in CITIES) <= 1


async def test_children_that_fail_do_not_stop_the_others(tmp_path: Path) -> None:
    script = Script(
        {
            "main": [say(parallel("killed", "hangs", "fine")), say("Two have failed.")],
            "killed": [say("Now.", bash("kill -9 $PPID"))],
            "hangs": [say("Never said.", delay_seconds=1000)],
            "fine": [say("I am fine.")],
        }
    )
    roster = fleet("killed", AgentSpec("hangs", limits=Limits(seconds=15)), "fine")
    events, model = await played(CLAUDE, script, roster, tmp_path)
    ends = {event.agent: event for event in events if isinstance(event, e.StreamEnd)}
    assert {agent: end.ok for agent, end in ends.items()} == {
        "index": True, "killed": False, "hangs": False, "fine": True,
    }  # fmt: skip
    back = request_with(model, "[/parallel 3 children]")
    assert "ERR: killed failed: claude: was ended by SIGKILL" in back
    assert "ERR: hangs was not done after 15 s" in back
    assert "I am fine." in back
    assert text_of(events).endswith("Two have failed.")


@pytest.mark.parametrize("moment", [1, 4, 9, 16, 30])
async def test_cancelled_at_any_moment_it_leaves_nobody_and_a_whole_log(
    moment: int, tmp_path: Path
) -> None:
    slow = [say("I begin, and then I work. " * 3, bash("sleep 1000"))]
    script = Script({"main": [say(parallel("a", "b"))], "a": slow, "b": slow})
    async with running(CLAUDE, script, fleet("a", "b"), tmp_path) as (orchestrator, _):
        run = await orchestrator.start("[[main]] Go.")
        events = []
        async for event in orchestrator.follow(run):
            events.append(event)
            if len(events) == moment or (len(events) < moment and event.type == "tool_use"):
                moment = 0
                await orchestrator.request(run).cancel()
    assert_fleet(events)
    assert isinstance(events[-2], e.StreamEnd)
    assert events[-2].reason == "cancelled"


async def test_agents_that_a_cli_spawns_itself_are_streams_below_their_caller(
    tmp_path: Path,
) -> None:
    script = Script(
        {
            "main": [say("/agent lead [[lead]] go"), say("All done.")],
            "lead": [say("I have help.", Spawn("kid")), say("The kid was good.")],
            "kid": [say("The kid speaks.")],
        }
    )
    events, _ = await played(CLAUDE, script, fleet("lead"), tmp_path)
    starts = [event for event in events if isinstance(event, e.StreamStart)]
    assert [(s.stream_id, s.depth, s.parent_stream_id) for s in starts] == [
        (0, 0, None), (1, 1, 0), (2, 2, 1),
    ]  # fmt: skip
    assert text_of(events, 1) == "I have help.The kid was good."
    assert text_of(events, 2) == "The kid speaks."


@pytest.mark.parametrize("cli", ["claude 2.1.325", "opencode 1.18.33"])
async def test_a_childs_question_is_shown_and_answered(cli: str, tmp_path: Path) -> None:
    script = Script(
        {
            "main": [say("/agent worker [[worker]] go"), say("It is made.")],
            "worker": [say(bash("touch made.txt")), say("I made it.")],
        }
    )
    async with running(cli, script, fleet("worker"), tmp_path, asks=True) as (orchestrator, _):
        run = await orchestrator.start("[[main]] Go.")
        events = []
        async for event in orchestrator.follow(run):
            events.append(event)
            if isinstance(event, e.FleetPermissionAsked):
                (pending,) = (await open_requests(orchestrator.log, [run])).requests
                assert (pending.agent, pending.stream_id) == ("worker", 1)
                assert pending.request_id == event.request_id
                await orchestrator.request(run).answer(event.request_id, "allow", None)
    assert_fleet(events)
    assert (tmp_path / "app" / "made.txt").exists()
    replied = [event for event in events if isinstance(event, e.FleetPermissionReplied)]
    assert [event.behavior for event in replied] == ["allow"]
    assert text_of(events).endswith("It is made.")


@pytest.mark.parametrize("cli", ["claude 2.1.325", "opencode 1.18.33"])
async def test_the_answer_streams_and_a_further_message_finds_the_same_master(
    cli: str, tmp_path: Path
) -> None:
    plan, answer = "I will ask the helper first. ", "This is the answer, piece by piece. " * 12
    script = Script(
        {
            "main": [
                say(f"{plan}\n/agent helper [[helper]] go"),
                say(answer, chunk_delay_seconds=0.5),
                say("I remember."),
            ],
            "helper": [say("It is so.")],
        }
    )
    drafts: list[str] = []
    early = False
    async with running(
        cli,
        script,
        fleet("helper"),
        tmp_path,
        on_draft=lambda run, draft: drafts.append(draft.delta),
        keep_seconds=100,
    ) as (orchestrator, model):
        events = []
        run = await orchestrator.start("[[main]] Go.")
        async for event in orchestrator.follow(run):
            events.append(event)
            if isinstance(event, e.Text) and "answer" in event.delta and not early:
                (serving,) = [s for s in model.ledger.servings if (s.agent, s.turn) == ("main", 1)]
                assert not serving.complete
                early = True
        further = [event async for event in orchestrator.run("And now?", continues=run)]
    assert_fleet(further)
    assert text_of(further) == "I remember."
    assert "piece by piece" in request_with(model, "And now?")
    assert_fleet(events)
    assert early
    assert text_of(events).strip() == f"→ delegating: helper\n{answer}".strip()
    assert plan.strip() in "".join(drafts)
    helper = next(x.seq for x in events if isinstance(x, e.StreamEnd) and x.stream_id == 1)
    said = [x for x in events if isinstance(x, e.Text) and x.stream_id == 0]
    assert [x.delta for x in said if x.seq < helper] == ["→ delegating: helper\n"]


async def test_sixteen_at_once_twice_and_deeper(tmp_path: Path) -> None:
    sixteen = "\n".join(f"/agent worker [[w{number}]] go" for number in range(16))
    script = Script(
        {
            "main": [
                say(f"/parallel\n{sixteen}\n/endparallel\n"),
                say("/parallel\n/agent worker [[w16]] go\n/agent lead [[lead]] go\n/endparallel\n"),
                say("Everyone was asked."),
            ],
            **{f"w{number}": [say(f"I am number {number}.")] for number in range(17)},
            "lead": [say("/agent worker [[deep]] go"), say("I have asked one more.")],
            "deep": [say("/agent lead [[lead]] again"), say("Then not.")],
        }
    )
    roster = fleet(AgentSpec("worker", tools=("Read", "/agent")), "lead")
    events, model = await played("opencode 1.2.27", script, roster, tmp_path)
    starts = [event for event in events if isinstance(event, e.StreamStart)]
    assert [s.parent_stream_id for s in starts] == [None, *[0] * 18, 18]
    assert [s.depth for s in starts] == [0, *[1] * 18, 2]
    for number in range(16):
        assert text_of(events, number + 1) == f"I am number {number}."
    assert text_of(events).endswith("Everyone was asked.")
    first, second = (
        request_with(model, "[/parallel 16 children]"),
        request_with(model, "[/parallel 2 children]"),
    )
    places = [first.index(f"I am number {number}.") for number in range(16)]
    assert places == sorted(places)
    assert second.index("I am number 16.") < second.index("I have asked one more.")
    shown = [json.dumps(each["messages"]) for each in model.requests]
    assert any("[[deep]]" in each and "ERR: an agent at depth 2 cannot" in each for each in shown)
    done = events[-1]
    assert isinstance(done, e.Done)
    assert (done.ok, done.streams) == (True, 20)
