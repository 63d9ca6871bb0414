"""A stream of NATS JetStream as a journal: compare and append, exactly once.

A record is one message on its run's subject, sent with the sequence that must be the subject's
last. So a message that was sent twice is stored once, and a timeout is not ambiguous: the message
is sent again, and if the first has arrived, the head has moved, and the message behind the old head
has our id. `Nats-Msg-Id` could not do that: after a purge it acknowledges what is gone, and its
window is shorter than a weekend.

Appends of different runs are sent together, so that the nodes' disks sync once for many. An append
is sent at once while few are on their way. Those that come meanwhile wait, and go as one atomic
batch, each with the sequence that must be its own run's last: all of them are stored, one after the
other, or none. If a batch fails, it is unknown which of its messages is the reason: each is then
sent alone, under the same id, which is as safe as sending any message again.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import NamedTuple

from unbraid.log.nats.checkup import nats_findings
from unbraid.log.nats.connection import JetStreamProblem, NatsConnection, NoAnswer, Refused
from unbraid.log.nats.feed import NatsFeed, read_to_end
from unbraid.log.nats.leases import Bucket
from unbraid.log.nats.stream import (
    BATCH_COMMIT,
    BATCH_ID,
    BATCH_SEQ,
    ID,
    NOT_FOUND,
    PARTS,
    REPLICAS,
    ROLLUP,
    TTL,
    WRONG_LAST,
    RecordMessage,
    StoredMessage,
    ack_of,
    is_cut_off,
    log_settings,
    open_stream,
    part_numbers,
    run_subject,
    setting_problems,
    stored_message,
)
from unbraid.log.port import LogFinding, LogUnusable
from unbraid.log.replicated.journal import JournalInfo, RecordConflict, StoredRecord
from unbraid.system.tasks import Backoff
from unbraid.timings import (
    APPEND_DEADLINE_SECONDS,
    BATCH_TIMEOUT_SECONDS,
    NATS_FIRST_RETRY_SECONDS,
    NATS_LONGEST_RETRY_SECONDS,
    NATS_LOST_SECONDS,
    NATS_REQUEST_TIMEOUT_SECONDS,
)

# More of them cost more commits, fewer let a single append wait longer for its turn.
IN_FLIGHT = 2
MAX_TOGETHER = 250
# Larger ones are sent alone: what they cost is their bytes.
MAX_BYTES = 16 << 10


class GroupFailed(Exception):
    """The messages that were sent together were not all accepted, or that is unknown."""


class _Waiting(NamedTuple):
    message: RecordMessage
    stored: asyncio.Future[int]


class AppendGroups:
    """The appends of one connection."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection
        self._waiting: list[_Waiting] = []
        self._in_flight: set[asyncio.Task[None]] = set()

    @staticmethod
    def accepts(message: RecordMessage) -> bool:
        """Returns whether a message may go together with others."""
        return not message.headers and len(message.record) <= MAX_BYTES

    async def publish(self, message: RecordMessage) -> int:
        """Returns the sequence that a message was stored at. Raises Refused and NoAnswer if it was
        sent alone, GroupFailed if it was not.
        """
        loop = asyncio.get_running_loop()
        stored: asyncio.Future[int] = loop.create_future()
        self._waiting.append(_Waiting(message, stored))
        if len(self._waiting) == 1:
            loop.call_soon(self._send)
        return await stored

    def _send(self) -> None:
        # A message whose sender was cancelled meanwhile has not been sent, and never is.
        waiting = [each for each in self._waiting if not each.stored.done()]
        while waiting and len(self._in_flight) < IN_FLIGHT:
            group, waiting = waiting[:MAX_TOGETHER], waiting[MAX_TOGETHER:]
            task = asyncio.create_task(self._commit(group))
            self._in_flight.add(task)
            task.add_done_callback(self._committed)
        self._waiting = waiting

    def _committed(self, task: asyncio.Task[None]) -> None:
        self._in_flight.discard(task)
        self._send()

    async def _commit(self, group: list[_Waiting]) -> None:
        messages = [each.message for each in group]
        try:
            last = await (self._batch(messages) if len(messages) > 1 else self._single(*messages))
        except Exception as error:
            apart = len(group) > 1 and isinstance(error, (Refused, NoAnswer))
            for each in group:
                if not each.stored.done():
                    each.stored.set_exception(GroupFailed() if apart else error)
            return
        for seq, each in enumerate(group, last + 1 - len(group)):
            if not each.stored.done():
                each.stored.set_result(seq)

    async def _single(self, message: RecordMessage) -> int:
        headers = message.all_headers()
        answer = await self._connection.request(message.subject, message.record, headers=headers)
        return ack_of(answer).seq

    async def _batch(self, messages: list[RecordMessage]) -> int:
        sent = [(each.subject, each.record, each.all_headers()) for each in messages]
        return await _stored_batch(self._connection, sent, NATS_REQUEST_TIMEOUT_SECONDS)


