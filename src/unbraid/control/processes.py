"""The runs of this machine's other `unbraid run`s, to steer them from a server."""

from __future__ import annotations

from pathlib import Path

from unbraid.control.controllers import Controller, Pending
from unbraid.control.sockets import Order, Reply, everyone, steer
from unbraid.errors import CallerError


class Elsewhere:
    """The processes that listen in our folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    async def controllers(self) -> dict[str, Controller]:
        """Their runs as they are now."""
        found = [reply for _, reply in await everyone(self._home)]
        return {reply.run: _Remote(self._home, reply) for reply in found if reply.run}


class _Remote:
    def __init__(self, home: Path, about: Reply) -> None:
        self._home, self._about = home, about

    def verbs(self) -> list[str]:
        return self._about.verbs

    def pending(self) -> list[Pending]:
        return self._about.pending

    async def message(self, text: str) -> None:
        await self._steer(Order("message", text))

    async def interrupt(self) -> None:
        await self._steer(Order("interrupt"))

    async def cancel(self) -> None:
        await self._steer(Order("cancel"))

    async def stop(self, stream_id: int) -> None:
        await self._steer(Order("stop", stream_id=stream_id))

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        await self._steer(Order("answer", message, request_id=request_id, behavior=behavior))

    async def _steer(self, order: Order) -> None:
        try:
            await steer(self._home, self._about.run, order)
        except OSError as error:
            raise CallerError(f"run {self._about.run} is gone: {error}") from None
