"""What OpenCode's stored sessions hold, one run per root session.

Since 1.2 they are in an SQLite database, which is opened read-only, always. Before, they were in a
folder of JSON files: it is loaded into the same tables in memory, so that one reader serves both.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from unbraid.agents.opencode.editions import UNFORKED, Editions
from unbraid.agents.opencode.records import (
    ROW_BYTES,
    OpenCodeRecord,
    SessionTree,
    event_order,
    export_as_lines,
    printed_order,
    rows_as_lines,
    time_of,
)
from unbraid.agents.opencode.store import is_storage
from unbraid.agents.port import (
    SourceForm,
    StoredBlock,
    StoredSession,
    files_version,
    translate_run,
)
from unbraid.errors import SourceError
from unbraid.events.parts import call_text, decoded
from unbraid.fold.query import json_forms
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.read.reader import read_line
from unbraid.read.record import milliseconds
from unbraid.read.tracks import RunTracks, Track
from unbraid.system.files import CHUNK_BYTES, modified_ms, open_regular

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
# What `message_row` and `part_row` take.
MESSAGE_COLUMNS = f"id, session_id, {BOUNDED_DATA}"
PART_COLUMNS = f"id, message_id, session_id, time_created, {BOUNDED_DATA}"
MAX_TITLE_CHARACTERS = 1 << 16
# SQLite asks after so many steps whether to continue: about every millisecond.
PROGRESS_STEPS = 100_000
# Even on a slow machine, a second of computing reads this much.
SLOWEST_BYTES_A_SECOND = 2_000_000
# SQLite takes at most 32,766 values; as JSON, any number of ids is one.
AMONG = "IN (SELECT value FROM json_each(?))"
_KINDS = """SELECT name, type, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_master
    WHERE lower(name) IN ('session', 'message', 'part') AND type IN ('table', 'view')"""
_COMPUTED = "SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden <> 0"
_FILE_TABLES = """
CREATE TABLE session
    (id, parent_id, title, directory, version, time_created, time_updated, agent, model);
CREATE TABLE message (id, session_id, data, time_updated);
CREATE TABLE part (id, message_id, session_id, time_created, data, time_updated);
"""
_TREES = "SELECT id, parent_id, version FROM session ORDER BY time_created"
# The row of a session is not always written again with its last message.
_CHANGES = """SELECT id, 0, time_updated FROM session
    UNION ALL SELECT session_id, count(*), max(time_updated) FROM message GROUP BY session_id
    UNION ALL SELECT session_id, count(*), max(time_updated) FROM part GROUP BY session_id"""
_LATEST = f"""SELECT max(time_updated) FROM session WHERE id {AMONG}
    UNION ALL SELECT max(time_updated) FROM message WHERE session_id {AMONG}
    UNION ALL SELECT max(time_updated) FROM part WHERE session_id {AMONG}"""
_FOUND = f"""SELECT session_id, message_id, time_created, data FROM part
    WHERE {DATA_BYTES} <= {DEFAULT_MAX_LINE_BYTES} AND (data LIKE ? OR data LIKE ?)
    ORDER BY time_created DESC"""
_MESSAGE = f"SELECT data FROM message WHERE id = ? AND {DATA_BYTES} <= {DEFAULT_MAX_LINE_BYTES}"


# --- opening ---


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


@contextmanager
def opened(
    path: Path, sessions: Collection[str] | None = None, *, parts: bool = True
) -> Iterator[sqlite3.Connection]:
    """Opens the database, as `connect` does, for as long as the context lasts, in which errors of
    SQLite become a SourceError.
    """
    try:
        with closing(connect(path, sessions, parts=parts)) as db:
            yield db
    except sqlite3.Error as error:
        raise SourceError(str(path), f"is not an OpenCode database ({error})") from None


# --- the folder of files ---


def load(
    folder: Path, sessions: Collection[str] | None = None, *, parts: bool = True
) -> sqlite3.Connection:
    """Returns a folder of files as a database in memory; or only the messages of some sessions, or
    no parts.

    A file a session, a message, a part: `session/<project>/<id>.json`,
    `message/<session>/<id>.json`, `part/<message>/<id>.json`. Nothing says when a part was begun:
    not before the message, nor before the parts that came before it.
    """
    db = sqlite3.connect(":memory:")
    db.executescript(_FILE_TABLES)
    for path, info in _objects(folder.glob("session/*/*.json")):
        created, updated = time_of(info, "created"), time_of(info, "updated")
        given = [info.get(name) for name in ("parentID", "title", "directory", "version")]
        about = [value if isinstance(value, str) else None for value in given]
        row = (path.stem, *about, created, updated or created, None, None)
        db.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    for path, info in _objects(folder.glob("message/*/*.json"), sessions):
        session, began = path.parent.name, time_of(info, "created")
        message = (path.stem, session, msgspec.json.encode(info).decode(), modified_ms(path))
        db.execute("INSERT INTO message VALUES (?, ?, ?, ?)", message)
        for place, part in _objects((folder / "part" / path.stem).glob("*.json") if parts else ()):
            began = max(began, time_of(part, "start"), time_of(part.get("state"), "start"))
            data = msgspec.json.encode(part).decode()
            row = (place.stem, path.stem, session, began, data, modified_ms(place))
            db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
    db.commit()
    return db


def _objects(
    paths: Iterable[Path], inside: Collection[str] | None = None
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yields files and their contents, in the order of their ids, which is that of time."""
    for path in sorted(paths):
        if inside is not None and path.parent.name not in inside:
            continue
        try:
            value = _value(path)
        except OSError:
            continue  # gone or locked
        if isinstance(value, dict):  # else half-written
            yield path, value


