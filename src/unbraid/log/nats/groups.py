"""Appends of different runs that are sent together, so that the nodes' disks sync once for many.

An append is sent at once while few are on their way. Those that come meanwhile wait, and go as one
atomic batch, each with the sequence that must be its own run's last: all of them are stored, one
after the other, or none. If a batch fails, it is unknown which of its messages is the reason: each
is then sent alone, under the same id, which is as safe as sending any message again.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import NamedTuple

from unbraid.log.nats.connection import NatsConnection, NoAnswer, Refused
from unbraid.log.nats.message import BATCH_COMMIT, BATCH_ID, BATCH_SEQ, RecordMessage, ack_of

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
    def takes(message: RecordMessage) -> bool:
        """Returns whether a message may go together with others."""
        return not message.headers and len(message.record) <= MAX_BYTES

    async def publish(self, message: RecordMessage) -> int:
        """Returns the sequence that a message was stored at. Raises Refused and Away if it was sent
        alone, GroupFailed if it was not.
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
        batch, sent = secrets.token_hex(8), []
        for number, message in enumerate(messages, 1):
            headers = message.all_headers()
            headers[BATCH_ID], headers[BATCH_SEQ] = batch, str(number)
            sent.append((message.subject, message.record, headers))
        subject, record, headers = sent.pop()
        await self._connection.send(*sent)
        headers[BATCH_COMMIT] = "1"
        return ack_of(await self._connection.request(subject, record, headers=headers)).seq
