"""What was said in stored rollouts, as far as they may hold some words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from unbraid.agents.codex.dialect.dispatcher import CodexDialect
from unbraid.agents.codex.sessions.rollout_file import rollout_bytes, rollout_events
from unbraid.agents.session_port import StoredBlock, searchable_text
from unbraid.errors import SourceError
from unbraid.fleet.query import json_forms


def rollout_blocks(
    path: Path, session: str, agent: str | None, needle: str
) -> Iterator[StoredBlock]:
    """Yields what was said in a file that may hold a needle; one that cannot be read has
    nothing.
    """
    try:
        if not _may_hold(path, needle):
            return
        for event in chain.from_iterable(rollout_events(path, CodexDialect())):
            if (said := searchable_text(event)) is not None:
                kind, text = said
                yield StoredBlock(
                    session_id=session, agent_id=agent, kind=kind, ts=event.ts, text=text
                )
    except (OSError, SourceError):
        return


def _may_hold(path: Path, needle: str) -> bool:
    forms = json_forms(needle)
    if forms is None:
        return True
    wanted, before = [form.encode() for form in forms], b""
    for data in rollout_bytes(path):
        # The needle may be cut by the chunks.
        lower = (before + data).lower()
        if any(form in lower for form in wanted):
            return True
        before = data[-max(map(len, wanted)) :]
    return False
