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

At the end, what `unbraid doctor` says of the cluster, and what to change.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from unbraid.errors import LogError
from unbraid.log.nats.connection import JetStreamProblem, NatsConnection, NoAnswer, Refused
from unbraid.log.nats.leases import Bucket, HolderSightings, NatsLeases
from unbraid.log.nats.machine_requests import NatsMachineRequests
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
    NatsFeed,
    RecordMessage,
    StoredMessage,
    acked_seq,
    is_cut_off,
    log_settings,
    open_stream,
    part_numbers,
    read_to_end,
    run_subject,
    setting_problems,
    stored_message,
)
from unbraid.log.port import LogFinding, LogUnusable
from unbraid.log.replicated.journal import (
    JournalInfo,
    RecordConflict,
    RecordJournal,
    StoredRecord,
)
from unbraid.system.tasks import Backoff
from unbraid.timings import (
    APPEND_DEADLINE_SECONDS,
    BATCH_TIMEOUT_SECONDS,
    NATS_FIRST_RETRY_SECONDS,
    NATS_LONGEST_RETRY_SECONDS,
    NATS_LOST_SECONDS,
    NATS_REQUEST_TIMEOUT_SECONDS,
)

# Clocks that are further apart than this make times of events that do not fit together.
CLOCK_SKEW_SECONDS = 5.0

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
        first, *more = [each.message for each in group]
        try:
            if more:
                sent = [(each.subject, each.record, each.all_headers()) for each in (first, *more)]
                last = await _stored_batch(self._connection, sent, NATS_REQUEST_TIMEOUT_SECONDS)
            else:
                last = await _stored(self._connection, first)
        except Exception as error:
            apart = len(group) > 1 and isinstance(error, (Refused, NoAnswer))
            for each in group:
                if not each.stored.done():
                    each.stored.set_exception(GroupFailed() if apart else error)
            return
        for seq, each in enumerate(group, last + 1 - len(group)):
            if not each.stored.done():
                each.stored.set_result(seq)


async def _stored(connection: NatsConnection, message: RecordMessage) -> int:
    """Sends a message by itself, a large one in parts. Returns the sequence at which it ends."""
    parts, expected = message.parts(), message.all_headers()
    if len(parts) == 1:
        answer = await connection.request(message.subject, parts[0], headers=expected)
        return acked_seq(answer)
    sent = [
        (message.subject, part, {PARTS: f"{number}/{len(parts)}", ID: message.id})
        for number, part in enumerate(parts, 1)
    ]
    sent[0][2].update(expected)
    return await _stored_batch(connection, sent, BATCH_TIMEOUT_SECONDS)


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
    return acked_seq(answer)


_FULL = (10047, 10077)
_LAST = re.compile(r"wrong last sequence: (\d+)")


class NatsJournal(RecordJournal):
    """The stream of one log."""

    def __init__(self, connection: NatsConnection, folder: Path) -> None:
        address = connection.address
        self.address, self._stream, self._prefix = address.shown, address.stream, address.prefix
        # What has happened to the messages and leases of this process.
        self.counts = {"retries": 0, "rescued": 0, "lease_changes": 0}
        # Leases of all machines, and where those of this machine alone are.
        self._bucket, self._sightings, self._folder = Bucket(connection), HolderSightings(), folder
        self._requests = NatsMachineRequests(connection)
        self._connection = connection
        self._writer, self._count = secrets.token_hex(8), 0
        self._groups = AppendGroups(connection)
        self._was_found = False

    async def prepare(self) -> None:
        """Checks the settings of the stream, or makes it; once. Raises LogUnusable."""
        if self._was_found:
            return
        self._connection.check_made()
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
                    return await _stored(self._connection, message)
                alone = True  # what is sent again is in doubt, and must not fail others
                return await self._groups.publish(message)
            except GroupFailed:
                continue
            except NoAnswer as away:
                problem = away.why
            except Refused as refused:
                seq = await self._verdict(run, message, refused.problem, began=began)
                if seq is not None:
                    self.counts["rescued"] += 1
                    return seq
                problem = refused.why
            if time.monotonic() - began > APPEND_DEADLINE_SECONDS:
                raise LogUnusable(self.address, "away", f"does not take this append ({problem})")
            self.counts["retries"] += 1
            await backoff.wait()

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
        found = await stored_message(self._connection, self._stream, {"seq": seq})
        return None if found is None else found.headers.get(ID, "")

    async def has_after(self, seq: int) -> bool:
        return await self._first_after(run_subject(self._prefix, "*"), seq) is not None

    async def follow(self, after: int) -> AsyncGenerator[list[StoredRecord], None]:
        # Over a connection of its own. Anyone with a credential can publish to a subject that is
        # not UTF-8, and the client gives up reading at such a message; appends must not notice.
        connection = await NatsConnection.open(self._connection.address)
        try:
            feed = NatsFeed(connection, self._stream, first=after + 1)
            async with aclosing(feed.records()) as records:
                async for batch in records:
                    yield batch
        finally:
            await connection.close()

    def read(self, run: str) -> AsyncGenerator[list[StoredRecord], None]:
        return read_to_end(self._connection, self._stream, run_subject(self._prefix, run))

    async def info(self) -> JournalInfo:
        await self.prepare()
        try:
            info = await self._connection.ask(f"STREAM.INFO.{self._stream}")
        except Refused as error:
            if error.problem.err_code == NOT_FOUND:
                raise LogUnusable(self.address, "lost", "its stream is gone") from error
            raise
        if is_cut_off(info):
            raise LogUnusable(self.address, "away", "its nodes do not reach each other")
        state = info["state"]
        return JournalInfo(
            created=info["created"],
            last_seq=state["last_seq"],
            is_empty=state["messages"] == 0,
        )

    def leases(self) -> NatsLeases:
        def count_change() -> None:
            self.counts["lease_changes"] += 1

        return NatsLeases(self._folder, self._bucket, self._sightings, on_change=count_change)

    def machine_requests(self) -> NatsMachineRequests:
        return self._requests

    async def findings(self) -> list[LogFinding]:
        try:
            info = await self._connection.ask(f"STREAM.INFO.{self._stream}")
            account = await self._connection.ask("INFO")
        except (Refused, NoAnswer) as error:
            problem = f"JetStream does not answer: {error.why}"
            return [
                LogFinding("log", False, problem, advice="enable JetStream, and wait for a leader")
            ]
        found = [_server(self._connection), _replicas(info), _space(info, account), _clock(info)]
        found.append(await _durability(self._connection))
        try:
            await self._bucket.get("run.doctor")
            found.append(LogFinding("leases", True, "can be read"))
        except LogError as error:
            advice = f"allow this user $JS.API.> and $KV.{self._stream}_LEASES.>"
            found.append(LogFinding("leases", False, str(error), advice=advice))
        return found

    def counters(self) -> dict[str, int]:
        return dict(self.counts)

    async def close(self) -> None:
        await self._connection.close()


