"""One run's way to another machine: whatever happens there, the agent goes on here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from unbraid.errors import LogError
from unbraid.remote.ingest import checked_url
from unbraid.remote.outbox import Address, Outbox, waiting
from unbraid.remote.sender import Sender
from unbraid.wire.chunk import Chunk
from unbraid.wire.names import checked_run

LINGER_SECONDS = 10.0


class Sending:
    """Sends what is told to the server at `url`; a failure is told once."""

    def __init__(
        self,
        home: Path,
        url: str,
        token: str | None,
        warn: Callable[[str], None],
        *,
        linger_seconds: float = LINGER_SECONDS,
    ) -> None:
        self._home, self._url, self._token, self._warn = home, checked_url(url), token, warn
        self._linger_seconds = linger_seconds
        self._outbox: Outbox | None = None
        self._courier: Sender | None = None

    def begin(self, run: str) -> None:
        """The run has a name."""
        try:
            self._outbox = Outbox.create(self._home, Address(self._url, checked_run(run)))
            self._courier = Sender(self._outbox.path, self._token, self._warn)
        except (LogError, OSError) as error:
            self._fail(error)

    def copied(self, pieces: Iterable[Chunk], at: int) -> Iterator[Chunk]:
        """The same pieces, each on its way before it is passed on."""
        for piece in pieces:
            self.put(piece, at)
            yield piece
        if self._courier is not None:
            self._courier.wake()

    def put(self, piece: Chunk, at: int) -> None:
        """One more piece, told at a time (milliseconds)."""
        if self._outbox is not None:
            try:
                self._outbox.put(piece, at)
            except LogError as error:
                self._fail(error)

    async def finish(self) -> None:
        """The run is over: wait a little for the rest to arrive, else leave it in the outbox."""
        if self._courier is None or self._outbox is None:
            return
        arrived = await asyncio.to_thread(self._courier.finish, self._linger_seconds)
        if arrived or self._courier.refused:
            self._outbox.remove()
        else:
            self._outbox.close()
            self._warn("this run has not wholly arrived; `unbraid deliver` sends the rest")

    def _fail(self, error: Exception) -> None:
        self._warn(f"this run is not sent: {error}")
        if self._outbox is not None:
            self._outbox.close()
        self._outbox = None


def deliver(
    home: Path, token: str | None, warn: Callable[[str], None], seconds: float
) -> Iterator[tuple[Address, bool]]:
    """Send what other processes have left behind; says of each run whether it has arrived."""
    for outbox in waiting(home):
        try:
            courier = Sender(outbox.path, token, warn, whole=True)
        except (OSError, ValueError):
            outbox.remove()  # its owner died before it had written anything
            continue
        arrived = courier.finish(seconds)
        if arrived or courier.refused:
            outbox.remove()
        else:
            outbox.close()
        yield courier.address, arrived
