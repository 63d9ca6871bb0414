"""Files as tracks: bytes of any encoding, lines or an array, of the kind that recognizes them."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, iterdecode
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from unbraid.agents.files import DialectFiles
from unbraid.agents.port import FileFormats
from unbraid.agents.registry import kinds, plugin_problems
from unbraid.agents.session_port import SourceForm
from unbraid.errors import SourceError
from unbraid.read.arrays import as_lines, begins_array
from unbraid.read.record import Record, read_as
from unbraid.read.tracks import RunTracks, Track, first_lines
from unbraid.system.files import chunks, person_path

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
