"""What a replicated log needs of an engine: a durable, ordered journal of records; and the wire
form of a record.

An engine implements `RecordJournal`, and nothing else: reading, searching, summaries and following
are done by the copy into which every reader folds the journal.

Version 1 of a record is MessagePack, behind one byte that says whether the rest is compressed. A
record of a newer version stops its readers, because to skip it would be to lose events in silence.
A message that is no record at all may come from anyone with access to the journal; every reader
skips it.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from unbraid.errors import CallerError, LogError
from unbraid.events import decode_event
from unbraid.log.fold import INT64, Line
from unbraid.log.leases import Leases
from unbraid.log.port import LogFinding, LogUnusable, MachineRequests
from unbraid.log.sqlite.appender import compressed
from unbraid.read.chunk import Chunk
from unbraid.read.names import names_run
from unbraid.read.record import BAD_JSON


class RecordConflict(LogError):
    """Another record of the run, the one at `seq`, stands where this one was to go."""

    def __init__(self, run: str, seq: int) -> None:
        super().__init__(f"run {run}: another record is there, at {seq}")
        self.run, self.seq = run, seq


class FeedBroken(LogError):
    """This feed has ended; another one may continue where it ended."""


class StoredRecord(NamedTuple):
    """A record of a journal: its position, its writer, and its run."""

    seq: int
    id: str
    run: str
    record: bytes


class JournalInfo(Struct, frozen=True):
    """What a journal says of itself. One that was made anew has another `created`."""

    created: str
    last_seq: int
    is_empty: bool = False


class RecordJournal(ABC):
    """An ordered list of records. Each belongs to one run, and follows a certain record of it."""

    address: str

    @abstractmethod
    async def append(
        self,
        run: str,
        record: bytes,
        *,
        after: int,
        replaces: bool = False,
        ttl_seconds: int | None = None,
    ) -> int:
        """Appends a record if the run's last one is `after` (0: it has none); returns its sequence
        number. It is durable then, and in the journal once, however often it had to be sent.

        One that `replaces` replaces all records of its run before it. Raises
        RecordConflict, or LogUnusable: then whether it is there is not known.
        """

    @abstractmethod
    def follow(self, after: int) -> AsyncGenerator[list[StoredRecord], None]:
        """Yields the records after a sequence number, in order and without a gap, then those to
        come. Raises FeedBroken when that has become impossible.
        """

    @abstractmethod
    def read(self, run: str) -> AsyncGenerator[list[StoredRecord], None]:
        """Yields the records of one run, in order. Raises LogUnusable."""

    @abstractmethod
    async def record_id(self, seq: int) -> str | None:
        """Returns the id of the record with a sequence number, None if there is none any more."""

    @abstractmethod
    async def has_after(self, seq: int) -> bool:
        """Returns whether there is a record after a sequence number: the last that was given may
        be gone.
        """

    @abstractmethod
    async def info(self) -> JournalInfo:
        """Returns what the journal is now. Raises LogUnusable if it cannot be reached."""

    @abstractmethod
    def leases(self) -> Leases:
        """Returns leases that all machines know, for this process to acquire."""

    @abstractmethod
    def machine_requests(self) -> MachineRequests:
        """Returns how the processes that share the journal ask each other."""

    @abstractmethod
    async def findings(self) -> list[LogFinding]:
        """Returns what is well with it and what is not."""

    @abstractmethod
    def counters(self) -> dict[str, int]:
        """Returns how often a record was sent again, and more that an engine counts."""

    @abstractmethod
    async def close(self) -> None:
        """Closes the journal."""


VERSION = 1
# Below this, what compression saves is less than what it costs.
MIN_COMPRESSED_BYTES = 512
# A megabyte of zeros takes a kilobyte: nobody is to inflate more than this at once.
MAX_RECORD_BYTES = 256 << 20
_PLAIN, _ZLIB = b"\x00", b"\x01"


class InvalidRecord(Exception):
    """The record cannot be read: unbraid has not written it, or not completely."""


class JournalRecord(Struct, array_like=True, omit_defaults=True):
    """What one append adds to a run (`append`), or what is left of a run whose events (`cut`) or
    all of it (`forget`) were taken away.

    `events` are JSON, one line each. `summary` is that of a run that was cut.
    """

    version: int
    kind: Literal["append", "cut", "forget"]
    events: list[bytes] = []
    offsets: dict[str, int] = {}
    chunks: list[Chunk] = []
    summary: bytes = b""


class _Version(Struct, array_like=True):
    version: int


_decoder = msgspec.msgpack.Decoder(JournalRecord)
_version = msgspec.msgpack.Decoder(_Version)
_encoder = msgspec.msgpack.Encoder()


def encoded(record: JournalRecord) -> bytes:
    """Returns a record's bytes. Raises CallerError if there are more than a reader accepts."""
    data = _encoder.encode(record)
    if len(data) > MAX_RECORD_BYTES:
        most = f"{MAX_RECORD_BYTES >> 20} MiB are the most"
        raise CallerError(f"an append of {len(data) >> 20} MiB to a shared log: {most}")
    small = compressed(data, min_bytes=MIN_COMPRESSED_BYTES)
    return _PLAIN + data if small is None else _ZLIB + small


def decoded(stored: StoredRecord, address: str) -> JournalRecord:
    """Returns the record that a journal holds. Raises LogUnusable if only a newer unbraid can read
    it, InvalidRecord if none has written it.
    """
    if not (stored.id and stored.record and names_run(stored.run)):
        raise InvalidRecord("not written by unbraid")
    form, body = stored.record[:1], stored.record[1:]
    if form not in (_PLAIN, _ZLIB):
        raise _newer(address)
    try:
        body = _inflated(body) if form == _ZLIB else body
        if _version.decode(body).version > VERSION:
            raise _newer(address)
        record = _decoder.decode(body)
    except (*BAD_JSON, zlib.error) as error:
        raise InvalidRecord(str(error)) from error
    if record.offsets or record.chunks:
        numbers = [*record.offsets.values(), *(each.offset for each in record.chunks)]
        if min(numbers) < 0 or max(numbers) >= INT64:
            raise InvalidRecord("an offset that no source has")
    return record


def lines_of(record: JournalRecord, address: str) -> list[Line]:
    """Returns the events of a record. Raises LogUnusable if only a newer unbraid can read one."""
    try:
        lines = [(decode_event(data), data) for data in record.events]
    except msgspec.MsgspecError as error:
        problem = f"has events that this unbraid cannot read ({error}): upgrade it"
        raise LogUnusable(address, "newer", problem) from error
    except BAD_JSON as error:
        raise InvalidRecord(str(error)) from error  # no version writes that
    if any(max(event.seq, event.ts, event.stream_id) >= INT64 for event, _ in lines):
        raise InvalidRecord("a number that does not fit 64 bits")
    return lines


def _newer(address: str) -> LogUnusable:
    return LogUnusable(address, "newer", "has records of a newer unbraid: upgrade this one")


def _inflated(data: bytes) -> bytes:
    inflater = zlib.decompressobj()
    body = inflater.decompress(data, MAX_RECORD_BYTES)
    if not inflater.eof:
        raise InvalidRecord("cut short, or too large")
    return body