# What a message of ours may have, headers included.
LEAST_PAYLOAD = 1 << 20
FULL_SHARE = 0.8


def _server(connection: NatsConnection) -> LogFinding:
    version, payload = connection.server_version, connection.client.max_payload
    text = ".".join(map(str, version))
    if payload < LEAST_PAYLOAD:
        return LogFinding(
            "nats-server", False, f"{text}, messages of {payload} bytes", advice="max_payload: 1MB"
        )
    advice = "use 2.15.1 or later: it acknowledges several times as fast"
    return LogFinding("nats-server", True, text, advice=advice if version < (2, 15, 1) else None)


def _replicas(info: dict[str, Any]) -> LogFinding:
    wanted, cluster = info["config"]["num_replicas"], info.get("cluster") or {}
    peers = cluster.get("replicas") or []
    current = [peer for peer in peers if peer.get("current") and not peer.get("offline")]
    if wanted < REPLICAS:
        advice = "a node that is lost takes the log with it: see docs/how-to/machines.md"
        return LogFinding("replicas", False, f"{wanted} of {REPLICAS}", advice=advice)
    here = len(current) + 1
    advice = "start the nodes that are missing, and wait until they have caught up"
    text = f"{here} of {wanted} current, led by {cluster.get('leader', 'nobody')}"
    return LogFinding("replicas", here >= wanted, text, advice=None if here >= wanted else advice)


def _space(info: dict[str, Any], account: dict[str, Any]) -> LogFinding:
    state, limits = info["state"], account.get("limits") or {}
    text = f"{state['messages']} records, {state['bytes'] / 1e6:.0f} MB"
    used = (
        (state["bytes"], info["config"].get("max_bytes", -1)),
        (account.get("storage", 0), limits.get("max_storage", -1)),
    )
    share = max((size / most for size, most in used if most > 0), default=0.0)
    if share > FULL_SHARE:
        advice = "give JetStream more space, or keep less: `unbraid serve --keep-days`"
        return LogFinding("space", False, f"{text}; {share:.0%} of its limit", advice=advice)
    return LogFinding("space", True, text)


def _clock(info: dict[str, Any]) -> LogFinding:
    try:
        there = datetime.fromisoformat(f"{info['ts'][:19]}+00:00").timestamp()
    except (KeyError, ValueError):
        return LogFinding("clock", True, "not known")
    skew = abs(time.time() - there)
    text = f"{skew:.0f} s apart"
    advice = "set the clocks by NTP: times of events would not fit together"
    is_well = skew < CLOCK_SKEW_SECONDS
    return LogFinding("clock", is_well, text, advice=None if is_well else advice)


async def _durability(connection: NatsConnection) -> LogFinding:
    """Returns whether nodes write to the disk before they acknowledge, which only their monitors
    report.
    """
    monitor = connection.address.monitor
    if monitor is None:
        advice = "add ?monitor=HOST:8222 to the address to have sync_interval: always checked"
        return LogFinding("durability", True, "not proven", advice=advice)
    import httpx

    from unbraid.system.http import HTTP_ERRORS, client_options, reason_of

    url = f"{monitor if '://' in monitor else f'http://{monitor}'}/jsz?config=1"
    try:
        options = client_options(url)
        async with httpx.AsyncClient(timeout=NATS_REQUEST_TIMEOUT_SECONDS, **options) as client:
            config = (await client.get(url)).json().get("config") or {}
    except (*HTTP_ERRORS, ValueError) as error:
        problem = f"the monitor does not answer: {reason_of(error)}"
        return LogFinding("durability", False, problem)
    if config.get("sync_always"):
        return LogFinding("durability", True, "every record is on disk before it is acknowledged")
    advice = "jetstream { sync_interval: always }: a power cut of all nodes could cost the log"
    return LogFinding("durability", False, "records are written to disk later", advice=advice)