def _value(path: Path) -> Any:
    """Returns what is in a file; of one that is too long to be read, how long it is."""
    with open_regular(path) as file:
        size, data = os.fstat(file.fileno()).st_size, bytearray()
        while size <= DEFAULT_MAX_LINE_BYTES and (more := file.read(CHUNK_BYTES)):
            data += more
            size = max(size, len(data))
    return decoded(bytes(data)) if size <= DEFAULT_MAX_LINE_BYTES else {ROW_BYTES: size}


def _milliseconds(given: object) -> int:
    # Files and rows have whatever an agent has written.
    return milliseconds(given) if isinstance(given, int | float) else 0


# --- sessions ---


class StoredTrees:
    """The sessions of a database, by the root sessions that they belong to, oldest first."""

    def __init__(self, path: Path, db: sqlite3.Connection, editions: Editions = UNFORKED) -> None:
        rows = db.execute(_TREES).fetchall()
        self._path, self._editions = path, editions
        self._versions = {session: version for session, _, version in rows}
        self.tree = SessionTree({session: parent for session, parent, _ in rows})
        self.roots: dict[str, list[str]] = {}
        for session in self._versions:
            self.roots.setdefault(self.tree.root(session), []).append(session)

    def run(self, root: str) -> RunTracks:
        """Returns the rows of a root session and of its children as one run."""
        edition = self._editions.of_version(self._versions[root])
        track = Track(
            name=f"{self._path}#{root}",
            read=partial(_read_lines, self._path, self.roots[root]),
            dated=True,
            session=root,
            order=event_order,
        )
        return RunTracks(edition.name, root, [track])


def database_runs(
    path: Path, session: str | None = None, editions: Editions = UNFORKED
) -> list[RunTracks]:
    """Returns the runs in the database, oldest first; with `session`, only the one it
    belongs to.
    """
    with opened(path, (), parts=False) as db:
        stored = StoredTrees(path, db, editions)
    if session is None and not stored.roots:
        raise SourceError(str(path), "holds no session")
    wanted = None if session is None else stored.tree.root(session)
    return [stored.run(root) for root in stored.roots if wanted in (None, root)]


def stored_sessions(path: Path, editions: Editions = UNFORKED) -> list[StoredSession]:
    """Returns all root sessions with their children, newest first. Raises SourceError."""
    with opened(path, parts=False) as db:
        stored = StoredTrees(path, db, editions)
        changes = db.execute(_CHANGES).fetchall()
    stamps: dict[str, list[tuple[int, int]]] = {root: [] for root in stored.roots}
    for session, count, updated in changes:
        if session in stored.tree.parents:
            stamps[stored.tree.root(session)].append((count, _milliseconds(updated)))
    found = [
        StoredSession(
            session_id=root,
            changed_ms=max(at for _, at in stamps[root]),
            version=files_version(stamps[root]),
            translate=partial(translate_run, stored.run(root)),
        )
        for root in stored.roots
    ]
    return sorted(found, key=lambda session: session.changed_ms, reverse=True)


def last_change(path: Path, root: str) -> int:
    """Returns when a root session or one of its children last changed (milliseconds)."""
    with opened(path) as db:
        among = id_list(StoredTrees(path, db).roots.get(root, []))
        return max(_milliseconds(at) for (at,) in db.execute(_LATEST, [among] * 3))


def session_folders(path: Path) -> dict[str, str | None]:
    """Returns the ids of all sessions, with the folders that they work in."""
    with opened(path, (), parts=False) as db:
        rows = db.execute("SELECT id, directory FROM session")
        return {str(name): folder if isinstance(folder, str) else None for name, folder in rows}


# --- rows ---


def _read_lines(path: Path, sessions: Sequence[str]) -> Iterator[bytes]:
    """Yields the rows of some sessions as `/event` lines, in the order in which things
    happened.
    """
    among = [id_list(sessions)]
    messages = f"SELECT {MESSAGE_COLUMNS} FROM message WHERE session_id {AMONG}"
    parts = f"SELECT {PART_COLUMNS} FROM part WHERE session_id {AMONG}"
    with opened(path, sessions) as db:
        lines = rows_as_lines(
            [row for row, _ in session_rows(db, f"WHERE id {AMONG}", among)],
            [message_row(*row) for row in db.execute(messages, among)],
            [part_row(*row) for row in db.execute(parts, among)],
        )
    yield from lines


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
                "model": _object(what),
                "time": {"created": created},
            },
            at,
        )
        for sid, parent, name, folder, version, who, what, created, at in db.execute(query, values)
    ]


