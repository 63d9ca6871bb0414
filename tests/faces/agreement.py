"""Asks every face of one stored session: first from its files, then as a run of the log.

Faces are compared with the events that `cat --json` prints, and those are held to the invariants of
every log. Where a session ends is known to some milliseconds only: a list says when its files were
last written to, an event when its agent says that it was over.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from click.testing import CliRunner

from tests.access import TOKEN, client_at
from tests.faces.folded_events import (
    COUNTS,
    Agent,
    agents_of,
    known,
    plus,
    spent,
    tokens_of,
    total_of,
)
from tests.faces.other_faces import others_agree
from unbraid import events as e
from unbraid.cli import main
from unbraid.log import Entry, SqliteLog
from unbraid.serve import ServeConfig, serving
from unbraid.testing import assert_fleet

KEYS = ("day", "week", "month", "model", "folder", "kind", "agent", "run", "machine")
END_MS = 1000
# The files of these do not say of which type a sub-agent is.
OLD = re.compile(r"\.(1\.0|2\.0)\.\d+$")


def asked(env: dict[str, str], *words: str) -> str:
    """What a command prints."""
    result = CliRunner().invoke(main, words, env=env, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def asked_json(env: dict[str, str], *words: str) -> Any:
    """What a command prints as JSON."""
    return json.loads(asked(env, *words, "--json"))


def asked_events(env: dict[str, str], *words: str) -> list[dict[str, Any]]:
    """What a command prints as events."""
    return [json.loads(line) for line in asked(env, *words, "--json").split("\n") if line]


def nodes(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An agent of a tree and everyone below it."""
    yield root
    for child in root["children"]:
        yield from nodes(child)


def agrees(env: dict[str, str], folder: Path) -> None:
    """Fails unless all faces say the same of every session of a home."""
    rows = asked_json(env, "ps", "--all")
    assert rows
    old = OLD.search(folder.name) is not None
    for row in rows:
        run = row["run"]
        stored = _face(env, row, alone=len(rows) == 1, nameless=old)
        asked(env, "import", run)
        (logged,) = [each for each in asked_json(env, "ps", "--all") if each["run"] == run]
        assert spent(logged.pop("usage")) == spent(row.pop("usage"))
        for name in ("updated", "machine", "user"):
            del logged[name], row[name]
        assert logged == row
        (again,) = [each for each in asked_json(env, "ps", "--all") if each["run"] == run]
        events = _face(env, again, alone=len(rows) == 1, nameless=old)
        assert agents_of(events) == agents_of(stored)
        assert asked_events(env, "tail", run) == events
        asyncio.run(_api(env, again, events))


def _face(
    env: dict[str, str], row: dict[str, Any], *, alone: bool, nameless: bool
) -> list[dict[str, Any]]:
    """Compares what is listed of a run with its events, its tree, its export and its costs."""
    run, listed = row["run"], spent(row["usage"])
    events = asked_events(env, "cat", run)
    assert_fleet([e.decode_event(msgspec.json.encode(event)) for event in events])
    agents, done = agents_of(events), events[-1]
    assert (known(events, "cwd"), known(events, "session_id")) == (row["cwd"], row["session_id"])
    assert events[0]["ts"] == row["started"]
    assert abs(done["ts"] - row["updated"]) < END_MS
    assert agents[0].status == row["status"]
    assert tokens_of(done) == total_of(agents, 0) == listed[0]
    assert len([each for each in agents.values() if each.resumes is None]) == row["agents"]

    tree = asked_json(env, "tree", run)
    assert spent(tree["total"]) == listed
    found = {node["stream_id"]: node for node in nodes(tree)}
    assert found.keys() == agents.keys()
    for number, agent in agents.items():
        _agent(agent, total_of(agents, number), found[number])

    export = asked_json(env, "export", run)
    about = ("status", "cwd", "title", "started", "session_id", "agents")
    assert [export[name] for name in about] == [row[name] for name in about]
    assert spent(export["usage"]) == listed
    assert export["duration_ms"] == done["duration_ms"] == done["ts"] - events[0]["ts"]
    for stream in export["streams"]:
        node = found[stream["stream_id"]]
        for name in ("status", "started", "duration_ms", "tool_uses", "usage", "total"):
            assert stream[name] == node[name]
    for form in ("--html", "--markdown"):
        # Where lines are broken and what is escaped is of no account.
        shown = re.sub(r"[\s\\]+", "", asked(env, "export", run, form))
        assert f"{sum(listed[0]):,}tokens" in shown
    if alone:
        _costs(env, row, agents, nameless=nameless)
    return events


