"""What stands beside a transcript, and what stands inside a notification."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unbraid.agents.claude.records import ClaudeRecord
from unbraid.agents.claude.transcript import AgentFacts, agent_line, notification, session_line
from unbraid.events import SessionMeta
from unbraid.read.reader import parse_line
from unbraid.read.record import read_as
from unbraid.read.translator import Translator

META = {"agentType": "Explore", "description": "look", "toolUseId": "toolu_1", "spawnDepth": 1}


def test_an_agents_meta_file_becomes_one_line() -> None:
    line = agent_line("a1", json.dumps(META).encode())
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    record = parse_line(line)
    assert record is not None
    assert record.type == "unbraid.agent"
    assert read_as(AgentFacts, record.raw) == AgentFacts(
        "a1", "Explore", "look", "toolu_1", spawn_depth=1
    )


def test_a_workflows_agent_names_its_workflow() -> None:
    record = parse_line(agent_line("a1", b"{}", "wf_1"))
    assert record is not None
    assert read_as(AgentFacts, record.raw) == AgentFacts("a1", workflow="wf_1")


@pytest.mark.parametrize("meta", [b"", b"{", b"[]", b"null", b"7", b"\xff", b"[" * 100_000])
def test_a_broken_meta_file_leaves_the_id(meta: bytes) -> None:
    record = parse_line(agent_line("a1", meta))
    assert record is not None
    assert read_as(AgentFacts, record.raw) == AgentFacts("a1")


@pytest.mark.parametrize("value", [None, 7, [], {}])
def test_wrong_types_in_a_meta_file_cost_only_themselves(value: Any) -> None:
    record = parse_line(agent_line("a1", json.dumps(META | {"agentType": value}).encode()))
    assert record is not None
    facts: AgentFacts = read_as(AgentFacts, record.raw)
    assert (facts.agent_type, facts.tool_use_id) == (None, "toolu_1")


def test_a_meta_file_cannot_pass_for_another_agent_or_type() -> None:
    record = parse_line(agent_line("a1", b'{"type":"assistant","agentId":"a2"}'))
    assert record is not None
    assert isinstance(record, ClaudeRecord)
    assert (record.type, record.agent_id) == ("unbraid.agent", "a1")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("hello", None),
        ("", None),
        ("<task-notification>", {}),
        (
            "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n"
            "<result>two\nlines</result>\n</task-notification>",
            {"task-id": "a1", "status": "completed", "result": "two\nlines"},
        ),
        ("  <task-notification><task-id>a</task-id><task-id>b</task-id>", {"task-id": "a"}),
        ("say <task-notification><task-id>a</task-id>", None),
        (
            "[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is no approval.\n"
            "<task-notification><task-id>a</task-id></task-notification>",
            {"task-id": "a"},
        ),
        ("[SYSTEM NOTIFICATION - NOT USER INPUT]\nA message from elsewhere.", None),
        ("<task-notification><task-id>a</status>", {}),
    ],
)
def test_a_notification_has_fields(text: str, fields: dict[str, str] | None) -> None:
    assert notification(text) == fields


def test_a_session_introduces_itself_at_the_time_it_began() -> None:
    line = session_line("s1", cwd="/app", version="2.1.0", started_ms=1763194380123)
    translator = Translator()
    (meta,) = translator.feed(line)
    assert meta == SessionMeta("", 1763194380123, "s1", cwd="/app", version="2.1.0")
    assert translator.feed(line) == [], "what is known is not reported again"
    spoken = b'{"type":"assistant","isSidechain":false,"message":{"id":"m","content":"Hi."}}'
    translator.feed(spoken + b"\n", "s1.jsonl")
    translator.finish()
    assert translator.outcome == (True, "completed"), "a file ends without saying so"


def test_a_session_without_a_time_is_introduced_without_one() -> None:
    (meta,) = Translator().feed(session_line("s1", cwd=None, version=None, started_ms=0))
    assert meta == SessionMeta("", 0, "s1")
