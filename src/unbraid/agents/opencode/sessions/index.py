"""Which sessions OpenCode has stored, and whether they have changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

from unbraid.agents.opencode.editions import UNFORKED, Editions
from unbraid.agents.opencode.sessions.database import connect, root_of, tree_run
from unbraid.agents.session_port import StoredSession, files_version, translate_run
from unbraid.errors import SourceError
from unbraid.read.record import milliseconds

_SESSIONS = "SELECT id, parent_id, version, time_updated FROM session ORDER BY time_created"
# The row of a session is not always written again with its last message.
_CHANGES = """SELECT session_id, count(*), max(time_updated) FROM message GROUP BY session_id
    UNION ALL SELECT session_id, count(*), max(time_updated) FROM part GROUP BY session_id"""


def stored_sessions(path: Path, editions: Editions = UNFORKED) -> list[StoredSession]:
    """Returns all root sessions with their children, newest first. Raises SourceError."""
    try:
        with closing(connect(path, parts=False)) as db:
            sessions = db.execute(_SESSIONS).fetchall()
            changes = db.execute(_CHANGES).fetchall()
    except sqlite3.Error as error:
        raise SourceError(str(path), f"cannot be read ({error})") from None
    parents = {sid: parent for sid, parent, *_ in sessions}
    versions = {sid: version for sid, _, version, _ in sessions}
    trees: dict[str, list[str]] = {}
    stamps: dict[str, list[tuple[int, int]]] = {}
    for sid, *_, updated in sessions:
        root = root_of(sid, parents)
        trees.setdefault(root, []).append(sid)
        stamps.setdefault(root, []).append((0, milliseconds(_number(updated))))
    for sid, count, updated in changes:
        if sid in parents:
            stamps[root_of(sid, parents)].append((count, milliseconds(_number(updated))))
    found = [
        StoredSession(
            session_id=root,
            changed_ms=max(at for _, at in stamps[root]),
            version=files_version(stamps[root]),
            translate=partial(
                translate_run, tree_run(path, root, tree, editions.of_version(versions[root]))
            ),
        )
        for root, tree in trees.items()
    ]
    return sorted(found, key=lambda stored: stored.changed_ms, reverse=True)


def _number(given: object) -> float:
    # The rows have whatever an agent has written.
    return given if isinstance(given, int | float) else 0
