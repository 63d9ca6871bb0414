"""OpenCode's database as tracks, one run per root session. Opened read-only, always.

A folder of files from before 1.2 may stand in its place.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from unbraid.agents.opencode.editions import UNFORKED, Edition, Editions
from unbraid.agents.opencode.heads import event_order
from unbraid.agents.opencode.records import ROW_BYTES, rows_as_lines
from unbraid.agents.opencode.sessions.storage import load
from unbraid.errors import SourceError
from unbraid.events.parts import decoded
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.read.tracks import RunTracks, Track
from unbraid.system.files import open_regular

# A database of some megabytes is read in a second of computing, a larger one in proportion. One
# that takes far longer leads in circles, and its reader could not even be stopped.
DATABASE_READ_CPU_SECONDS = 30.0

MAGIC = b"SQLite format 3\0"
# The second reads the row to know its length, but no more than SQLite itself does.
DATA_BYTES = (
    "octet_length(data)" if sqlite3.sqlite_version_info >= (3, 43) else "length(CAST(data AS BLOB))"
)
# What a row holds; of one that is too long to be read, how long it is.
BOUNDED_DATA = f"""CASE WHEN {DATA_BYTES} > {DEFAULT_MAX_LINE_BYTES} THEN {DATA_BYTES}
    ELSE data END"""
MAX_TITLE_CHARACTERS = 1 << 16
# SQLite asks after so many steps whether to continue: about every millisecond.
PROGRESS_STEPS = 100_000
# Even on a slow machine, a second of computing reads this much.
SLOWEST_BYTES_A_SECOND = 2_000_000
_KINDS = """SELECT name, type, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_master
    WHERE lower(name) IN ('session', 'message', 'part') AND type IN ('table', 'view')"""
_COMPUTED = "SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden <> 0"
# SQLite takes at most 32,766 values; as JSON, any number of ids is one.
AMONG = "IN (SELECT value FROM json_each(?))"


def is_database(head: bytes) -> bool:
    """Returns whether a file that starts like this is an SQLite database."""
    return head.startswith(MAGIC)


def database_runs(
    path: Path, session: str | None = None, editions: Editions = UNFORKED
) -> list[RunTracks]:
    """Returns the runs in the database, oldest first; with `session`, only the one it
    belongs to.
    """
    with closing(connect(path, ())) as db:
        rows = _rows(path, db, "SELECT id, parent_id, version FROM session ORDER BY time_created")
    parents = {sid: parent for sid, parent, _ in rows}
    versions = {sid: version for sid, _, version in rows}
    trees: dict[str, list[str]] = {}
    for each in parents:
        trees.setdefault(root_of(each, parents), []).append(each)
    if session is not None:
        root = root_of(session, parents)
        trees = {root: trees.get(root, [])} if session in parents else {}
    elif not trees:
        raise SourceError(str(path), "holds no session")
    return [
        tree_run(path, root, tree, editions.of_version(versions[root]))
        for root, tree in trees.items()
    ]


def tree_run(path: Path, root: str, tree: list[str], edition: Edition) -> RunTracks:
    """Returns the rows of a root session and of its children as one run."""
    track = Track(
        name=f"{path}#{root}", read=_reader(path, tree), dated=True, session=root, order=event_order
    )
    return RunTracks(edition.name, root, [track])


def connect(
    path: Path, sessions: Collection[str] | None = None, *, parts: bool = True
) -> sqlite3.Connection:
    """Returns a read-only connection; a WAL beside the file is read too.

    A caller that needs only some sessions, or no parts, says so: from a folder, no more than that
    is read.
    """
    if path.is_dir():
        return load(path, sessions, parts=parts)
    name = quote(str(path.absolute()))
    try:
        # SQLite would wait forever at a FIFO, also at one where it looks for a journal.
        open_regular(path).close()
        for end in ("-journal", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                open_regular(f"{path}{end}").close()
        db = sqlite3.connect(f"file:{name}?mode=ro", uri=True)
    except FileNotFoundError:
        raise SourceError(str(path), "unable to open database file") from None
    except (sqlite3.Error, OSError) as error:
        raise SourceError(str(path), getattr(error, "strerror", None) or str(error)) from None
    _distrust(path, db)
    return db


def _distrust(path: Path, db: sqlite3.Connection) -> None:
    """Refuses a database in which a name stands for a program rather than for rows: a view, a
    computed column or a virtual table can run endlessly, or fill the memory. So can pages that lead
    in circles: whatever takes too long is given up.
    """
    seconds = DATABASE_READ_CPU_SECONDS + path.stat().st_size / SLOWEST_BYTES_A_SECOND
    until = time.thread_time() + seconds
    db.set_progress_handler(lambda: time.thread_time() > until, PROGRESS_STEPS)
    try:
        kinds = db.execute(_KINDS).fetchall()
        computed = any(db.execute(_COMPUTED, [name]).fetchone() for name, _, _ in kinds)
    except sqlite3.Error:
        return  # reading it raises the same error
    if computed or any(kind != "table" or virtual for _, kind, virtual in kinds):
        db.close()
        raise SourceError(str(path), "has views or computed columns in place of tables")


def last_change(path: Path, root: str) -> int:
    """Returns when a root session or one of its children last changed (milliseconds)."""
    with closing(connect(path)) as db:
        rows = _rows(path, db, "SELECT id, parent_id, time_updated FROM session")
        parents = {sid: parent for sid, parent, _ in rows}
        changed = [at for sid, _, at in rows if root_of(sid, parents) == root]
        sql = "SELECT max(time_updated) FROM part WHERE session_id = ?"
        for sid in parents:
            if root_of(sid, parents) == root:
                changed += [at or 0 for (at,) in _rows(path, db, sql, sid)]
    return max(changed, default=0)


def session_folder(path: Path, session: str) -> str | None:
    """Returns the folder that a session works in; None if it is not stored here, or names none."""
    with closing(connect(path, (), parts=False)) as db:
        rows = _rows(path, db, "SELECT directory FROM session WHERE id = ?", session)
    return next((folder for (folder,) in rows if isinstance(folder, str)), None)


def has_session(path: Path, session: str) -> bool:
    """Returns whether a session is stored here."""
    with closing(connect(path, (), parts=False)) as db:
        return bool(_rows(path, db, "SELECT 1 FROM session WHERE id = ?", session))


def root_of(session: str, parents: dict[str, str | None]) -> str:
    """Returns the session at the top of this one's tree."""
    seen = {session}
    while (above := parents.get(session)) is not None and above in parents and above not in seen:
        seen.add(above)
        session = above
    return session


