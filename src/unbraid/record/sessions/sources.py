"""The sources that a person names on the command line, as runs."""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, iterdecode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from unbraid.agents.files import DialectFiles
from unbraid.agents.port import FileFormats, SourceForm
from unbraid.agents.registry import kinds, plugin_problems, stores
from unbraid.errors import LogError, SourceError
from unbraid.events import FleetEvent, RelayEvent
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.streams import CONTENT
from unbraid.read.arrays import as_lines, begins_array
from unbraid.read.record import Record, read_as
from unbraid.read.tracks import RunTracks, Track, first_lines, merge
from unbraid.read.translator import Translator
from unbraid.record.sessions.run_list import is_live, seconds_since, session_state
from unbraid.system.files import CHUNK_BYTES, chunks, person_path
from unbraid.system.prices.loader import load_prices

# Files as tracks: bytes of any encoding, lines or an array, of the kind that recognizes them.

LOG = "log"  # a run's fleet events, as `unbraid cat --json` prints them
LOG_BEGINS = "request_received"
SNIFF_LINES = 50
MAX_DOCUMENT_BYTES = 256 << 20


class RecognizedLine(NamedTuple):
    """A line that shows what its source is; without `formats`, one of our own log."""

    line: bytes
    form: SourceForm
    formats: FileFormats | None


def open_path(path: Path) -> list[RunTracks]:
    """Returns the runs in a file, each with everything that is stored beside it."""
    formats, path = _formats(), person_path(path)
    try:
        for each in formats:
            if (runs := each.opened(path)) is not None:
                return runs
        with path.open("rb") as file:
            head = file.read(1)
    except IsADirectoryError:
        raise SourceError(str(path), "is a folder, not a file") from None
    except OSError as error:
        raise SourceError(str(path), error.strerror or str(error)) from None
    if not head:
        raise SourceError(str(path), "is empty")
    return lines_runs(str(path), lambda: chunks(path), path)


def lines_runs(
    name: str, given: Callable[[], Iterator[bytes]], path: Path | None
) -> list[RunTracks]:
    """Returns the runs in a source of lines."""
    read = _unpacked(lambda: as_utf8(given()))
    first = recognized(read())
    if first is None:
        whole = _whole(read()) or b""
        for each in _formats():
            if (runs := each.document(name, whole)) is not None:
                return runs
        raise SourceError(name, "is not a kind of source that unbraid knows" + _not_loaded())
    if first.formats is None:
        return [RunTracks(LOG, None, [Track(name, read, False)])]
    return first.formats.runs(name, read, first=first.line, path=path)


def recognized(data: Iterable[bytes]) -> RecognizedLine | None:
    """Returns the first line that shows of what kind its source is."""
    formats = _formats()
    for line in first_lines(data, SNIFF_LINES):
        if _begins_log(line):
            return RecognizedLine(line, "stream", None)
        for each in formats:
            if (form := each.form(line)) is not None:
                return RecognizedLine(line, form, each)
    return None


def _not_loaded() -> str:
    """Returns the names of plugins that might have known a source, as a part of an error
    message.
    """
    problems = plugin_problems().items()
    return "".join(f"; the plugin {name} cannot be used: {why}" for name, why in problems)


def _formats() -> list[FileFormats]:
    return [kind.files() or DialectFiles(kind) for kind in kinds()]


def _begins_log(line: bytes) -> bool:
    return LOG_BEGINS.encode() in line and read_as(Record, line).type == LOG_BEGINS


def as_utf8(data: Iterator[bytes]) -> Iterator[bytes]:
    """Yields bytes as UTF-8, by the mark of their encoding: some shells of Windows write UTF-16."""
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
    """Returns a reader of the lines as they are, or of those in an array."""
    head = b""
    for data in read():
        head += data.translate(None, b" \t\r\n")[:2]
        if len(head) > 1:
            break
    if not begins_array(head):
        return read
    whole = _whole(read())
    return read if whole is None else partial(iter, list(as_lines(whole)))


def _whole(data: Iterable[bytes]) -> bytes | None:
    """Returns a source in one piece; None if it is larger than any document."""
    whole = bytearray()
    for chunk in data:
        whole += chunk
        if len(whole) > MAX_DOCUMENT_BYTES:
            return None
    return bytes(whole)


# A run without any time in so many bytes has none.
HEAD_BYTES = 1 << 20


def runs_of_sources(
    names: Sequence[str], env: Mapping[str, str], *, logged: bool = True, redact: bool = False
) -> list[RunTracks]:
    """Returns the runs that the named sources hold; sources of one run are joined.

    A run that is `logged` is read from the log, so that it is the same everywhere. Beside a file it
    is read from where its session is stored, because a log cannot be joined with anything.
    """
    runs: list[RunTracks] = []
    alone = len(set(names)) == 1
    logged = logged and not any(name == "-" or os.path.lexists(name) for name in names)
    for name in dict.fromkeys(names):
        for run in _open(name, env, alone=alone, logged=logged, redact=redact):
            _join(run, runs)
    named = [run for run in runs if not run.tracks[0].name.endswith(f"#{run.session}")]
    # A database holds every session there ever was: beside another source, only that one's.
    return runs if alone or not named else named


def events_of(run: RunTracks, *, so_far: bool = False) -> Iterator[FleetEvent]:
    """Yields a run's log, from its sources; or as it is, where the source is a log.

    It ends with the sources; or, `so_far`, is left open if its agents may still be at work.
    """
    if run.source == LOG:
        from unbraid.record.sessions.logged_runs import logged_events

        yield from logged_events(run)
        return
    lines = merge(run.tracks)
    head, began_ms = _head(lines, arrives=run.arrives)
    pipeline = Pipeline(run.source, began_ms=began_ms, prices=load_prices().prices)
    latest_ms = 0
    for name, data in chain(head, lines):
        for event in pipeline.feed(data, name):
            latest_ms = max(latest_ms, event.ts)
            yield event
    live = run.live
    if live is None:
        # The files of a session that was copied or restored are new, and what it says is not.
        live = is_live(None, seconds_since(latest_ms))
    if not (so_far and live):
        yield from pipeline.finish()


