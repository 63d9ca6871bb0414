"""Print, for every recording, its events and the items that Python makes of them.

One JSON object a line: `name`, `events`, `streams` with the items of each stream, `statuses`
after each event, the `summaries` of all calls, and the `facts` of the run and its agents, in the
end and in the middle. Each recording is shown as it was printed, and as its CLI has stored it. The
page's fold is tested against it (`src/model/conversation.test.ts`). `UNBRAID_RECORDINGS` names
another folder.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw

from unbraid import events as e
from unbraid.agents.registry import tools
from unbraid.fold.conversation import RunConversation
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.tree import Tree
from unbraid.log.summary import RunSummary
from unbraid.record.sessions.sources import events_of, runs_of_sources

OWN = Path(__file__).parents[1] / "tests" / "recordings"
RECORDINGS = Path(os.environ.get("UNBRAID_RECORDINGS") or OWN)
STREAMS = ("stdout.ndjson", "events.ndjson", "app-server.ndjson")


def main() -> None:
    """Every recording, and one run that has what no recording has."""
    for folder in sorted(path.parent for path in RECORDINGS.glob("*/truth.json")):
        printed = next(folder / name for name in STREAMS if (folder / name).exists())
        pipeline = Pipeline()
        data = printed.read_bytes()
        show(folder.name, pipeline.feed(data) + pipeline.finish())
        # A database or a rollout may hold the sessions of others, too.
        for run in runs_of_sources([str(path) for path in stored(folder)], {}):
            show(f"{folder.name} as it is stored", list(events_of(run)))
    show("one of everything", list(everything()))


def stored(folder: Path) -> list[Path]:
    """What a recording's CLI has stored of its sessions; sub-agents' files are found beside."""
    mains = [p for p in folder.glob("projects/*/*.jsonl") if not p.name.startswith("agent-")]
    rollouts = [p for p in [folder / "sessions"] if p.is_dir()]
    return sorted(mains) or rollouts or sorted(folder.glob("*.db"))


def show(name: str, told: list[e.FleetEvent]) -> None:
    """One line of JSON."""
    run = RunConversation()
    lines = [e.encode(event) for event in told]
    for line in lines:
        run.apply(e.decode_event(line))
    streams = {
        stream_id: [_compared(msgspec.json.decode(msgspec.json.encode(i))) for i in stream.items]
        for stream_id, stream in run.streams.items()
    }
    shown = {
        "name": name,
        "events": [json.loads(line) for line in lines],
        "streams": streams,
        "statuses": list(_statuses(told)),
        "summaries": [
            [event.tool, event.input, tools().summary(event.tool, event.input)]
            for event in told
            if isinstance(event, e.FleetToolUse | e.FleetPermissionAsked)
        ],
        "facts": [facts(told[:count]) for count in (len(told) // 2, len(told))],
    }
    sys.stdout.write(json.dumps(shown) + "\n")


def facts(told: list[e.FleetEvent]) -> dict[str, Any]:
    """What lists and trees say of a run after so many events: who, where, when, how much."""
    tree, summary = Tree(told), RunSummary("run")
    for event in told:
        summary.fold(event, 1)
    totals = tree.totals()
    return {
        "count": len(told),
        "run": [
            summary.source,
            summary.session_id,
            summary.title,
            summary.cwd,
            summary.started,
            summary.updated,
            msgspec.to_builtins(summary.usage),
        ],
        "agents": [
            [
                node.stream_id,
                node.agent,
                node.description,
                node.model,
                node.started,
                node.ended,
                node.tool_uses,
                node.last_tool,
                msgspec.to_builtins(node.usage),
                msgspec.to_builtins(totals[node.stream_id]),
            ]
            for node in tree.nodes.values()
        ],
    }


def _statuses(told: list[e.FleetEvent]) -> Iterator[tuple[int, str, list[str]]]:
    """After each event: its `seq`, the run's status, and its agents'."""
    tree = Tree()
    for event in told:
        tree.apply([event])
        yield event.seq, tree.state.status, [node.status for node in tree.nodes.values()]


def _compared(item: dict[str, Any]) -> dict[str, Any]:
    """An item without what the page has no use for: there, one that has changed is another object,
    and no text is an empty one.
    """
    del item["last_seq"]
    return item if item.get("text") else {key: item[key] for key in item if key != "text"}


def everything() -> Iterator[e.FleetEvent]:
    """A run with every event that becomes an item, in good and in bad order."""
    root: dict[str, Any] = {"stream_id": 0, "depth": 0, "agent": "main"}
    child: dict[str, Any] = {"stream_id": 1, "depth": 1, "agent": "helper"}
    asked = {**root, "tool": "Bash", "input_json": Raw(b'{"command":"rm"}')}
    result = {**root, "ok": True, "content_json": Raw(b'"found"')}
    start = {"parent_stream_id": 0, "tool_use_id": "t", "prompt": "Look", "resumes": 7}
    story: list[tuple[type[e.FleetEvent], dict[str, Any]]] = [
        (e.RequestReceived, {**root, "source": "test", "prompt": "Go"}),
        (e.StreamStart, {**root, "parent_stream_id": None, "prompt": "Go on"}),
        (e.Text, {**root, "message_id": "m", "block": 0, "delta": "wro"}),
        (e.FleetUnrecognized, {**root, "raw": Raw(b'{"type":"novelty","n":[1,2]}')}),
        (e.Thinking, {**root, "message_id": "m", "block": 1, "delta": "hm"}),
        (e.Text, {**root, "message_id": "m", "block": 0, "delta": "ng"}),
        (e.FleetToolUse, {**asked, "tool_use_id": "t", "message_id": "m"}),
        (e.StreamStart, {**child, **start}),
        (e.FleetPrompt, {**child, "text": "Look"}),
        (e.Text, {**child, "message_id": "c", "block": 0, "delta": "found"}),
        (e.SubAgentResponse, {**child, "content": "found"}),
        (e.StreamEnd, {**child, "ok": True, "reason": "completed"}),
        (e.FleetToolResult, {**result, "tool_use_id": "t", "parts": [{"type": "image"}]}),
        (e.FleetToolResult, {**result, "tool_use_id": "t", "ok": False, "duration_ms": 99}),
        (e.FleetToolResult, {**result, "tool_use_id": "unknown"}),
        (e.FleetRetracted, {**root, "message_ids": ["m", "unknown"]}),
        (e.FleetPermissionAsked, {**asked, "request_id": "r"}),
        (e.FleetPermissionAsked, {**asked, "request_id": "s"}),
        (e.FleetPermissionReplied, {**root, "request_id": "r", "behavior": "deny", "by": "Ann"}),
        (e.FleetPermissionReplied, {**root, "request_id": "unknown", "behavior": "allow"}),
        (e.ToolCall, {**root, "tool": "parallel", "ok": False}),
        (e.FleetError, {**root, "message": "overloaded", "code": "529"}),
        (e.FleetMalformed, {**root, "raw": "{brok", "reason": "cut short", "offset": 7}),
        (e.FleetTurnComplete, {**root, "ok": True, "subtype": "success", "result": "all"}),
        (e.FleetTurnComplete, {**root, "ok": False, "subtype": "", "result": "no"}),
        (e.FleetPrompt, {**root, "text": "And?"}),
        (e.FleetPermissionAsked, {**asked, **child, "request_id": "t"}),
        (e.FleetPermissionReplied, {**root, "request_id": "t", "behavior": "allow"}),
        (e.StreamEnd, {**root, "ok": False, "reason": "interrupted"}),
    ]
    for seq, (kind, fields) in enumerate(story, 1):
        yield kind(seq=seq, ts=1000 + seq, **fields)


if __name__ == "__main__":
    main()
