"""Requests over one subscription, made for many at once.

The client's own requests cost as much again as the message itself: a random name, a task and a
timer each. Here they are counted under one random name.
"""

from __future__ import annotations

import asyncio
from itertools import count

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error
from nats.errors import TimeoutError as NoAnswer


class NotAllowed(Exception):
    """This user may not ask that, or may not have the answer."""


class NatsRequests:
    """The requests of one connection that wait for their answers."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: dict[str, asyncio.Future[Msg]] = {}
        self._subjects: dict[str, str] = {}
        self._numbers = count(1)
        self._inbox = client.new_inbox()
        self._listening: asyncio.Task[object] | None = None

    async def ask(
        self, subject: str, payload: bytes, *, headers: dict[str, str] | None, seconds: float
    ) -> Msg:
        """Returns the answer; raises an error of the client, one of time if none comes."""
        if self._listening is None or not self._listening.done():
            await self._listen()
        loop = asyncio.get_running_loop()
        number = str(next(self._numbers))
        answer: asyncio.Future[Msg] = loop.create_future()
        self._waiting[number], self._subjects[number] = answer, subject.lower()
        timer = loop.call_later(seconds, _expire, answer)
        try:
            await self._client.publish(
                subject, payload, reply=f"{self._inbox}.{number}", headers=headers
            )
            return await answer
        finally:
            timer.cancel()
            del self._waiting[number], self._subjects[number]

    def give_up(self) -> None:
        """Makes every caller that waits for an answer ask again: the connection is gone, and the
        answers with it.
        """
        for answer in self._waiting.values():
            _expire(answer)

    def refuse(self, violation: str) -> None:
        """Raises an error in the callers that wait for an answer: none will come. A violation
        names, in small letters, the subject of a request or the inbox of all answers.
        """
        for number, answer in self._waiting.items():
            ours = (f'"{self._subjects[number]}"', f'"{self._inbox.lower()}.*"')
            if not answer.done() and any(name in violation for name in ours):
                answer.set_exception(NotAllowed(violation.removeprefix("nats: ")))

    async def _listen(self) -> None:
        if self._listening is None:
            subscribing = self._client.subscribe(f"{self._inbox}.*", cb=self._receive)
            self._listening = asyncio.create_task(subscribing)
        try:
            await asyncio.shield(self._listening)
        except (Error, OSError):
            self._listening = None
            raise

    async def _receive(self, message: Msg) -> None:
        answer = self._waiting.get(message.subject.rpartition(".")[2])
        if answer is not None and not answer.done():
            answer.set_result(message)


def _expire(answer: asyncio.Future[Msg]) -> None:
    if not answer.done():
        answer.set_exception(NoAnswer())
