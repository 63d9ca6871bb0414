"""A CLI of each kind, started for real: what it printed and kept is what the model served.

Every pinned version, with what unbraid makes of it: tests/clis.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.record.run.agents import cli_of
from unbraid.testing import (
    CLAUDE_VERSIONS,
    OPENCODE_VERSIONS,
    Recording,
    ScriptedModel,
    claude_launch,
    record_claude,
    record_opencode,
    scenarios,
    start_claude,
)

pytestmark = pytest.mark.cli

Json = dict[str, Any]
CLAUDE, OPENCODE = CLAUDE_VERSIONS[-1], OPENCODE_VERSIONS[0]
NAME = "fan-same-opening"  # a single agent, and two below it


def content(block: Json) -> tuple[str, str]:
    """A block's kind and what it says: a tool call is its id."""
    if block["type"] == "tool_use":
        return "tool_use", block["id"]
    return block["type"], block.get("text") or block["thinking"]


def said(recording: Recording) -> Counter[tuple[str, str, str]]:
    """Message, kind and content of every block of the truth."""
    return Counter((block["message_id"], *content(block)) for block in recording.blocks)


def printed(records: list[Json]) -> Counter[tuple[str, str, str]]:
    """Message, kind and content of every block of Claude Code's assistant lines."""
    return Counter(
        (record["message"]["id"], *content(block))
        for record in records
        if record["type"] == "assistant"
        for block in record["message"]["content"]
    )


def kept(recording: Recording) -> list[Json]:
    """Every line of every transcript."""
    paths = [path for group in recording.transcripts.values() for path in group]
    return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]


async def test_claude_prints_and_keeps_what_was_said(tmp_path: Path) -> None:
    cli_of("claude", CLAUDE)
    recording = await record_claude(CLAUDE, NAME, "plain", tmp_path)
    assert recording.exit == 0, recording.stderr
    truth = said(recording)
    shown = printed(recording.records)
    assert not shown - truth
    main = {block["message_id"] for block in recording.blocks if block["agent"] == "main"}
    assert {key for key in truth if key[0] in main} == {key for key in shown if key[0] in main}
    agents = {block["message_id"]: block["agent"] for block in recording.blocks}
    owners = {child: parent["tool_use_id"] for child, parent in recording.truth["parents"].items()}
    for record in recording.records:
        if record["type"] == "assistant":
            agent = agents[record["message"]["id"]]
            assert record["parent_tool_use_id"] == owners.get(agent)
    assert not truth - printed(kept(recording))
    assert len(recording.lines) == len(recording.times)


async def test_opencode_prints_the_main_agent_and_keeps_all(tmp_path: Path) -> None:
    cli_of("opencode", OPENCODE)
    recording = await record_opencode(OPENCODE, NAME, "run", tmp_path)
    assert recording.exit == 0, recording.stderr
    parts = [record["part"] for record in recording.records]
    main = [block for block in recording.blocks if block["agent"] == "main"]
    assert spoken(parts) == Counter(spoken_by_model(main))
    assert recording.database is not None
    with closing(sqlite3.connect(recording.database)) as connection:
        rows = connection.execute(
            "select part.data, session.parent_id from part, session "
            "where session.id = part.session_id and part.message_id in "
            "(select id from message where json_extract(data, '$.role') = 'assistant')"
        )
        stored = [json.loads(data) for data, _ in rows]
    assert spoken(stored) == Counter(spoken_by_model(recording.blocks))


async def test_opencode_serves_every_agents_events(tmp_path: Path) -> None:
    cli_of("opencode", OPENCODE)
    recording = await record_opencode(OPENCODE, "nested", "serve", tmp_path)
    assert {block["agent"] for block in recording.blocks} == {"main", "mid", "leaf"}
    answers = {
        event["properties"]["info"]["id"]
        for event in recording.records
        if event["type"] == "message.updated" and event["properties"]["info"]["role"] == "assistant"
    }
    parts = {
        part["id"]: part
        for event in recording.records
        if event["type"] == "message.part.updated"
        and (part := event["properties"]["part"])["messageID"] in answers
    }
    assert spoken(list(parts.values())) == Counter(spoken_by_model(recording.blocks))
    data = [line[6:] for line in recording.sse.split(b"\n") if line.startswith(b"data: ")]
    assert data[: len(recording.lines)] == recording.lines


def spoken(parts: list[Json]) -> Counter[tuple[str, str]]:
    """What OpenCode's parts say: texts and reasonings, and calls by their id."""
    kinds = {"text": "text", "reasoning": "text", "tool": "callID"}
    return Counter(
        (part["type"], part[kinds[part["type"]]]) for part in parts if part["type"] in kinds
    )


def spoken_by_model(blocks: list[Json]) -> list[tuple[str, str]]:
    """The same for the truth's blocks."""
    names = {"text": "text", "thinking": "reasoning", "tool_use": "tool"}
    return [(names[block["type"]], content(block)[1]) for block in blocks]


async def test_permissions_are_asked_and_answered(tmp_path: Path) -> None:
    cli_of("claude", CLAUDE)
    recording = await record_claude(CLAUDE, "permission", "stdin", tmp_path)
    answers = [row["line"]["response"]["response"] for row in recording.sent[2:]]
    assert [answer["behavior"] for answer in answers] == ["allow", "deny"]
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()
    assert recording.blocks[-1]["text"] == "One yes, one no."


async def test_an_interrupt_ends_an_answer_and_the_next_prompt_is_answered(tmp_path: Path) -> None:
    cli_of("claude", CLAUDE)
    recording = await record_claude(CLAUDE, "interrupt", "stdin", tmp_path)
    results = [record["subtype"] for record in recording.records if record["type"] == "result"]
    assert results == ["error_during_execution", "success"]
    assert [block.get("cut") for block in recording.blocks] == [True, None]
    assert recording.blocks[-1]["text"] == "After the interrupt."


async def test_lines_arrive_while_it_runs_and_leaving_early_ends_it(tmp_path: Path) -> None:
    cli_of("claude", CLAUDE)
    slow = scenarios.scenario("interrupt")
    async with start_claude(CLAUDE, slow, home=tmp_path, mode="partial") as run:
        async for line in run.lines():
            if b"content_block_delta" in line:
                break
    assert await run.child.wait() != 0
    assert 0 < len(run.recording.lines) < 50


def test_a_launch_can_be_started_by_hand(tmp_path: Path) -> None:
    cli = cli_of("claude", CLAUDE)
    with ScriptedModel(scenarios.scenario("quoted-text")) as model:
        launch = claude_launch(cli, model.url, tmp_path, ["-p", "[[main]] Go."])
        done = subprocess.run(
            launch.argv,
            env=launch.env,
            cwd=launch.cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )
    assert done.stdout.decode().strip() == model.truth["blocks"][0]["text"]
