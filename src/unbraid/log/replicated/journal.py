"""What a replicated log needs of an engine: a durable, ordered journal of records.

An engine implements this, and nothing else: reading, searching, summaries and following are done by
the copy into which every reader folds the journal.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import NamedTuple, Protocol

from msgspec import Struct

from unbraid.errors import LogError
from unbraid.log.port import LogFinding


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


class RecordJournal(Protocol):
    """An ordered list of records. Each belongs to one run, and follows a certain record of it."""

    address: str

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
        ...

    def follow(self, after: int) -> AsyncGenerator[list[StoredRecord], None]:
        """Yields the records after a sequence number, in order and without a gap, then those to
        come. Raises FeedBroken when that has become impossible.
        """
        ...

    def read(self, run: str) -> AsyncGenerator[list[StoredRecord], None]:
        """Yields the records of one run, in order. Raises LogUnusable."""
        ...

    async def record_id(self, seq: int) -> str | None:
        """Returns the id of the record with a sequence number, None if there is none any more."""
        ...

    async def has_after(self, seq: int) -> bool:
        """Returns whether there is a record after a sequence number: the last that was given may
        be gone.
        """
        ...

    async def info(self) -> JournalInfo:
        """Returns what the journal is now. Raises LogUnusable if it cannot be reached."""
        ...

    async def findings(self) -> list[LogFinding]:
        """Returns what is well with it and what is not."""
        ...

    def counters(self) -> dict[str, int]:
        """Returns how often a record was sent again, and more that an engine counts."""
        ...

    async def close(self) -> None:
        """Closes the journal."""
        ...