def message_row(message_id: str, session_id: str, data: Any) -> dict[str, Any]:
    """Returns a stored message as the `info` of an event."""
    return _object(data) | {"id": message_id, "sessionID": session_id}


def part_row(
    part_id: str, message_id: str, session_id: str, created: int, data: Any
) -> dict[str, Any]:
    """Returns a stored part as the `part` of an event."""
    ids = {"id": part_id, "messageID": message_id, "sessionID": session_id}
    return _object(data) | ids | {"began": created}


def _object(data: Any) -> dict[str, Any]:
    """Returns what a column keeps as JSON; nothing, if it is no object. See `BOUNDED_DATA`."""
    if isinstance(data, int):
        return {ROW_BYTES: data} if data > DEFAULT_MAX_LINE_BYTES else {}
    value = decoded(data.encode()) if isinstance(data, str) else {}
    return value if isinstance(value, dict) else {}


# --- search ---


def database_blocks(
    path: Path, needle: str, known: Collection[str], *, editions: Editions = UNFORKED
) -> Iterator[StoredBlock]:
    """Yields the parts that may hold a needle, newest first, but none of root sessions that are
    `known`.

    A database that cannot be read holds nothing.
    """
    # LIKE knows the cases of ASCII only. A needle has letters and digits: no wildcards.
    likes = [f"%{form}%" for form in json_forms(needle) or [""]]
    with suppress(SourceError), opened(path) as db:
        tree = StoredTrees(path, db).tree
        for session, message, created, data in db.execute(_FOUND, [likes[0], likes[-1]]):
            root = tree.root(session)
            if root in known:
                continue
            about = db.execute(_MESSAGE, [message]).fetchone()
            is_person = about is not None and _object(about[0]).get("role") == "user"
            for kind, text in _words(_object(data), is_person=is_person, editions=editions):
                yield StoredBlock(
                    session_id=root,
                    agent_id=None if root == session else session,
                    kind=kind,
                    ts=created,
                    text=text,
                )


def _words(
    part: dict[str, Any], *, is_person: bool, editions: Editions
) -> Iterator[tuple[str, str]]:
    """Yields what was said or called; not what calls gave, as in a search of the log."""
    match part:
        case {"metadata": metadata} if editions.is_transient(metadata):
            return
        case {"type": "text", "text": str(text)}:
            yield "prompt" if is_person else "text", text
        case {"type": "reasoning", "text": str(text)}:
            yield "thinking", text
        case {"type": "tool", "tool": str(tool), "state": dict(state)}:
            yield "tool_use", call_text(tool, msgspec.json.encode(state.get("input")))


# --- files, wherever a person has put them ---


class OpenCodeFiles:
    """The databases, exports, event captures and stdout of OpenCode, and of the programs made from
    it.
    """

    def __init__(self, editions: Editions = UNFORKED) -> None:
        self._editions = editions

    def opened(self, path: Path) -> list[RunTracks] | None:
        """Returns its database, or the folder of files that was its database before 1.2."""
        if not is_storage(path):
            if path.is_dir():
                return None
            with open_regular(path) as file:
                if not file.read(16).startswith(MAGIC):
                    return None
        return database_runs(path, editions=self._editions)

    def form(self, line: bytes) -> SourceForm | None:
        """Returns the form of its events and its stdout, which arrive in their order."""
        return None if _own_record(line) is None else "stream"

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Returns a capture of its events, or its stdout."""
        record = _own_record(first) or OpenCodeRecord()
        # Its first lines show which program a stream is of.
        source = self._editions.of_lines(next(read(), b"")).name
        if bytes(record.properties):
            return [RunTracks(source, None, [Track(name, read, dated=False, order=event_order)])]
        session = record.session_id
        printed = Track(
            name=name, read=read, dated=False, session=session, order=printed_order, in_turns=True
        )
        return [RunTracks(source, session, [printed])]

    def document(self, name: str, whole: bytes) -> list[RunTracks] | None:
        """Returns an export of a session."""
        exported = decoded(whole)
        if not isinstance(exported, dict) or not isinstance(exported.get("info"), dict):
            return None
        lines, info = export_as_lines(exported), exported["info"]
        session = info.get("id")
        source = self._editions.of_version(info.get("version")).name
        track = Track(
            name=name, read=lambda: iter(lines), dated=True, session=session, order=event_order
        )
        # A child belongs to its parent's run, should that be here too.
        return [RunTracks(source, info.get("parentID") or session, [track])]


def _own_record(line: bytes) -> OpenCodeRecord | None:
    """Returns a record of a line that only OpenCode would write."""
    for item in read_line(line):
        if isinstance(item, OpenCodeRecord) and (
            bytes(item.properties) or (item.type and item.session_id is not None)
        ):
            return item
    return None
