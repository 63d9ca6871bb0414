"""What was said in OpenCode's database, as far as it may hold some words."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from unbraid.agents.opencode.editions import UNFORKED, Editions
from unbraid.agents.opencode.sessions.database import DATA_BYTES, connect, root_of
from unbraid.agents.session_port import StoredBlock
from unbraid.errors import SourceError
from unbraid.events.parts import call_text, decoded
from unbraid.fold.query import json_forms
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES

_PARTS = f"""SELECT session_id, message_id, time_created, data FROM part
    WHERE {DATA_BYTES} <= {DEFAULT_MAX_LINE_BYTES} AND (data LIKE ? OR data LIKE ?)
    ORDER BY time_created DESC"""
_MESSAGE = f"SELECT data FROM message WHERE id = ? AND {DATA_BYTES} <= {DEFAULT_MAX_LINE_BYTES}"


def database_blocks(
    path: Path, needle: str, known: Collection[str], *, editions: Editions = UNFORKED
) -> Iterator[StoredBlock]:
    """Returns the parts that may hold a needle, newest first, but none of root sessions that are
    `known`.

    A database that cannot be read holds nothing.
    """
    # LIKE knows the cases of ASCII only. A needle has letters and digits: no wildcards.
    likes = [f"%{form}%" for form in json_forms(needle) or [""]]
    try:
        with closing(connect(path)) as db:
            parents = dict(db.execute("SELECT id, parent_id FROM session").fetchall())
            for session, message, created, data in db.execute(_PARTS, [likes[0], likes[-1]]):
                root = root_of(session, parents)
                if root not in known:
                    agent = None if root == session else session
                    about = db.execute(_MESSAGE, [message]).fetchone()
                    said = "prompt" if _is_person(about) else "text"
                    for kind, text in _words(data, said, editions):
                        yield StoredBlock(
                            session_id=root, agent_id=agent, kind=kind, ts=created, text=text
                        )
    except (sqlite3.Error, SourceError):
        return


def _is_person(message: Any) -> bool:
    match decoded(message[0].encode()) if message and isinstance(message[0], str) else None:
        case {"role": "user"}:
            return True
    return False


def _words(data: Any, said: str, editions: Editions) -> Iterator[tuple[str, str]]:
    """Yields what was said or called; not what calls gave, as in a search of the log."""
    match decoded(data.encode() if isinstance(data, str) else b"null"):
        case {"metadata": metadata} if editions.is_transient(metadata):
            return
        case {"type": "text", "text": str(text)}:
            yield said, text
        case {"type": "reasoning", "text": str(text)}:
            yield "thinking", text
        case {"type": "tool", "tool": str(tool), "state": dict(state)}:
            yield "tool_use", call_text(tool, msgspec.json.encode(state.get("input")))
