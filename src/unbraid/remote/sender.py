"""Carries a run's outbox to its server, on a thread of its own: the agent never waits for it.

In the order in which it came, one chunk at a time, because that order is part of the run. A
server that is away is tried again and again, more and more seldom. What was acknowledged is durable
there; what was sent and not acknowledged is sent again, and the server skips what it has. A server
that asks for something earlier has lost it, and is given everything once more. One that refuses the
run is not asked again for now; what it has not acknowledged stays in the outbox.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

from unbraid.remote.ingest import IngestClient, RunRefused, ServerUnavailable
from unbraid.remote.outbox import OutboxReader
from unbraid.system.clock import now_ms
from unbraid.timings import SEND_FIRST_RETRY_SECONDS, SEND_LONGEST_RETRY_SECONDS
from unbraid.wire.chunk import Chunk


class _TooLate(Exception):
    """The time to wait for the delivery is over."""


class Sender:
    """Delivers one outbox: to its end if it is `whole`, else until `finish`."""

    def __init__(
        self, path: Path, token: str | None, warn: Callable[[str], None], *, whole: bool = False
    ) -> None:
        self.arrived = False
        self.refused = False
        self._outbox = OutboxReader(path)
        self.address = self._outbox.address
        self._client = IngestClient(self.address, token)
        self._warn, self._warned = warn, False
        self._news = threading.Condition()
        self._whole = whole
        self._deadline = float("inf")
        # How far the server has each source, and what of the rest is with us already.
        self._reached: dict[str, int] = {}
        self._sent: dict[str, int] = {}
        self._rests: dict[str, bytes] = {}
        self._holes: dict[str, int] = {}
        self._thread = threading.Thread(target=self._work, name="unbraid-sender", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Wakes the sender: there is more in the outbox."""
        with self._news:
            self._news.notify_all()

    def finish(self, seconds: float) -> bool:
        """Waits until all has arrived, but no longer than this; returns whether it has."""
        with self._news:
            self._whole, self._deadline = True, time.monotonic() + seconds
            self._news.notify_all()
        self._thread.join(seconds)
        return self.arrived

    def _work(self) -> None:
        try:
            self._carry()
            self.arrived = True
        except RunRefused as error:
            self.refused = True
            self._warn(f"{self.address.url} rejected this run: {error}")
        except _TooLate:
            pass
        finally:
            self._client.close()
            self._outbox.close()

    def _carry(self) -> None:
        while True:
            whole = self._whole  # noted first: what is put before it is set is found below
            chunk = self._outbox.next()
            if chunk is not None:
                self._deliver(chunk)
            elif whole:
                if self._end():
                    return
            else:
                with self._news:
                    self._news.wait(SEND_LONGEST_RETRY_SECONDS)

    def _deliver(self, chunk: Chunk) -> None:
        rest = self._rests.pop(chunk.source, b"")
        chunk = chunk._replace(offset=chunk.offset - len(rest), data=rest + chunk.data)
        wanted = self._post(chunk)
        if wanted < chunk.offset:
            self._again(chunk.source, wanted)
            return
        self._sent[chunk.source] = chunk.offset + len(chunk.data)
        if wanted > chunk.offset:
            self._holes.pop(chunk.source, None)
        self._reached[chunk.source] = wanted
        # A server that redacts secrets takes only what is decided.
        self._rests[chunk.source] = chunk.data[wanted - chunk.offset :]

    def _end(self) -> bool:
        """Report the end of every source; False if the server has lost something."""
        for source, reached in self._reached.items():
            if reached > self._sent[source]:
                raise RunRefused(f"it acknowledges bytes of {source} that were never sent")
            rest = self._rests.get(source, b"")
            now = now_ms()
            wanted = self._post(Chunk(source, reached, rest, now), end=True)
            if wanted > reached + len(rest):
                raise RunRefused(f"it acknowledges bytes of {source} that were never sent")
            if wanted < reached + len(rest):
                self._again(source, wanted)
                return False
        return True

    def _again(self, source: str, wanted: int) -> None:
        if self._holes.get(source) == wanted:
            raise RunRefused(f"it asks for byte {wanted} of {source} again and again")
        self._holes[source] = wanted
        self._outbox.rewind()
        self._reached.clear()
        self._sent.clear()
        self._rests.clear()

    def _post(self, chunk: Chunk, *, end: bool = False) -> int:
        pause = SEND_FIRST_RETRY_SECONDS
        while True:
            try:
                return self._client.post(chunk, end=end)
            except ServerUnavailable as away:
                if not self._warned:
                    self._warned = True
                    self._warn(f"{self.address.url} cannot be reached, trying again: {away}")
            self._pause(pause * (0.5 + random.random() / 2))
            pause = min(2 * pause, SEND_LONGEST_RETRY_SECONDS)

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        with self._news:
            while (left := min(until, self._deadline) - time.monotonic()) > 0:
                self._news.wait(left)
        if time.monotonic() >= self._deadline:
            raise _TooLate