def _rows(path: Path, db: sqlite3.Connection, sql: str, *values: str) -> list[Any]:
    try:
        return db.execute(sql, values).fetchall()
    except sqlite3.Error as error:
        raise _not_a_database(path, error) from None


def _not_a_database(path: Path, error: sqlite3.Error) -> SourceError:
    return SourceError(str(path), f"is not an OpenCode database ({error})")


def _reader(path: Path, sessions: list[str]) -> Callable[[], Iterator[bytes]]:
    def read() -> Iterator[bytes]:
        with closing(connect(path, sessions)) as db:
            yield from session_lines(path, db, sessions)

    return read


def session_lines(path: Path, db: sqlite3.Connection, sessions: list[str]) -> list[bytes]:
    """Returns the rows of some sessions as `/event` lines, in the order in which things
    happened.
    """
    among = [id_list(sessions)]
    messages = f"SELECT id, session_id, {BOUNDED_DATA} FROM message WHERE session_id {AMONG}"
    parts = f"""SELECT id, message_id, session_id, time_created, {BOUNDED_DATA} FROM part
        WHERE session_id {AMONG}"""
    try:
        return rows_as_lines(
            [row for row, _ in session_rows(db, f"WHERE id {AMONG}", among)],
            [message_row(*row) for row in db.execute(messages, among)],
            [part_row(*row) for row in db.execute(parts, among)],
        )
    except sqlite3.Error as error:
        raise _not_a_database(path, error) from None


def id_list(sessions: Sequence[str]) -> str:
    """Returns ids as the value that `AMONG` takes."""
    return msgspec.json.encode(list(sessions)).decode()


def session_rows(
    db: sqlite3.Connection, where: str = "", values: Sequence[str] = ()
) -> list[tuple[dict[str, Any], int]]:
    """Returns sessions as the `info` of an event, oldest first, each with the time of its last
    change.
    """
    columns = {row[1] for row in db.execute("PRAGMA table_info(session)")}
    agent = "agent" if "agent" in columns else "NULL"
    model = "model" if "model" in columns else "NULL"
    updated = "time_updated" if "time_updated" in columns else "time_created"
    title, directory = (
        f"substr({name}, 1, {MAX_TITLE_CHARACTERS})" for name in ("title", "directory")
    )
    query = f"""SELECT id, parent_id, {title}, {directory}, version, {agent}, {model}, time_created,
        {updated} FROM session {where} ORDER BY time_created"""
    return [
        (
            {
                "id": sid,
                "parentID": parent,
                "title": name,
                "directory": folder,
                "version": version,
                "agent": who,
                "model": object_of(what),
                "time": {"created": created},
            },
            at,
        )
        for sid, parent, name, folder, version, who, what, created, at in db.execute(query, values)
    ]


def message_row(message_id: str, session_id: str, data: Any) -> dict[str, Any]:
    """Returns a stored message as the `info` of an event."""
    return object_of(data) | {"id": message_id, "sessionID": session_id}


def part_row(
    part_id: str, message_id: str, session_id: str, created: int, data: Any
) -> dict[str, Any]:
    """Returns a stored part as the `part` of an event."""
    ids = {"id": part_id, "messageID": message_id, "sessionID": session_id}
    return object_of(data) | ids | {"began": created}


def object_of(data: Any) -> dict[str, Any]:
    """Returns what a column keeps as JSON; nothing, if it is no object. See `BOUNDED_DATA`."""
    if isinstance(data, int):
        return {ROW_BYTES: data} if data > DEFAULT_MAX_LINE_BYTES else {}
    value = decoded(data.encode()) if isinstance(data, str) else {}
    return value if isinstance(value, dict) else {}