async def _stored_batch(
    connection: NatsConnection, messages: list[tuple[str, bytes, dict[str, str]]], seconds: float
) -> int:
    """Sends messages as one atomic batch, all of which are stored or none. Returns the sequence of
    the last.
    """
    batch = secrets.token_hex(8)  # a new one each time: half of an old one may be there
    for number, (_, _, headers) in enumerate(messages, 1):
        headers[BATCH_ID], headers[BATCH_SEQ] = batch, str(number)
    subject, payload, headers = messages.pop()
    await connection.send(*messages)
    headers[BATCH_COMMIT] = "1"
    answer = await connection.request(subject, payload, headers=headers, seconds=seconds)
    return ack_of(answer).seq


_FULL = (10047, 10077)
_LAST = re.compile(r"wrong last sequence: (\d+)")


class NatsJournal:
    """The stream of one log."""

    def __init__(
        self, connection: NatsConnection, stream: str, prefix: str, bucket: Bucket
    ) -> None:
        self.address = connection.address.shown
        # What has happened to the messages and leases of this process.
        self.counts = {"retries": 0, "rescued": 0, "lease_changes": 0}
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
        alone = not AppendGroups.accepts(message)
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
                    self.counts["rescued"] += 1
                    return seq
                problem = str(refused)
            if time.monotonic() - began > APPEND_DEADLINE_SECONDS:
                raise LogUnusable(self.address, "away", f"does not take this append ({problem})")
            self.counts["retries"] += 1
            await backoff.wait()

    async def _publish(self, message: RecordMessage) -> int:
        parts, expected = message.parts(), message.all_headers()
        if len(parts) == 1:
            answer = await self._connection.request(message.subject, parts[0], headers=expected)
            return ack_of(answer).seq
        sent = [
            (message.subject, part, {PARTS: f"{number}/{len(parts)}", ID: message.id})
            for number, part in enumerate(parts, 1)
        ]
        sent[0][2].update(expected)
        return await _stored_batch(self._connection, sent, BATCH_TIMEOUT_SECONDS)

    async def _verdict(
        self, run: str, message: RecordMessage, problem: JetStreamProblem, *, began: float
    ) -> int | None:
        """Returns the sequence of our message if it is there; None if that is not known yet. Raises
        what is certain.
        """
        if problem.err_code in _FULL:
            raise LogUnusable(self.address, "full", f"takes no more ({problem.description})")
        if problem.err_code not in WRONG_LAST:
            if problem.code < 500 and not problem.err_code == 10176:
                raise LogUnusable(self.address, "io", f"refuses: {problem.description}")
            return None
        try:
            found = await self._first_after(message.subject, message.after)
        except (NoAnswer, Refused):
            return None
        if found is not None:
            if found.headers.get(ID) != message.id:
                raise RecordConflict(run, found.seq)
            # The parts of a batch are neighbours, and the last one is the head.
            number, count = part_numbers(found.headers.get(PARTS))
            return found.seq + count - number
        last = _LAST.search(problem.description)
        # A node that was cut off may take itself for the leader for a while, with an old number:
        # only one that stays is a loss.
        if last and int(last[1]) < message.after and time.monotonic() - began > NATS_LOST_SECONDS:
            lost = f"has lost records of run {run}: its last is {last[1]}, not {message.after}"
            raise LogUnusable(self.address, "lost", lost)
        return None

    async def _first_after(self, subject: str, seq: int) -> StoredMessage | None:
        wanted = {"seq": seq + 1, "next_by_subj": subject}
        return await stored_message(self._connection, self._stream, wanted)

    async def record_id(self, seq: int) -> str | None:
        """Returns the id of the message at a sequence."""
        try:
            found = await stored_message(self._connection, self._stream, {"seq": seq})
        except (Refused, NoAnswer) as error:
            raise self._connection.unusable(error) from error
        return None if found is None else found.headers.get(ID, "")

    async def has_after(self, seq: int) -> bool:
        """Returns whether there is a message after a sequence."""
        try:
            found = await self._first_after(run_subject(self._prefix, "*"), seq)
        except (Refused, NoAnswer) as error:
            raise self._connection.unusable(error) from error
        return found is not None

    async def follow(self, after: int) -> AsyncGenerator[list[StoredRecord], None]:
        """Yields the records after a sequence, then those to come.

        Over a connection of its own. Anyone with a credential can publish to a subject that is not
        UTF-8, and the client gives up reading at such a message; appends must not notice.
        """
        connection = await NatsConnection.open(self._connection.address)
        try:
            feed = NatsFeed(connection, self._stream, first=after + 1)
            async with aclosing(feed.records()) as records:
                async for batch in records:
                    yield batch
        finally:
            await connection.close()

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
        return dict(self.counts)

    async def close(self) -> None:
        """Closes the connection."""
        await self._connection.close()
