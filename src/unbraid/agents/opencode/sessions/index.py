"""OpenCode's root sessions as rows of a list, straight from where it keeps them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from unbraid.agents.opencode.dialect.sessions import UNTITLED
from unbraid.agents.opencode.sessions.database import connect, root_of
from unbraid.agents.session_port import SessionFacts
from unbraid.errors import SourceError
from unbraid.fleet.amounts import MAX_COUNT
from unbraid.fleet.prices import MessageTokens, Prices
from unbraid.fleet.shares import MAIN, ShareCounter, usage_of
from unbraid.fleet.status import FAILED, INTERRUPTED
from unbraid.fleet.title import prompt_title, title_of
from unbraid.wire.record import milliseconds

AGENT = "agent"  # a sub-agent whose name nothing says

ABORTED = "MessageAbortedError"
_SESSIONS = """SELECT id, parent_id, substr(title, 1, 65536), substr(directory, 1, 65536),
    time_created, time_updated FROM session"""
# The first text of a session is what it was asked.
_PROMPT = """SELECT substr(json_extract(data, '$.text'), 1, 65536) FROM part
    WHERE session_id = ? AND json_valid(data) AND json_extract(data, '$.type') = 'text'
    ORDER BY time_created, id LIMIT 1"""
_MESSAGES = """SELECT session_id,
    json_extract(data, '$.tokens.input'),
    json_extract(data, '$.tokens.output') + json_extract(data, '$.tokens.reasoning'),
    json_extract(data, '$.tokens.cache.read'),
    json_extract(data, '$.tokens.cache.write'),
    json_extract(data, '$.cost'),
    json_extract(data, '$.time.created'),
    json_extract(data, '$.time.completed'),
    json_extract(data, '$.modelID'),
    coalesce(json_extract(data, '$.agent'), json_extract(data, '$.mode'))
    FROM message WHERE json_valid(data) AND json_extract(data, '$.role') = 'assistant'"""
# With `max`, SQLite takes the other columns from the row that has it.
_LAST = """SELECT session_id, max(json_extract(data, '$.time.created')),
    json_extract(data, '$.error.name')
    FROM message WHERE json_valid(data) AND json_extract(data, '$.role') = 'assistant'
    GROUP BY session_id"""


def opencode_rows(path: Path, prices: Prices | None = None) -> list[SessionFacts]:
    """Returns all root sessions with their children, newest first. A session whose answers are all
    finished is answered.
    """
    try:
        with closing(connect(path, parts=False)) as db:
            sessions = {row[0]: row for row in db.execute(_SESSIONS)}
            messages = db.execute(_MESSAGES).fetchall()
            failed = {row[0]: row[2] for row in db.execute(_LAST) if row[2] is not None}
            titles = {sid: _title(db, row) for sid, row in sessions.items() if row[1] is None}
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
                title=titles.get(root),
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
    _count(messages, rows, parents, prices=prices)
    return sorted(rows.values(), key=lambda row: row.updated, reverse=True)


def _title(db: sqlite3.Connection, session: tuple[Any, ...]) -> str | None:
    """Returns a session's title; for a session without one, its prompt."""
    if not str(session[2] or UNTITLED).startswith(UNTITLED):
        return title_of(str(session[2]))
    prompt = db.execute(_PROMPT, session[:1]).fetchone()
    return None if prompt is None else prompt_title(str(prompt[0]))


def _count(
    messages: Iterable[tuple[Any, ...]],
    rows: dict[str, SessionFacts],
    parents: dict[str, str | None],
    *,
    prices: Prices | None,
) -> None:
    counters: dict[str, ShareCounter] = {}
    for sid, *counts, cost, created, completed, model, agent in messages:
        root = root_of(sid, parents)
        if root not in rows:
            continue  # of a session that is gone
        if completed is None and created:
            rows[root].answered = False
        # The row of a session is not always written again with its last message.
        rows[root].updated = max(rows[root].updated, milliseconds(completed))
        given, said, read, written = map(_whole, counts)
        counters.setdefault(root, ShareCounter(prices)).add(
            MessageTokens(given, said, read, cache_creation_tokens=written),
            ts=milliseconds(created),
            agent=MAIN if sid == root else str(agent or AGENT),
            model=str(model) if model else None,
            # It writes 0 for every model whose price it does not know.
            cost_usd=cost if cost and isinstance(cost, int | float) else None,
        )
    for root, counter in counters.items():
        rows[root].shares = counter.shares
        rows[root].usage = usage_of(counter.shares)


def _whole(given: object) -> int:
    # The rows have whatever an agent has written: text, and infinity, which is no integer.
    return round(given) if isinstance(given, int | float) and abs(given) <= MAX_COUNT else 0


def _ending(error: str | None) -> str | None:
    """Returns how a session has ended whose last message has failed so."""
    if error is None:
        return None
    return INTERRUPTED if error == ABORTED else FAILED
