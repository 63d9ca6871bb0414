"""Claude Code's transcripts and stdout in files, wherever a person has put them: what shows that a
file is one, what is stored beside it, and to which run it belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from unbraid.agents.claude.heads import is_sidechain, line_order, workflow_line_order
from unbraid.agents.claude.records import ClaudeRecord
from unbraid.agents.claude.sessions.beginnings import (
    MAX_LINES,
    agent_facts,
    in_start_order,
    opening_of,
    opening_of_file,
)
from unbraid.agents.claude.sessions.layout import (
    child_files,
    files_beside,
    is_session_file,
    meta_path,
    workflow_of,
)
from unbraid.agents.claude.sessions.processes import Processes
from unbraid.agents.claude.transcript import session_line
from unbraid.agents.port import FileFormats, SourceForm
from unbraid.errors import SourceError
from unbraid.read.reader import read_line
from unbraid.read.tracks import RunTracks, Track, first_lines, split
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
            printed = Track(name=name, read=read, dated=False, session=session, order=line_order)
            return [RunTracks("claude", session, [printed])]
        opening = opening_of(first_lines(read(), MAX_LINES))
        if record.type in NOTE_TYPES:
            session = opening.session_id
        own = session
        if path is not None and is_session_file(path.name):
            session = path.stem  # its first lines may be of another session
        # Such lines are held together to be sorted, which only a file that fits may ask for.
        fits = path is None or path.stat().st_size <= MAX_SORTED_BYTES
        own_sidechains = fits and any(map(is_sidechain, split(read())))
        transcript = Track(name=name, read=read, dated=True, session=own, order=line_order)
        tracks = [transcript._replace(many_conversations=own_sidechains)]
        if path is not None and not path.name.startswith("agent-"):
            tracks += _sub_agents(path, session)
        if not record.is_sidechain and session is not None:
            # Which session it is, where it works and since when: what a run of the log begins with.
            line = session_line(
                session, cwd=opening.cwd, version=opening.version, started_ms=opening.started
            )
            tracks.append(_line_track(f"{name}#about", session, line)._replace(opens=True))
        return [RunTracks("claude", session, tracks)]


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
    processes.refresh()
    line = processes.published_line(session)
    return [_line_track(f"{session}#state", session, line)] if line else []


def _sub_agents(main: Path, session: str | None) -> list[Track]:
    """Returns the sub-agents' transcripts of a session's, in the layouts of 2.0 and 2.1."""
    inner = in_start_order(file.path for file in child_files(main))
    facts = [agent_facts(path, _meta(path)) for path in inner]
    beside = files_beside(main) if session is not None else []
    beside = [path for path in beside if opening_of_file(path).session_id == session]
    tracks = [_child_track(path, session) for path in [*inner, *beside]]
    if any(facts):
        name = f"{main.with_suffix('') / 'subagents'}/*.meta.json"
        tracks.insert(0, _line_track(name, session, *filter(None, facts)))
    return tracks


def _meta(transcript: str) -> bytes | None:
    meta = Path(meta_path(transcript))
    return read_small(meta) if is_regular(meta) else None


def _child_track(path: str, session: str | None) -> Track:
    order = line_order if workflow_of(path) is None else workflow_line_order
    return Track(path, lambda: chunks(Path(path)), dated=True, session=session, order=order)


def _line_track(name: str, session: str | None, *lines: bytes) -> Track:
    return Track(name, lambda: iter(lines), dated=True, session=session, order=line_order)


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
