"""Files as tracks: what kind a file is, what lies beside it, and to which run it belongs."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, iterdecode
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from unbraid.agents.claude.heads import line_order, workflow_line_order
from unbraid.agents.claude.transcript import agent_line
from unbraid.agents.opencode.database import database_runs, is_database
from unbraid.agents.opencode.heads import event_order, printed_order
from unbraid.agents.opencode.records import export_as_lines
from unbraid.agents.opencode.storage import is_storage
from unbraid.errors import SourceError
from unbraid.events.parts import decoded
from unbraid.translate.tracks import LineOrder, Run, Track, split
from unbraid.wire.arrays import as_lines, begins_array
from unbraid.wire.record import Record, read_line

CHUNK_BYTES = 1 << 20
LOG = "log"  # a run's fleet events, as `unbraid cat --json` prints them
SNIFF_LINES = 50
LOG_BEGINS = "request_received"
TELLING_TYPES = frozenset({"assistant", "user", "system", "result", "stream_event", LOG_BEGINS})


def open_path(path: Path) -> list[Run]:
    """The runs in a file, each with everything that lies beside it."""
    if is_storage(path):
        return database_runs(path)
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except IsADirectoryError:
        raise SourceError(str(path), "is a folder, not a file") from None
    except OSError as error:
        raise SourceError(str(path), error.strerror or str(error)) from None
    if not head:
        raise SourceError(str(path), "is empty")
    if is_database(head):
        return database_runs(path)
    return lines_runs(str(path), lambda: chunks(path), path)


def chunks(path: Path) -> Iterator[bytes]:
    """A file's bytes."""
    with path.open("rb") as file:
        while data := file.read(CHUNK_BYTES):
            yield data


def as_utf8(data: Iterator[bytes]) -> Iterator[bytes]:
    """Bytes that may begin with a mark of their encoding: some shells of Windows write UTF-16."""
    first = b""
    while len(first) < len(BOM_UTF8) and (more := next(data, b"")):
        first += more
    if first.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        for text in iterdecode(chain([first], data), "utf-16", "replace"):
            yield text.encode()
    else:
        yield first.removeprefix(BOM_UTF8)
        yield from data


def _unpacked(read: Callable[[], Iterator[bytes]]) -> Callable[[], Iterator[bytes]]:
    """Lines as they are, or those of an array."""
    head = b""
    for data in read():
        head += data.translate(None, b" \t\r\n")[:2]
        if len(head) > 1:
            break
    if not begins_array(head):
        return read
    return partial(iter, list(as_lines(b"".join(read()))))


def lines_runs(name: str, given: Callable[[], Iterator[bytes]], path: Path | None) -> list[Run]:
    """The runs in a file of lines."""
    read = _unpacked(lambda: as_utf8(given()))
    first = sniff(split(read()))
    if first is None:
        return [_exported(name, b"".join(read()))]
    if first.type == LOG_BEGINS:
        return [Run(LOG, None, [Track(name, read, False)])]
    if bytes(first.properties):
        return [Run("opencode", None, [Track(name, read, False, order=event_order)])]
    if (its_session := first.session_id_opencode) is not None:
        printed = Track(name, read, False, its_session, printed_order, in_turns=True)
        return [Run("opencode", its_session, [printed])]
    session = first.session_id or first.session_id_transcript
    if first.is_sidechain is None and first.session_id_transcript is None:
        return [Run("claude", session, [Track(name, read, False, session, line_order)])]
    own_sidechains = any(b'"isSidechain":true' in line for line in split(read()))
    tracks = [Track(name, read, True, session, line_order, sidechains=own_sidechains)]
    if path is not None and not path.name.startswith("agent-"):
        tracks += beside_transcript(path, session)
    return [Run("claude", session, tracks)]


def beside_transcript(path: Path, session: str | None) -> list[Track]:
    """The sub-agents' transcripts of a session's, in the layouts of 2.0 and 2.1."""
    tracks: list[Track] = []
    facts: list[bytes] = []
    folder = path.with_suffix("") / "subagents"
    for file in _in_start_order(folder):
        workflow = file.parent.name if file.parent.parent.name == "workflows" else None
        if file.name.startswith("agent-"):
            meta = file.with_suffix(".meta.json")
            if meta.is_file() or workflow is not None:
                known = meta.read_bytes() if meta.is_file() else b"{}"
                facts.append(agent_line(file.stem.removeprefix("agent-"), known, workflow))
        order = line_order if workflow is None else workflow_line_order
        tracks.append(_file(file, session, order))
    for file in sorted(path.parent.glob("agent-*.jsonl")):
        first = sniff(split(chunks(file)))
        if first is not None and first.session_id_transcript == session:
            tracks.append(_file(file, session, line_order))
    if facts:
        tracks.insert(0, Track(f"{folder}/*.meta.json", lambda: iter(facts), True, session))
    return tracks


def _in_start_order(folder: Path) -> list[Path]:
    """A session's sub-agent files; a workflow's in the order in which its journal started them."""
    started: dict[str, int] = {}
    for journal in sorted(folder.rglob("journal.jsonl")):
        for line in split(chunks(journal)):
            for item in read_line(line):
                if isinstance(item, Record) and item.type == "started":
                    started.setdefault(f"agent-{item.agent_id_transcript}", len(started))
    files = sorted(folder.rglob("*.jsonl"))
    return sorted(files, key=lambda file: started.get(file.stem, len(started)))


def _file(path: Path, session: str | None, order: Callable[[bytes], LineOrder]) -> Track:
    return Track(str(path), lambda: chunks(path), True, session, order)


def sniff(lines: Iterable[bytes]) -> Record | None:
    """The first record that shows of what kind a file of lines is."""
    for number, line in enumerate(lines):
        if number >= SNIFF_LINES:
            break
        for item in read_line(line):
            if isinstance(item, Record) and _is_telling(item):
                return item
    return None


def _is_telling(record: Record) -> bool:
    """Whether a record is an agent's: other files have objects with a `type` too."""
    if record.type in TELLING_TYPES or bytes(record.properties):
        return True
    session = record.session_id or record.session_id_transcript or record.session_id_opencode
    return bool(record.type and (session or record.uuid))


def _exported(name: str, whole: bytes) -> Run:
    exported = decoded(whole)
    if not isinstance(exported, dict) or not isinstance(exported.get("info"), dict):
        raise SourceError(name, "is of no known kind")
    lines = export_as_lines(exported)
    info = exported["info"]
    session = info.get("id")
    # A child belongs to its parent's run, should that be here too.
    above = info.get("parentID") or session
    track = Track(name, lambda: iter(lines), True, session, event_order)
    return Run("opencode", above, [track])
