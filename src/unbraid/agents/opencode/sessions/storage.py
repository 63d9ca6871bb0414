"""The folder of JSON files in which OpenCode kept its sessions before 1.2, as the database it has
kept them in since: the same tables, in memory, so that one reader serves both.

A file a session, a message, a part: `session/<project>/<id>.json`, `message/<session>/<id>.json`,
`part/<message>/<id>.json`. Nothing says when a part was begun: not before the message, nor before
the parts that came before it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from unbraid.agents.opencode.records import ROW_BYTES
from unbraid.events.parts import decoded
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.read.record import milliseconds
from unbraid.system.files import CHUNK_BYTES, modified_ms, open_regular

_TABLES = """
CREATE TABLE session
    (id, parent_id, title, directory, version, time_created, time_updated, agent, model);
CREATE TABLE message (id, session_id, data, time_updated);
CREATE TABLE part (id, message_id, session_id, time_created, data, time_updated);
"""


def is_storage(path: Path) -> bool:
    """Returns whether a folder is one of those."""
    return (path / "session").is_dir() and (path / "message").is_dir()


def load(
    folder: Path, sessions: Collection[str] | None = None, *, parts: bool = True
) -> sqlite3.Connection:
    """Returns all of it as a database in memory; or only the messages of some sessions, or no
    parts.
    """
    db = sqlite3.connect(":memory:")
    db.executescript(_TABLES)
    for path, info in _objects(folder.glob("session/*/*.json")):
        created, updated = _time(info, "created"), _time(info, "updated")
        about = [_text(info.get(name)) for name in ("parentID", "title", "directory", "version")]
        row = (path.stem, *about, created, updated or created, None, None)
        db.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    for path, info in _objects(folder.glob("message/*/*.json"), sessions):
        _message(db, folder, path, info=info, parts=parts)
    db.commit()
    return db


def _message(
    db: sqlite3.Connection, folder: Path, path: Path, *, info: dict[str, Any], parts: bool
) -> None:
    session = path.parent.name
    message = (path.stem, session, _json(info), modified_ms(path))
    db.execute("INSERT INTO message VALUES (?, ?, ?, ?)", message)
    began = _time(info, "created")
    inside = (folder / "part" / path.stem).glob("*.json") if parts else ()
    for place, part in _objects(inside):
        began = max(began, _time(part, "start"), _time(part.get("state"), "start"))
        row = (place.stem, path.stem, session, began, _json(part), modified_ms(place))
        db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)


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


def _time(about: Any, name: str) -> int:
    times = about.get("time") if isinstance(about, dict) else None
    at = times.get(name) if isinstance(times, dict) else None
    return milliseconds(at) if isinstance(at, int | float) else 0


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()
