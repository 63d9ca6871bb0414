"""Codex's rollouts, folders of them, stdout and captures of its app-server, wherever they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from unbraid.agents.codex.records import THREAD_ID, CodexRecord, decode, session_head
from unbraid.agents.codex.sessions.rollout_file import (
    ZSTD_MAGIC,
    rollout_bytes,
    thread_of_name,
)
from unbraid.agents.codex.sessions.thread_tree import RolloutFile, RolloutFolders
from unbraid.agents.session_port import FileFormats, SourceForm
from unbraid.read.record import BAD_JSON, milliseconds
from unbraid.read.tracks import UNKNOWN, LineOrder, RunTracks, Track
from unbraid.system.files import open_regular

KIND = "codex"
_TIMESTAMP = re.compile(rb'^\{"timestamp":"([0-9T:.Z+-]{20,40})"')
_EMITTED = re.compile(rb'"emittedAtMs":(\d{10,14})\}\s*$')
_SERVED_THREAD = re.compile(
    rb'"thread":\{"id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"'
)
_DAY = re.compile(r"\d{2,4}")


class CodexFiles(FileFormats):
    """Codex's `FileFormats`."""

    def opened(self, path: Path) -> list[RunTracks] | None:
        """Returns the runs of a folder with rollouts, or that of a compressed rollout."""
        if path.is_dir():
            return _folder_runs(path)
        with open_regular(path) as file:
            is_packed = file.read(4) == ZSTD_MAGIC
        return [_run_beside(path)] if is_packed and ".jsonl" in path.name else None

    def form(self, line: bytes) -> SourceForm | None:
        """Returns the form of a line that only Codex writes."""
        record = _own_record(line)
        if record is None:
            return None
        return "stored" if record.is_stored else "stream"

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Returns a rollout with those of its sub-agents, or a stdout, or a capture."""
        record = _own_record(first) or CodexRecord()
        if record.is_stored:
            if path is not None and thread_of_name(path.name) is not None:
                return [_run_beside(path)]
            head = session_head(first)
            thread = head.id if head is not None else None
            track = Track(name, read, True, session=thread, order=stored_order)
            return [RunTracks(KIND, thread, [track])]
        thread = record.thread_id if record.is_printed else _served_thread(read)
        return [
            RunTracks(KIND, thread, [Track(name, read, False, session=thread, order=served_order)])
        ]


def stored_order(line: bytes) -> LineOrder:
    """Returns where a line of a rollout belongs: each has its time."""
    found = _TIMESTAMP.match(line)
    return UNKNOWN if found is None else LineOrder(at=milliseconds(found[1].decode()))


def with_time(line: bytes, at_ms: int) -> bytes:
    """Returns a line of a rollout with another time."""
    found = _TIMESTAMP.match(line)
    if found is None or not at_ms:
        return line
    stamp = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return line[: found.start(1)] + stamp.encode() + line[found.end(1) :]


def served_order(line: bytes) -> LineOrder:
    """Returns where a line of the app-server belongs; early releases and `exec` give no times."""
    found = _EMITTED.search(line[-64:])
    return UNKNOWN if found is None else LineOrder(at=int(found[1]))


def tree_run(files: list[RolloutFile], session: str) -> RunTracks:
    """Returns the rollouts of a tree as one run."""
    tracks = [
        Track(
            name=str(file.path),
            read=partial(rollout_bytes, file.path),
            dated=True,
            session=thread_of_name(file.path.name),
            order=stored_order,
        )
        for file in files
    ]
    return RunTracks(KIND, session, tracks)


def _run_beside(path: Path) -> RunTracks:
    """Returns the run of a rollout: its sub-agents' lie beside it, or in the folders of other
    days.
    """
    thread = thread_of_name(path.name)
    if thread is None:
        found = THREAD_ID.findall(path.name)
        track = Track(str(path), partial(rollout_bytes, path), True, order=stored_order)
        return RunTracks(KIND, found[-1] if found else None, [track])
    folders = RolloutFolders([_base(path)])
    files = folders.files()
    files[thread] = path
    return tree_run(folders.tree(thread, files), thread)


def _base(path: Path) -> Path:
    """Returns the folder that has all days, of a rollout's path; its own, if it lies elsewhere."""
    days = path.absolute().parents
    if len(days) > 3 and all(_DAY.fullmatch(day.name) for day in days[:3]):
        return days[3]
    return path.absolute().parent


def _folder_runs(path: Path) -> list[RunTracks] | None:
    folders = RolloutFolders([path])
    files = folders.files()
    if not files:
        return None
    roots = dict.fromkeys(folders.root(thread, files) or thread for thread in sorted(files))
    return [tree_run(folders.tree(root, files), root) for root in roots]


def _served_thread(read: Callable[[], Iterator[bytes]]) -> str | None:
    """Returns the first thread that a capture of the app-server names."""
    for data in read():
        found = _SERVED_THREAD.search(data)
        return None if found is None else found[1].decode()
    return None


def _own_record(line: bytes) -> CodexRecord | None:
    try:
        record = decode(line)
    except BAD_JSON:
        return None
    return record if record.is_identified else None
