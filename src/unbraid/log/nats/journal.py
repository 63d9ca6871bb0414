"""A stream of NATS JetStream as a journal: compare and append, exactly once.

A record is one message on its run's subject, sent with the sequence that must be the subject's
last. So a message that was sent twice is stored once, and a timeout is not ambiguous: the message
is sent again, and if the first has arrived, the head has moved, and the message behind the old head
has our id. `Nats-Msg-Id` could not do that: after a purge it acknowledges what is gone, and its
window is shorter than a weekend.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import AsyncGenerator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from unbraid.log.nats.bucket import Bucket
from unbraid.log.nats.checkup import nats_findings
from unbraid.log.nats.connection import JetStreamProblem, NatsConnection, NoAnswer, Refused
from unbraid.log.nats.feed import NatsFeed, read_to_end
from unbraid.log.nats.groups import AppendGroups, GroupFailed
from unbraid.log.nats.message import (
    BATCH_COMMIT,
    BATCH_ID,
    BATCH_SEQ,
    ID,
    PARTS,
    ROLLUP,
    TTL,
    RecordMessage,
    ack_of,
    headers_of,
    part_numbers,
)
from unbraid.log.nats.stream import (
    NOT_FOUND,
    REPLICAS,
    is_cut_off,
    log_settings,
    open_stream,
    run_subject,
    setting_problems,
)
from unbraid.log.port import LogFinding, LogUnusable
from unbraid.log.replicated.journal import JournalInfo, RecordConflict, StoredRecord
from unbraid.system.pauses import Backoff
from unbraid.timings import (
    APPEND_DEADLINE_SECONDS,
    BATCH_TIMEOUT_SECONDS,
    NATS_FIRST_RETRY_SECONDS,
    NATS_LONGEST_RETRY_SECONDS,
    NATS_LOST_SECONDS,
)

_WRONG_LAST = (10071, 10164)
_FULL = (10047, 10077)
_MESSAGE_NOT_FOUND = 10037
_LAST = re.compile(r"wrong last sequence: (\d+)")


class _Found(NamedTuple):
    seq: int
    id: str
    parts: tuple[int, int]


@dataclass
class NatsStatistics:
    """What has happened to the messages and leases of this process."""

    retries: int = 0
    rescued: int = 0
    lease_changes: int = 0


class NatsJournal:
    """The stream of one log."""

    def __init__(
        self, connection: NatsConnection, stream: str, prefix: str, bucket: Bucket
    ) -> None:
        self.address = connection.address.shown
        self.statistics = NatsStatistics()
        self._bucket = bucket
        self._connection, self._stream, self._prefix = connection, stream, prefix
        self._writer, self._count = secrets.token_hex(8), 0
        self._groups = AppendGroups(connection)
        self._was_found = False

    async def prepare(self) -> None:
        """Checks the settings of the stream, or makes it; once. Raises LogUnusable."""
        if self._was_found:
            return
        try:
            self._connection.check_made()
        except NoAnswer as error:
            raise self._connection.unusable(error) from error
        settings = log_settings(self._stream, self._prefix, REPLICAS)
        info = await open_stream(self._connection, settings)
        if problems := setting_problems(info, settings):
            raise LogUnusable(self.address, "io", "; ".join(problems))
        self._was_found = True

    async def append(
        self,
        run: str,
        record: bytes,
        *,
        after: int,
        replaces: bool = False,
        ttl_seconds: int | None = None,
    ) -> int:
        """Appends a record after the one that has to be the run's last. Returns its sequence."""
        self._count += 1
        message = RecordMessage(
            subject=run_subject(self._prefix, run),
            id=f"{self._writer}.{self._count}",
            record=record,
            after=after,
            headers=({ROLLUP: "sub"} if replaces else {})
            | ({} if ttl_seconds is None else {TTL: str(ttl_seconds)}),
        )
        began = time.monotonic()
        backoff = Backoff(NATS_FIRST_RETRY_SECONDS, NATS_LONGEST_RETRY_SECONDS)
        alone = not AppendGroups.takes(message)
        while True:
            try:
                if alone:
                    return await self._publish(message)
                alone = True  # what is sent again is in doubt, and must not fail others
                return await self._groups.publish(message)
            except GroupFailed:
                continue
            except NoAnswer as away:
                problem = str(away)
            except Refused as refused:
                seq = await self._verdict(run, message, refused.problem, began=began)
                if seq is not None:
                    self.statistics.rescued += 1
                    return seq
                problem = str(refused)
            if time.monotonic() - began > APPEND_DEADLINE_SECONDS:
                raise LogUnusable(self.address, "away", f"does not take this append ({problem})")
            self.statistics.retries += 1
            await backoff.wait()

    async def _publish(self, message: RecordMessage) -> int:
        parts = message.parts()
        expected = message.all_headers()
        if len(parts) == 1:
            answer = await self._connection.request(message.subject, parts[0], headers=expected)
            return ack_of(answer).seq
        batch = secrets.token_hex(8)  # a new one each time: half of an old one may be there
        for number, part in enumerate(parts, 1):
            headers = {
                BATCH_ID: batch,
                BATCH_SEQ: str(number),
                PARTS: f"{number}/{len(parts)}",
                ID: message.id,
            }
            if number == 1:
                headers |= expected
            if number < len(parts):
                await self._connection.send((message.subject, part, headers))
        answer = await self._connection.request(
            message.subject,
            parts[-1],
            headers={**headers, BATCH_COMMIT: "1"},
            seconds=BATCH_TIMEOUT_SECONDS,
        )
        return ack_of(answer).seq

    async def _verdict(
        self, run: str, message: RecordMessage, problem: JetStreamProblem, *, began: float
    ) -> int | None:
        """Returns the sequence of our message if it is there; None if that is not known yet. Raises
        what is certain.
        """
        if problem.err_code in _FULL:
            raise LogUnusable(self.address, "full", f"takes no more ({problem.description})")
        if problem.err_code not in _WRONG_LAST:
            if problem.code < 500 and not problem.err_code == 10176:
                raise LogUnusable(self.address, "io", f"refuses: {problem.description}")
            return None
        try:
            found = await self._first_after(message.subject, message.after)
        except (NoAnswer, Refused):
            return None
        if found is not None:
            if found.id != message.id:
                raise RecordConflict(run, found.seq)
            # The parts of a batch are neighbours, and the last one is the head.
            number, count = found.parts
            return found.seq + count - number
        last = _LAST.search(problem.description)
        # A node that was cut off may take itself for the leader for a while, with an old number:
        # only one that stays is a loss.
        if last and int(last[1]) < message.after and time.monotonic() - began > NATS_LOST_SECONDS:
            lost = f"has lost records of run {run}: its last is {last[1]}, not {message.after}"
            raise LogUnusable(self.address, "lost", lost)
        return None

    async def _first_after(self, subject: str, seq: int) -> _Found | None:
        return await self._message({"seq": seq + 1, "next_by_subj": subject})

    async def _message(self, wanted: dict[str, Any]) -> _Found | None:
        try:
            answer = await self._connection.ask(f"STREAM.MSG.GET.{self._stream}", wanted)
        except Refused as error:
            if error.problem.err_code == _MESSAGE_NOT_FOUND:
                return None
            raise
        message = answer["message"]
        headers = headers_of(message.get("hdrs"))
        return _Found(message["seq"], headers.get(ID, ""), part_numbers(headers.get(PARTS)))

    async def record_id(self, seq: int) -> str | None:
        """Returns the id of the message at a sequence."""
        try:
            found = await self._message({"seq": seq})
        except (Refused, NoAnswer) as error:
            raise self._connection.unusable(error) from error
        return None if found is None else found.id

    async def has_after(self, seq: int) -> bool:
        """Returns whether there is a message after a sequence."""
        try:
            found = await self._first_after(run_subject(self._prefix, "*"), seq)
        except (Refused, NoAnswer) as error:
            raise self._connection.unusable(error) from error
        return found is not None

    def follow(self, after: int) -> AsyncGenerator[list[StoredRecord], None]:
        """Yields the records after a sequence, then those to come."""
        return NatsFeed(self._connection, self._stream, first=after + 1).records()

    def read(self, run: str) -> AsyncGenerator[list[StoredRecord], None]:
        """Yields the records of one run."""
        return read_to_end(self._connection, self._stream, run_subject(self._prefix, run))

    async def info(self) -> JournalInfo:
        """Returns what the stream is now, by its leader."""
        await self.prepare()
        try:
            info = await self._connection.ask(f"STREAM.INFO.{self._stream}")
        except Refused as error:
            if error.problem.err_code == NOT_FOUND:
                raise LogUnusable(self.address, "lost", "its stream is gone") from error
            raise self._connection.unusable(error) from error
        except NoAnswer as error:
            raise self._connection.unusable(error) from error
        if is_cut_off(info):
            raise LogUnusable(self.address, "away", "its nodes do not reach each other")
        state = info["state"]
        return JournalInfo(
            created=info["created"],
            last_seq=state["last_seq"],
            is_empty=state["messages"] == 0,
        )

    async def findings(self) -> list[LogFinding]:
        """Returns what is well with the cluster and what is not."""
        return await nats_findings(self._connection, self._stream, self._bucket)

    def counters(self) -> dict[str, int]:
        """Returns what has happened to messages and leases."""
        return asdict(self.statistics)

    async def close(self) -> None:
        """Closes the connection."""
        await self._connection.close()
