"""The bytes of a rollout, plain or compressed, and what its first line says.

A compressed file is never longer in memory than a part of it. One that ends in the middle gives
all that was readable, and a last line that says what is missing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbraid.agents.codex.records import SessionHead, session_head
from unbraid.errors import SourceError
from unbraid.events import RelayEvent
from unbraid.read.record import BAD_JSON
from unbraid.read.tracks import split
from unbraid.system.files import CHUNK_BYTES, chunks, open_regular

if TYPE_CHECKING:
    from unbraid.agents.codex.dialect.dispatcher import CodexDialect

NAME = re.compile(
    r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-"
    r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl(\.zst)?"
)
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# The first line holds the instructions of the model, some ten thousand characters.
MAX_HEAD_BYTES = 4 << 20
# How the lines begin that start and end a turn. The latter repeats the agent's last words.
_TURN = re.compile(
    rb'^\{"timestamp":[^{\n]*"type":"event_msg",'
    rb'"payload":\{"type":"(?:(task_started)|task_complete|turn_aborted)"',
    re.MULTILINE,
)
MAX_TURN_END_BYTES = 1 << 20
# A running total of the tokens; one is written for every answer.
_COUNT = re.compile(
    rb'^\{"timestamp":[^{\n]*"type":"event_msg","payload":\{"type":"token_count","info":\{.*\n',
    re.MULTILINE,
)
MAX_COUNT_BYTES = 1 << 20
# Lines of agents are packed to a tenth or a hundredth; nothing but a trap to a thousandth.
MAX_RATIO, MIN_UNPACKED_BYTES = 1000, 64 << 20


def thread_of_name(name: str) -> str | None:
    """Returns the thread whose rollout has this name; None if it is not one."""
    found = NAME.fullmatch(name)
    return None if found is None else found[1]


def rollout_source(thread_id: str) -> str:
    """Returns the name that a thread's rollout has as a file of a run (`agents/file_sources.py`):
    the same wherever the file is, and when it is compressed.
    """
    return f"rollout-{thread_id}"


def created_ms(thread_id: str) -> int:
    """Returns when a thread was made, in milliseconds since 1970: its id begins with that."""
    return int(thread_id[:8] + thread_id[9:13], 16)


def rollout_bytes(path: Path) -> Iterator[bytes]:
    """Yields the lines of a rollout as bytes, in chunks."""
    with open_regular(path) as file:
        compressed = file.read(4) == ZSTD_MAGIC
    return _unpacked(path) if compressed else chunks(path)


def rollout_events(path: Path, dialect: CodexDialect) -> Iterator[list[RelayEvent]]:
    """Yields what each record of a rollout says, by a dialect that has read nothing else."""
    dialect.reading(path.name)
    for line in split(rollout_bytes(path)):
        try:
            record = dialect.decode(line)
        except BAD_JSON:
            continue
        if record is not None:
            out: list[RelayEvent] = []
            dialect.translate(record, out)
            yield out


def rollout_head(path: Path) -> SessionHead | None:
    """Returns what a rollout's first line says; None if it cannot be read or says nothing."""
    try:
        return session_head(_beginning(path).split(b"\n", 1)[0])
    except (OSError, SourceError):
        return None


def first_line(path: Path) -> bytes:
    """Returns a rollout's first line with its end; nothing if that cannot be read."""
    try:
        line, newline, _ = _beginning(path).partition(b"\n")
    except (OSError, SourceError):
        return b""
    return line + newline if newline else b""


def has_first_line(path: Path) -> bool:
    """Returns whether a rollout's first line is written to its end."""
    try:
        line = _beginning(path)
    except (OSError, SourceError):
        return False
    return b"\n" in line or len(line) > MAX_HEAD_BYTES


def ends_turn(path: Path) -> bool:
    """Returns whether the last turn of a rollout has ended, as far as its last bytes say."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            end = os.pread(file.fileno(), MAX_TURN_END_BYTES, max(0, size - MAX_TURN_END_BYTES))
    except OSError:
        return False
    # What an agent is sent after its turn is no turn yet. A half line at the end is none, either.
    turns = list(_TURN.finditer(end[: end.rfind(b"\n") + 1]))
    return bool(turns) and turns[-1][1] is None


def last_count(path: Path, before: int) -> bytes:
    """Returns the line with the last running total of tokens before an offset; nothing if there is
    none near it.
    """
    try:
        with open_regular(path) as file:
            begin = max(0, before - MAX_COUNT_BYTES)
            read = os.pread(file.fileno(), before - begin, begin)
    except OSError:
        return b""
    found = b""
    for match in _COUNT.finditer(read):
        found = match[0]
    return found


def _beginning(path: Path) -> bytes:
    """Returns the beginning of a rollout, with its first line if that is not too long."""
    line = b""
    for data in rollout_bytes(path):
        line += data
        if b"\n" in data or len(line) > MAX_HEAD_BYTES:
            break
    return line


def zstd_module(path: Path) -> Any:
    """Returns the module that reads zstd: of Python itself from 3.14 on."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from backports import zstd  # type: ignore[no-redef, unused-ignore]
        except ImportError:
            problem = "is compressed, and this Python cannot read zstd: pip install backports.zstd"
            raise SourceError(str(path), problem) from None
    return zstd


def _unpacked(path: Path) -> Iterator[bytes]:
    zstd = zstd_module(path)
    reader = zstd.ZstdDecompressor()
    ended, size = True, 0
    last = b"\n"
    most = max(MIN_UNPACKED_BYTES, MAX_RATIO * path.stat().st_size)
    try:
        for data in chunks(path):
            while data or not reader.needs_input:
                made = reader.decompress(data, max_length=CHUNK_BYTES)
                data = b""
                ended = False
                if made:
                    last = made[-1:]
                    size += len(made)
                    yield made
                if size > most:
                    yield _mark(last, f"{path.name}: unpacks to more than any session, not read on")
                    return
                if reader.eof:
                    ended = True
                    data = reader.unused_data
                    if not data:
                        break
                    reader = zstd.ZstdDecompressor()
    except zstd.ZstdError as error:
        yield _mark(last, f"{path.name}: the compressed data is damaged ({error})")
        return
    if not ended:
        yield _mark(last, f"{path.name}: the compressed data ends in the middle")


def _mark(last: bytes, problem: str) -> bytes:
    """Returns a line that is no record, so that it is reported where it stands."""
    return (b"" if last == b"\n" else b"\n") + problem.encode() + b"\n"
