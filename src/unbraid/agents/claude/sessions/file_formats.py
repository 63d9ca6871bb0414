"""Claude Code's transcripts and stdout in files, wherever somebody has put them: what shows that a
file is one, what is stored beside it, and to which run it belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from unbraid.agents.claude.heads import line_order, workflow_line_order
from unbraid.agents.claude.records import ClaudeRecord
from unbraid.agents.claude.transcript import agent_line
from unbraid.agents.stored import SourceForm
from unbraid.errors import SourceError
from unbraid.system.files import chunks, read_small
from unbraid.translate.reader import read_line
from unbraid.translate.tracks import LineOrder, RunTracks, Track, first_lines, split

SNIFF_LINES = 50
MAX_SORTED_BYTES = 128 << 20
TELLING_TYPES = frozenset({"assistant", "user", "system", "result", "stream_event"})


class ClaudeFiles:
    """Claude Code's `FileFormats`."""

    def opened(self, path: Path) -> list[RunTracks] | None:
        """Returns None: its sessions are files of lines."""
        return None

    def form(self, line: bytes) -> SourceForm | None:
        """Stdout arrives in its order; transcripts are several files."""
        record = _own_record(line)
        if record is None:
            return None
        return "stream" if record.session_id_transcript is None else "stored"

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Stdout is one track; a transcript brings those of its sub-agents."""
        record = _own_record(first) or ClaudeRecord()
        session = record.session_id
        if record.is_sidechain is None and record.session_id_transcript is None:
            return [
                RunTracks(
                    "claude",
                    session,
                    [Track(name=name, read=read, dated=False, session=session, order=line_order)],
                )
            ]
        # Such lines are held together to be sorted, which only a file that fits may ask for.
        fits = path is None or path.stat().st_size <= MAX_SORTED_BYTES
        own_sidechains = fits and any(b'"isSidechain":true' in line for line in split(read()))
        tracks = [
            Track(
                name=name,
                read=read,
                dated=True,
                session=session,
                order=line_order,
                sidechains=own_sidechains,
            )
        ]
        if path is not None and not path.name.startswith("agent-"):
            tracks += beside_transcript(path, session)
        return [RunTracks("claude", session, tracks)]

    def document(self, name: str, whole: bytes) -> list[RunTracks] | None:
        """Returns None: it has no documents."""
        return None


def session_of(path: Path) -> str | None:
    """Returns the session that a transcript says it belongs to."""
    first = _first(chunks(path))
    return None if first is None else first.session_id_transcript


def transcript_run(path: Path) -> RunTracks:
    """Returns a session by its transcript, with those of its sub-agents."""
    for line in first_lines(chunks(path), SNIFF_LINES):
        if _own_record(line) is not None:
            (run,) = ClaudeFiles().runs(str(path), lambda: chunks(path), first=line, path=path)
            return run
    raise SourceError(str(path), "is of no known kind" if path.stat().st_size else "is empty")


def beside_transcript(path: Path, session: str | None) -> list[Track]:
    """Returns the sub-agents' transcripts of a session's, in the layouts of 2.0 and 2.1."""
    tracks: list[Track] = []
    facts: list[bytes] = []
    folder = path.with_suffix("") / "subagents"
    for file in _in_start_order(folder):
        workflow = file.parent.name if file.parent.parent.name == "workflows" else None
        if file.name.startswith("agent-"):
            meta = file.with_suffix(".meta.json")
            if meta.is_file() or workflow is not None:
                known = read_small(meta) if meta.is_file() else b"{}"
                facts.append(agent_line(file.stem.removeprefix("agent-"), known, workflow))
        order = line_order if workflow is None else workflow_line_order
        tracks.append(_track(file, session, order))
    beside = _files(path.parent.glob("agent-*.jsonl")) if session is not None else []
    tracks += [_track(file, session, line_order) for file in beside if session_of(file) == session]
    if facts:
        tracks.insert(0, Track(f"{folder}/*.meta.json", lambda: iter(facts), True, session))
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
    """Those of the paths that are files, in order: an agent may have put anything among them."""
    return sorted(filter(Path.is_file, paths))


def _track(path: Path, session: str | None, order: Callable[[bytes], LineOrder]) -> Track:
    return Track(
        name=str(path), read=lambda: chunks(path), dated=True, session=session, order=order
    )


def _first(data: Iterable[bytes]) -> ClaudeRecord | None:
    lines = first_lines(data, SNIFF_LINES)
    return next((record for line in lines if (record := _own_record(line))), None)


def _own_record(line: bytes) -> ClaudeRecord | None:
    """Returns a record of a line that only Claude Code, or a program with the same format, would
    write: other files have objects with a `type` too.
    """
    for item in read_line(line):
        if not isinstance(item, ClaudeRecord):
            continue
        if item.type in TELLING_TYPES or (item.type and (item.session_id or item.uuid)):
            return item
    return None
