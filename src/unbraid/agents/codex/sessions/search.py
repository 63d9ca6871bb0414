"""What was said in stored rollouts, as far as they may hold some words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from unbraid.agents.codex.dialect.dispatcher import CodexDialect
from unbraid.agents.codex.sessions.rollout_file import rollout_bytes, rollout_events
from unbraid.agents.session_port import StoredBlock
from unbraid.agents.session_search import may_hold, stored_block
from unbraid.errors import SourceError


def rollout_blocks(
    path: Path, needle: str, *, session_id: str, agent_id: str | None
) -> Iterator[StoredBlock]:
    """Yields what was said in a file that may hold a needle; one that cannot be read has
    nothing.
    """
    try:
        if not may_hold(rollout_bytes(path), needle):
            return
        for event in chain.from_iterable(rollout_events(path, CodexDialect())):
            block = stored_block(event, session_id=session_id, agent_id=agent_id)
            if block is not None:
                yield block
    except (OSError, SourceError):
        return
