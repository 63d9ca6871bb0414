"""OpenCode's root sessions as rows of a list, straight from where it keeps them."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from pathlib import Path

from unbraid.agents.opencode.sessions.database import connect, root_of
from unbraid.agents.stored import SessionFacts
from unbraid.errors import SourceError
from unbraid.fleet.amounts import plausible_count, plausible_dollars
from unbraid.fleet.status import FAILED, INTERRUPTED
from unbraid.fleet.usage import Usage

ABORTED = "MessageAbortedError"
_SESSIONS = """SELECT id, parent_id, title, directory, time_created, time_updated FROM session"""
_SPENT = """SELECT session_id,
    total(json_extract(data, '$.tokens.input')),
    total(json_extract(data, '$.tokens.output') + json_extract(data, '$.tokens.reasoning')),
    total(json_extract(data, '$.tokens.cache.read')),
    total(json_extract(data, '$.tokens.cache.write')),
    total(json_extract(data, '$.cost')),
    max(json_extract(data, '$.time.created')
        * (json_extract(data, '$.time.completed') IS NULL))
    FROM message WHERE json_valid(data) AND json_extract(data, '$.role') = 'assistant'
    GROUP BY session_id"""
# With `max`, SQLite takes the other columns from the row that has it.
_LAST = """SELECT session_id, max(json_extract(data, '$.time.created')),
    json_extract(data, '$.error.name')
    FROM message WHERE json_valid(data) AND json_extract(data, '$.role') = 'assistant'
    GROUP BY session_id"""


def opencode_rows(path: Path) -> list[SessionFacts]:
    """Returns all root sessions with their children, newest first. A session whose answers are all
    finished is answered.
    """
    try:
        with closing(connect(path, parts=False)) as db:
            sessions = {row[0]: row for row in db.execute(_SESSIONS)}
            spent = {row[0]: row[1:] for row in db.execute(_SPENT)}
            failed = {row[0]: row[2] for row in db.execute(_LAST) if row[2] is not None}
    except sqlite3.Error as error:
        raise SourceError(str(path), f"cannot be read ({error})") from None
    parents = {sid: row[1] for sid, row in sessions.items()}
    rows: dict[str, SessionFacts] = {}
    for sid, (*_, updated) in sessions.items():
        root = root_of(sid, parents)
        about = sessions[root]
        row = rows.setdefault(
            root,
            SessionFacts(
                session_id=root,
                title=about[2],
                cwd=about[3],
                started=about[4],
                updated=about[5],
                answered=True,
                agents=0,
                ending=_ending(failed.get(root)),
            ),
        )
        row.agents += 1
        row.updated = max(row.updated, updated)
        if sid in spent:
            given, said, read, written, cost, open_since = (value or 0 for value in spent[sid])
            usage = Usage(
                input_tokens=_count(given),
                output_tokens=_count(said),
                cache_read_tokens=_count(read),
                cache_creation_tokens=_count(written),
                cost_usd=plausible_dollars(float(cost)) or 0.0,
            )
            row.usage.add(usage)
            row.answered = row.answered and not open_since
    return sorted(rows.values(), key=lambda row: row.updated, reverse=True)


def _count(given: float) -> int:
    # A sum of whatever numbers the rows have: infinity is no integer.
    return 0 if math.isinf(given) else plausible_count(round(given)) or 0


def _ending(error: str | None) -> str | None:
    """Returns how a session has ended whose last message has failed so."""
    if error is None:
        return None
    return INTERRUPTED if error == ABORTED else FAILED
