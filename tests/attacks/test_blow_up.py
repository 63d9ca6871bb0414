"""Attack: a transcript that is small, and takes its reader minutes.

Thousands of agents, of blocks that nobody knows, of agents within agents: each was compared with
all others, or called a function within a function. The time limit of every test is the assertion.
"""

from __future__ import annotations

import json

from unbraid import events as e
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.tree import Tree

SESSION = "11111111-2222-4333-8444-555555555555"


def line(number: int, content: list[object], **more: object) -> bytes:
    message = {"id": f"m{number}", "role": "assistant", "content": content}
    record = {"type": "assistant", "session_id": SESSION, "uuid": f"u{number}", "message": message}
    return json.dumps(record | more).encode() + b"\n"


def call(number: int) -> dict[str, object]:
    return {"type": "tool_use", "id": f"c{number}", "name": "Task", "input": {"prompt": "Go."}}


def events_of(data: bytes) -> list[e.FleetEvent]:
    pipeline = Pipeline("claude")
    return pipeline.feed(data) + pipeline.finish()


def test_many_agents() -> None:
    events = events_of(b"".join(line(n, [call(n)]) for n in range(20_000)))
    assert sum(isinstance(event, e.StreamStart) for event in events) == 20_001
    assert len(Tree(events).to_text().splitlines()) == 20_001


def test_many_blocks_that_nobody_knows() -> None:
    events = events_of(line(1, [{"n": n} for n in range(50_000)]))
    unknown = [event for event in events if isinstance(event, e.FleetUnrecognized)]
    assert [json.loads(bytes(event.raw))["n"] for event in unknown[:3]] == [0, 1, 2]


def test_agents_within_agents() -> None:
    chain = [line(0, [call(0)])]
    chain += [line(n, [call(n)], parent_tool_use_id=f"c{n - 1}") for n in range(1, 3_000)]
    tree = Tree(events_of(b"".join(chain)))
    assert max(node.depth for node in tree.nodes.values()) >= 2_999
    assert len(tree.to_text().splitlines()) == len(tree.nodes)
    written = json.dumps(tree.to_json())
    assert written.count('"stream_id"') == len(tree.nodes)
    assert len(tree.to_mermaid().splitlines()) >= len(tree.nodes)
