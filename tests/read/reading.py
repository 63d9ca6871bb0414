"""What a consumer of relay events makes of them: blocks, joined, agent by agent."""

from __future__ import annotations

from collections.abc import Iterable

from unbraid import events as e

Blocks = dict[str, list[tuple[str, str]]]


def blocks_of(events: Iterable[e.RelayEvent]) -> Blocks:
    """Every context's blocks in order: (type, words or call id)."""
    read: dict[str, dict[tuple[str, str, int], list[str]]] = {}
    for event in events:
        blocks = read.setdefault(event.context, {})
        match event:
            case e.TextDelta() | e.ThinkingDelta():
                kind = event.type.removesuffix("_delta")
                blocks.setdefault((kind, event.message_id, event.block), []).append(event.delta)
            case e.ToolUse():
                blocks[("tool_use", event.tool_use_id, -1)] = [event.tool_use_id]
            case _:
                pass
    return {
        context: [(kind, "".join(parts)) for (kind, _, _), parts in blocks.items()]
        for context, blocks in read.items()
    }


def by_agent(blocks: Blocks, calls: dict[str, str | None]) -> Blocks:
    """Contexts renamed to the agents whose calls they are."""
    return {name: blocks.get(call or "", []) for name, call in calls.items()}