def _head(
    lines: Iterator[tuple[str, bytes]], *, arrives: bool
) -> tuple[list[tuple[str, bytes]], int]:
    """Returns a run's first bytes, up to the first record that has a time, and that time; 0 if none
    of them has one. Of a run that still arrives, nothing that an agent says is held back.
    """
    translator = Translator()
    head: list[tuple[str, bytes]] = []
    size = 0
    for name, data in lines:
        head.append((name, data))
        for line in data.splitlines(keepends=True):
            events = translator.feed(line, name)
            if translator.ts:
                return head, translator.ts
            if arrives and any(isinstance(event, CONTENT) for event in events):
                return head, 0
        size += len(data)
        if size > HEAD_BYTES:
            break
    return head, 0


def relay_events_of(run: RunTracks) -> Iterator[RelayEvent]:
    """Yields what a run's agents said, from its sources."""
    if run.source == LOG:
        raise SourceError(run.tracks[0].name, "is a log: it holds fleet events, no relay events")
    translator = Translator()
    for name, data in merge(run.tracks):
        yield from translator.feed(data, name)
    yield from translator.finish()


def _open(
    name: str, env: Mapping[str, str], *, alone: bool, logged: bool, redact: bool
) -> list[RunTracks]:
    if name == "-":
        stdin = sys.stdin.buffer
        arriving = _arriving(nullcontext(stdin))
        # A file, unlike a pipe, is there as a whole.
        return _once("standard input", arriving, alone=alone, arrives=not stdin.seekable())
    if not name:  # as a variable of a shell that is not set
        raise SourceError('""', "is not the name of a source")
    path = Path(name)
    try:
        if path.is_fifo() or path.is_char_device():
            return _once(name, _arriving(path.open("rb")), alone=alone, arrives=True)
        if path.exists() or path.is_symlink():
            return open_path(path)
    except OSError as error:
        raise SourceError(name, error.strerror or str(error)) from None
    # The log brings a database and an event loop along: they are imported when a run is named.
    from unbraid.record.sessions.importer import complete_name
    from unbraid.record.sessions.logged_runs import logged_names, logged_run

    stored = [] if logged else _session(name, env)
    try:
        run = None if stored else logged_run(name, env, redact=redact)
    except LogError:
        # A log that cannot be used hides no session.
        if not (stored := _session(name, env)):
            raise
        run = None
    if run is not None:
        return [run]
    if found := stored or _session(name, env):
        return found
    if (full := complete_name(name, logged_names(env, name), env)) != name:
        return _open(full, env, alone=alone, logged=logged, redact=redact)
    for kind in kinds():
        store = kind.sessions(env)
        if store is not None and store.is_session_id(name):
            problem = f"no {kind.title} session and no run has this id here"
            raise SourceError(name, problem)
    raise SourceError(name, "No such file, and no run has this id")


def _session(name: str, env: Mapping[str, str]) -> list[RunTracks]:
    """Returns a session by its id. Its agents may still be at work if a process has it, or, if that
    is unknown, if it changed lately.
    """
    for store in stores(env).values():
        if store.is_session_id(name) and (run := store.run(name)) is not None:
            state = session_state(store, name)
            run.live = is_live(state, seconds_since(store.updated(name)))
            if run.live and state is None:
                from unbraid.record.sessions.logged_runs import is_over

                run.live = False if is_over(name, env) else None
            return [run]
    return []


def _arriving(opened: AbstractContextManager[BinaryIO]) -> Iterator[bytes]:
    """Yields bytes as they come, without waiting for more."""
    with opened as file:
        while data := file.read1(CHUNK_BYTES):  # type: ignore[attr-defined]
            yield data


def _once(name: str, arriving: Iterator[bytes], *, alone: bool, arrives: bool) -> list[RunTracks]:
    """Returns the runs of a source that can be read only once: what is read to detect its kind is
    kept.
    """
    kept: list[bytes] = []
    first, lines, size = None, 0, 0
    for chunk in arriving:
        kept.append(chunk)
        # Only whole lines can show it, and only the first ones are looked at: a stream may come
        # in thousands of small chunks.
        if alone and first is None and b"\n" in chunk and lines < SNIFF_LINES:
            lines += chunk.count(b"\n")
            first = recognized(kept)
        # What was stored may have to be put in order, and is short; a stream is passed on as it
        # comes.
        if first is not None and first.form == "stream":
            break
        size += len(chunk)
        if size > MAX_DOCUMENT_BYTES:
            raise SourceError(name, "is too large to be buffered: pass the file itself")
    if not kept:
        raise SourceError(name, "is empty")
    runs = lines_runs(name, lambda: chain(kept, arriving), None)
    for run in runs:
        run.arrives = arrives
    return runs


def _join(run: RunTracks, runs: list[RunTracks]) -> None:
    """Merges a run with those of the same session; it may connect two of them."""
    for other in [other for other in runs if _same(run, other)]:
        run.tracks = other.tracks + run.tracks
        run.session = other.session or run.session
        run.arrives = run.arrives or other.arrives
        runs.remove(other)
    runs.append(run)


def _same(run: RunTracks, other: RunTracks) -> bool:
    if run.source != other.source:
        return False
    if run.session is None or other.session is None:
        return True
    inside = {track.session for track in run.tracks} | {run.session}
    return not inside.isdisjoint({track.session for track in other.tracks} | {other.session})
