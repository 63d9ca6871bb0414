"""Compactions that an agent's CLI has recorded: once, whichever of its sources are read."""

from __future__ import annotations

import json

import pytest

from tests.block_rows import RECORDINGS
from unbraid import events as e
from unbraid.fold.conversation import RunConversation, note_of
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.tool_formats import ToolTable

CLAUDE = RECORDINGS / "compacted.stdin.2.1.325"
CODEX = RECORDINGS / "compacted.app-server.codex-0.166.0"
(TRANSCRIPT,) = CLAUDE.glob("projects/*/*.jsonl")
(ROLLOUT,) = CODEX.glob("sessions/*/*/*/*.jsonl")
SOURCES = {
    "stdout": [CLAUDE / "stdout.ndjson"],
    "transcript": [TRANSCRIPT],
    "both": [CLAUDE / "stdout.ndjson", TRANSCRIPT],
    "app-server": [CODEX / "app-server.ndjson"],
    "rollout": [ROLLOUT],
    "app-server and rollout": [CODEX / "app-server.ndjson", ROLLOUT],
}


# As OpenCode 1.18.33 sends it, when a person has asked for it.
OPENCODE = (
    ("message.updated", {"info": {"id": "msg_1", "role": "user", "sessionID": "ses_1"}}),
    (
        "message.part.updated",
        {
            "part": {
                "id": "prt_1", "messageID": "msg_1", "sessionID": "ses_1",
                "type": "compaction", "auto": False,
            }
        },
    ),
    (
        "message.updated",
        {
            "info": {
                "id": "msg_2", "role": "assistant", "parentID": "msg_1", "sessionID": "ses_1",
                "mode": "compaction", "agent": "compaction", "summary": True,
                "modelID": "one", "providerID": "scripted",
            }
        },
    ),
    (
        "message.part.updated",
        {
            "part": {
                "id": "prt_2", "reason": "stop", "messageID": "msg_2", "sessionID": "ses_1",
                "type": "step-finish", "cost": 0,
                "tokens": {
                    "total": 3124, "input": 120, "output": 4, "reasoning": 0,
                    "cache": {"write": 0, "read": 3000},
                },
            }
        },
    ),
    ("session.compacted", {"sessionID": "ses_1"}),
)  # fmt: skip


def events_from(sources: dict[str, bytes]) -> list[e.FleetEvent]:
    pipeline = Pipeline()
    events = [e for name, data in sources.items() for e in pipeline.feed(data, name)]
    return [*events, *pipeline.finish()]


@pytest.mark.parametrize("name", SOURCES)
def test_it_is_reported_once_where_it_was(name: str) -> None:
    events = events_from({str(path): path.read_bytes() for path in SOURCES[name]})
    conversation = RunConversation()
    for event in events:
        conversation.apply(event)
    items = conversation.streams[0].items
    (cut,) = [event for event in events if isinstance(event, e.FleetCompacted)]
    said = {item.text: item.seq for item in items if item.kind == "text"}
    assert said["First turn over."] < cut.seq < said["Said after the compaction."]
    is_claude = SOURCES[name][0].is_relative_to(CLAUDE)
    found = (cut.trigger, cut.before_tokens, cut.after_tokens)
    assert found == (("manual", 3125, 2586) if is_claude else (None, None, None))
    notes = [note_of(item, ToolTable()) for item in items if item.kind == "compacted"]
    counts = ": 3.1k → 2.6k tokens" if is_claude else ""
    assert [note.text for note in notes if note] == [f"— context compacted{counts}"]


def test_opencode_has_compacted_when_its_summary_is_there() -> None:
    lines = b"".join(
        json.dumps({"type": kind, "properties": {"sessionID": "ses_1", **about}}).encode() + b"\n"
        for kind, about in (*OPENCODE, *OPENCODE)
    )
    created = b'{"type":"session.created","properties":{"info":{"id":"ses_1"}}}\n'
    kinds = [event.type for event in events_from({"events": created + lines})]
    assert kinds.count("compacted") == 1
    assert kinds.index("compacted") == kinds.index("token_usage") + 1