def _agent(agent: Agent, total: tuple[int, ...], node: dict[str, Any]) -> None:
    assert (node["agent"], node["description"]) == (agent.name, agent.description)
    assert (node["status"], node["waiting"]) == (agent.status, None)
    took = agent.ended - agent.started
    assert (node["started"], node["ended"], node["duration_ms"]) == (
        agent.started,
        agent.ended,
        took,
    )
    assert node["tool_uses"] == agent.tools
    assert (tokens_of(node["usage"]), tokens_of(node["total"])) == (agent.own, total)


def _costs(
    env: dict[str, str], row: dict[str, Any], agents: dict[int, Agent], *, nameless: bool
) -> None:
    """However it is grouped, what was spent is what the run has used."""
    used, (reported, computed) = spent(row["usage"])
    for key in KEYS:
        table = asked_json(env, "cost", "--by", key)
        assert tokens_of(table["total"]) == used
        assert tuple(sum(each[name] for each in table["rows"]) for name in COUNTS) == used
        money = table["total"]["cost_usd"]
        assert (money and round(money, 9)) == (
            None if reported is computed is None else round((reported or 0) + (computed or 0), 9)
        )
        assert table["total"]["estimated"] == bool(computed)
        if key == "agent" and not nameless and any(used):
            named: dict[str, tuple[int, ...]] = {}
            for agent in agents.values():
                if any(agent.own):
                    named[agent.name] = plus(named.get(agent.name, (0, 0, 0, 0)), agent.own)
            assert {each["key"]: tokens_of(each) for each in table["rows"]} == named


async def _api(env: dict[str, str], row: dict[str, Any], events: list[dict[str, Any]]) -> None:
    run = row["run"]
    log = await SqliteLog.open(Path(env["UNBRAID_HOME"]) / "log.db")
    try:
        async with (
            serving(ServeConfig(port=0, tokens=(TOKEN,)), log) as server,
            client_at(server.url) as client,
        ):
            one = (await client.get(f"/v1/runs/{run}")).json()
            assert {name: one[name] for name in row} == row
            tree = (await client.get(f"/v1/runs/{run}/tree")).json()["root"]
            assert tree == asked_in_thread(env, run)
            agents = (await client.get(f"/v1/runs/{run}/agents")).json()["agents"]
            by_stream = {node["stream_id"]: node for node in nodes(tree)}
            for agent in agents:
                node = by_stream[agent["stream_id"]]
                shared = agent.keys() & node.keys() - {"children", "session_id"}
                assert {name: agent[name] for name in shared} == {n: node[n] for n in shared}
            usage = (await client.get(f"/v1/runs/{run}/usage")).json()
            assert usage["usage"] == row["usage"]
            models = [tokens_of(each["usage"]) for each in usage["models"]]
            assert tuple(map(sum, zip(*models, strict=True))) in ((), tokens_of(row["usage"]))
            lines = {"accept": "application/x-ndjson"}
            sent = (await client.get(f"/v1/runs/{run}/events", headers=lines)).text
            assert [json.loads(line) for line in sent.split("\n") if line] == events
        summary, entries = await log.run(run), list[Entry]()
        while batch := await log.read(run, entries[-1].seq if entries else 0):
            entries += batch
        assert summary is not None
        await others_agree(summary, entries, agents_of(events), row)
    finally:
        await log.close()


def asked_in_thread(env: dict[str, str], run: str) -> Any:
    """A run's tree by the command, which starts an event loop of its own."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asked_json, env, "tree", run).result()
