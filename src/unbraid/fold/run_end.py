"""The end of a run whose writer is gone: what its log still needs to be whole."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import asdict

from unbraid import events as e
from unbraid.fold.tree import Tree


def closing_events(events: Sequence[e.FleetEvent], reason: str) -> list[e.FleetEvent]:
    """Returns the end of every stream that is open, latest first, and `done`; nothing if that is
    there. The run has ended with its last event, whenever that is found out.
    """
    tree = Tree(events)
    if not events or tree.done is not None:
        return []
    first, last = events[0], events[-1]
    ts, seq = max(event.ts for event in events), last.seq
    ends: list[e.FleetEvent] = []
    for node in sorted(tree.nodes.values(), key=lambda node: node.stream_id, reverse=True):
        if node.ended is None:
            seq += 1
            ends.append(
                e.StreamEnd(
                    seq=seq,
                    ts=ts,
                    stream_id=node.stream_id,
                    depth=node.depth,
                    agent=node.agent,
                    ok=False,
                    reason=reason,
                )
            )
    total = tree.rolled_up()
    done = e.Done(
        seq=seq + 1,
        ts=ts,
        stream_id=0,
        depth=0,
        agent=first.agent,
        ok=False,
        streams=len(tree.nodes),
        **asdict(total),
        duration_ms=ts - first.ts,
    )
    return [*ends, done]
