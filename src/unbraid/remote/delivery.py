"""Sends one run to another machine: whatever happens there, the agent continues here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from unbraid.errors import LogError
from unbraid.remote.ingest import checked_url
from unbraid.remote.outbox import Address, Outbox, waiting
from unbraid.remote.sender import Sender
from unbraid.timings import DELIVERY_LINGER_SECONDS
from unbraid.wire.chunk import Chunk
from unbraid.wire.names import checked_run


class Sending:
    """Sends what is recorded to the server at `url`; a failure is reported once."""

    def __init__(
        self,
        home: Path,
        url: str,
        token: str | None,
        warn: Callable[[str], None],
        *,
        linger_seconds: float = DELIVERY_LINGER_SECONDS,
    ) -> None:
        self._home, self._url, self._token, self._warn = home, checked_url(url), token, warn
        self._linger_seconds = linger_seconds
        self._outbox: Outbox | None = None
        self._sender: Sender | None = None

    def begin(self, run: str) -> None:
        """Begins to send a run, now that it has a name."""
        try:
            self._outbox = Outbox.create(self._home, Address(self._url, checked_run(run)))
            self._sender = Sender(self._outbox.path, self._token, self._warn)
        except (LogError, OSError) as error:
            self._fail(error)

    def copied(self, chunks: Iterable[Chunk], now: int) -> Iterator[Chunk]:
        """Yields the same chunks, each sent before it is passed on; they came `now`."""
        for chunk in chunks:
            self.put(chunk._replace(arrived_ms=now))
            yield chunk
        if self._sender is not None:
            self._sender.wake()

    def put(self, chunk: Chunk) -> None:
        """Takes one more chunk, with the time at which it came."""
        if self._outbox is not None:
            try:
                self._outbox.put(chunk)
            except LogError as error:
                self._fail(error)

    async def finish(self) -> None:
        """Waits a little at the end of the run for the rest to arrive; else it stays in the
        outbox.
        """
        if self._sender is None or self._outbox is None:
            return
        arrived = await asyncio.to_thread(self._sender.finish, self._linger_seconds)
        if arrived:
            self._outbox.remove()
        else:
            # Also if it was refused: that may be the fault of an address, a proxy or a version.
            self._outbox.close()
            self._warn("this run was not sent completely; `unbraid deliver` sends the rest")

    def _fail(self, error: Exception) -> None:
        self._warn(f"this run is not sent: {error}")
        if self._outbox is not None:
            self._outbox.close()
        self._outbox = None


def deliver(
    home: Path,
    token: str | None,
    warn: Callable[[str], None],
    seconds: float,
    *,
    discarded: str | None = None,
) -> Iterator[tuple[Address, bool]]:
    """Send what other processes have left behind; says of each run whether it has arrived. Only
    what is to be `discarded` is deleted without that.
    """
    for outbox in waiting(home):
        try:
            sender = Sender(outbox.path, token, warn, whole=True)
        except (OSError, ValueError):
            outbox.remove()  # its owner died before it had written anything
            continue
        arrived = sender.finish(seconds)
        if arrived or sender.address.run == discarded:
            outbox.remove()
        else:
            outbox.close()
        yield sender.address, arrived
