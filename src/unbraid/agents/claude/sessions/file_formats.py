"""Claude Code's transcripts and stdout in files, wherever a person has put them: what shows that a
file is one, what is stored beside it, and to which run it belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from unbraid.agents.claude.heads import is_sidechain, line_order, workflow_line_order
from unbraid.agents.claude.records import ClaudeRecord
from unbraid.agents.claude.sessions.discovery import SESSION_FILE
from unbraid.agents.claude.sessions.opening import MAX_LINES, opening_of
from unbraid.agents.claude.sessions.processes import Processes
from unbraid.agents.claude.transcript import (
    PublishedState,
    agent_line,
    session_line,
    state_line,
)
from unbraid.agents.session_port import FileFormats, SourceForm
from unbraid.errors import SourceError
from unbraid.read.reader import read_line
from unbraid.read.tracks import LineOrder, RunTracks, Track, first_lines, split
from unbraid.system.files import chunks, is_regular, read_small

SNIFF_LINES = 50
MAX_SORTED_BYTES = 128 << 20
TELLING_TYPES = frozenset({"assistant", "user", "system", "result", "stream_event"})
# What may stand at the beginning of a transcript, many times, and names no session.
NOTE_TYPES = frozenset({"summary", "file-history-snapshot"})


class ClaudeFiles(FileFormats):
    """Claude Code's `FileFormats`."""

    def form(self, line: bytes) -> SourceForm | None:
        """Returns the form of the source of a line: stdout arrives in its order, transcripts are
        several files. None if the line is not Claude Code's.
        """
        record = _own_record(line)
        if record is None:
            return None
        return "stored" if _is_stored(record) else "stream"

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Returns the run of a source: stdout is one track; a transcript brings those of its
        sub-agents.
        """
        record = _own_record(first) or ClaudeRecord()
        session = record.session_id
        if record.is_sidechain is None and not _is_stored(record):
            return [
                RunTracks(
                    "claude",
                    session,
                    [Track(name=name, read=read, dated=False, session=session, order=line_order)],
                )
            ]
        if record.type in NOTE_TYPES:
            session = _session_in(read())
        own = session
        if path is not None and SESSION_FILE.fullmatch(path.name):
            session = path.stem  # its first lines may be of another session
        # Such lines are held together to be sorted, which only a file that fits may ask for.
        fits = path is None or path.stat().st_size <= MAX_SORTED_BYTES
        own_sidechains = fits and any(map(is_sidechain, split(read())))
        tracks = [
            Track(
                name=name,
                read=read,
                dated=True,
                session=own,
                order=line_order,
                many_conversations=own_sidechains,
            )
        ]
        if path is not None and not path.name.startswith("agent-"):
            tracks += beside_transcript(path, session)
        if not record.is_sidechain and session is not None:
            tracks.append(_introduction(name, session, read))
        return [RunTracks("claude", session, tracks)]


def _introduction(name: str, session: str, read: Callable[[], Iterator[bytes]]) -> Track:
    """Returns which session a transcript is, where it works and since when: what a run of the log
    begins with, too.
    """
    facts = opening_of(first_lines(read(), MAX_LINES))
    line = session_line(session, cwd=facts.cwd, version=facts.version, started_ms=facts.started)
    return Track(f"{name}#about", lambda: iter((line,)), dated=True, session=session, opens=True)


def session_of(path: Path) -> str | None:
    """Returns the session that a transcript says it belongs to."""
    return _session_in(chunks(path))


def transcript_run(path: Path) -> RunTracks:
    """Returns a session by its transcript, with those of its sub-agents."""
    for line in first_lines(chunks(path), SNIFF_LINES):
        if _own_record(line) is not None:
            (run,) = ClaudeFiles().runs(str(path), lambda: chunks(path), first=line, path=path)
            return run
    raise SourceError(
        str(path),
        "is not a kind of source that unbraid knows" if path.stat().st_size else "is empty",
    )


def state_track(session: str, processes: Processes) -> list[Track]:
    """Returns what the process that has a session says of it; nothing if none has it."""
    processes.meet()
    entry = processes.entries.get(session)
    if entry is None or entry.status is None:
        return []
    published = PublishedState(entry.status, entry.waiting_for)
    line = state_line(session, published, entry.status_since)
    return [
        Track(
            name=f"{session}#state",
            read=lambda: iter((line,)),
            dated=True,
            session=session,
            order=line_order,
        )
    ]


def beside_transcript(path: Path, session: str | None) -> list[Track]:
    """Returns the sub-agents' transcripts of a session's, in the layouts of 2.0 and 2.1."""
    tracks: list[Track] = []
    facts: list[bytes] = []
    folder = path.with_suffix("") / "subagents"
    for file in _in_start_order(folder):
        workflow = file.parent.name if file.parent.parent.name == "workflows" else None
        if file.name.startswith("agent-"):
            meta = file.with_suffix(".meta.json")
            has_facts = is_regular(meta)
            if has_facts or workflow is not None:
                known = read_small(meta) if has_facts else b"{}"
                facts.append(agent_line(file.stem.removeprefix("agent-"), known, workflow))
        order = line_order if workflow is None else workflow_line_order
        tracks.append(_track(file, session, order))
    beside = _files(path.parent.glob("agent-*.jsonl")) if session is not None else []
    tracks += [_track(file, session, line_order) for file in beside if session_of(file) == session]
    if facts:
        tracks.insert(0, Track(f"{folder}/*.meta.json", lambda: iter(facts), True, session=session))
    return tracks


def _in_start_order(folder: Path) -> list[Path]:
    """Returns a session's sub-agent files; a workflow's in the order in which its journal started
    them.
    """
    started: dict[str, int] = {}
    for journal in _files(folder.rglob("journal.jsonl")):
        for line in split(chunks(journal)):
            for item in read_line(line):
                if isinstance(item, ClaudeRecord) and item.type == "started":
                    started.setdefault(f"agent-{item.agent_id_transcript}", len(started))
    files = _files(folder.rglob("*.jsonl"))
    return sorted(files, key=lambda file: started.get(file.stem, len(started)))


def _files(paths: Iterable[Path]) -> list[Path]:
    """Returns the regular files among paths, in order: an agent may have put anything there."""
    return sorted(filter(is_regular, paths))


def _track(path: Path, session: str | None, order: Callable[[bytes], LineOrder]) -> Track:
    return Track(
        name=str(path), read=lambda: chunks(path), dated=True, session=session, order=order
    )


def _session_in(data: Iterable[bytes]) -> str | None:
    """Returns the first session that lines of a transcript name."""
    lines = first_lines(data, MAX_LINES)
    records = (record for line in lines if (record := _own_record(line)))
    return next((name for each in records if (name := each.session_id_transcript)), None)


def _is_stored(record: ClaudeRecord) -> bool:
    """Returns whether a record is of a transcript."""
    return record.session_id_transcript is not None or record.type in NOTE_TYPES


def _own_record(line: bytes) -> ClaudeRecord | None:
    """Returns a record of a line that only Claude Code, or a program with the same format, would
    write: other files have objects with a `type` too.
    """
    for item in read_line(line):
        if not isinstance(item, ClaudeRecord):
            continue
        if item.type in TELLING_TYPES | NOTE_TYPES:
            return item
        if item.type and (item.session_id or item.uuid):
            return item
    return None
