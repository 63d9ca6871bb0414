"""A second process that reads sessions: Python computes on one core, and a history is large when it
is read for the first time.

It begins at the end of the list, and its parent at the beginning. So both finish at the same time,
however long their sessions are and whatever else the parent does. Neither waits for the other: what
the second one has not read when its parent gets there, or when it is gone, its parent reads itself.

It is forked, so it has everything already and starts in a millisecond. That is safe only for a
process without other threads: a command that prints and ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Generic, Never, TypeVar

import msgspec

from unbraid.events import (
    FleetEvent,
    FleetSessionMeta,
    FleetTurnComplete,
    Progress,
    RelayEvent,
    SessionMeta,
    SubAgentSpawned,
    TextDelta,
    ThinkingDelta,
    TokenUsage,
    ToolResult,
    ToolUse,
)
from unbraid.fold.prices import Prices
from unbraid.fold.shares import RunShares, UsageShare
from unbraid.fold.streams import Fleet
from unbraid.log.summary import RunSummary
from unbraid.read.translator import Translator

# A second process that reads sessions: Python computes on one core, and a history is large when
# it is read for the first time.
#
# It begins at the end of the list, and its parent at the beginning. So both finish at the same
# time, however long their sessions are and whatever else the parent does. Neither waits for the
# other: what the second one has not read when its parent gets there, or when it is gone, its
# parent reads itself.
#
# It is forked, so it has everything already and starts in a millisecond. That is safe only for a
# process without other threads: a command that prints and ends.

# What takes about a tenth of a second to read is not worth a process.
MIN_BYTES = 32 << 20
# What it has found waits here while its parent reads a long file.
PIPE_BYTES = 1 << 20
_LENGTH_BYTES = 4

S = TypeVar("S")
T = TypeVar("T")


class SecondReader(Generic[S, T]):
    """Reads things in another process, by their names, the last one first; `decode` reads what it
    has found.
    """

    def __init__(
        self,
        things: dict[str, S],
        read: Callable[[S], T | None],
        decode: Callable[[bytes], dict[str, T]],
    ) -> None:
        self._things, self._read = things, read
        self._decode, self._received = decode, b""
        self._found: dict[str, T] = {}
        self._source: int | None = None
        if things:
            self._fork()

    def take(self, name: str) -> T | None:
        """Returns what was found in one of them; None if it has not been read, or could not be."""
        self._receive()
        found = self._found.pop(name, None)
        if found is not None:
            self.close()  # it has come to what its parent has read
        return found

    def close(self) -> None:
        """Ends the process, whatever it is doing."""
        if self._source is not None:
            os.close(self._source)
            self._source = None
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)

    def _fork(self) -> None:
        source, sink = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            os.close(source)
            self._read_all(sink)
        os.close(sink)
        os.set_blocking(source, False)
        self._source = source

    def _read_all(self, sink: int) -> Never:
        """Runs in the other process: reads all files, and writes what was found to the pipe."""
        import fcntl

        try:
            with suppress(OSError):  # no more than its owner may have
                fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            for name, thing in reversed(self._things.items()):
                found = self._read(thing)
                if found is None:
                    continue
                data = msgspec.msgpack.encode({name: found})
                left = memoryview(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
                while left:
                    left = left[os.write(sink, left) :]
        except BaseException:
            pass  # its parent sees that it is gone
        finally:
            os._exit(0)

    def _receive(self) -> None:
        if self._source is None:
            return
        with suppress(BlockingIOError):
            # Only one read: a loop until the pipe is empty could last as long as the other writes.
            self._received += os.read(self._source, PIPE_BYTES)
        at, size = 0, len(self._received)
        while at + _LENGTH_BYTES <= size:
            begin = at + _LENGTH_BYTES
            end = begin + int.from_bytes(self._received[at:begin], "big")
            if end > size:
                break
            self._found |= self._decode(self._received[begin:end])
            at = end
        self._received = self._received[at:]


def may_fork() -> bool:
    """Returns whether this process may have a second one, and a core for it."""
    several = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1
    return several and threading.active_count() == 1


# A stored session, folded from what its dialect says: the translator, the fleet and the summary
# are those of the log. What agents say word by word is left out on the way, and what messages
# have used is counted by agent, model and time, of which the total is the sum.

# What changes nothing in a run that is over, but the time of its end.
_WORDS = frozenset({TextDelta, ThinkingDelta, ToolUse, ToolResult, Progress, TokenUsage})
AGENT = "agent"  # a sub-agent whose name nothing says


class SessionFold:
    """One session, as its events come. The context of a `TokenUsage` may also be an agent's id."""

    def __init__(self, kind: str, prices: Prices | None) -> None:
        self.translator = Translator()
        self._kind = kind
        self._fleet: Fleet | None = None
        self._summary = RunSummary("")
        self._shares = RunShares(prices)
        self._agents: dict[str, str] = {}  # by their ids: their contexts
        self._early: list[RelayEvent] = []  # from before the first record that has a time
        self._latest: RelayEvent | None = None

    def apply(self, events: Sequence[RelayEvent]) -> None:
        """Takes more events of the session."""
        fleet = self._fleet
        if fleet is None:
            self._early += events
            if not self.translator.ts:
                return
            events, self._early = self._early, []
            fleet = self._begin()
        rest = []
        latest_ms = 0 if self._latest is None else self._latest.ts
        for event in events:
            if isinstance(event, TokenUsage):
                self._shares.count(event, ts=event.ts, agent=event.context)
            if type(event) in _WORDS:
                if event.ts >= latest_ms:
                    self._latest, latest_ms = event, event.ts
            else:
                rest.append(event)
                if isinstance(event, (SubAgentSpawned, SessionMeta)) and event.agent_id:
                    self._agents[event.agent_id] = event.context
        if rest:
            self._fold(fleet.apply(rest))

    def finish(self) -> tuple[RunSummary, list[UsageShare]]:
        """Ends the session. Returns its summary and its shares."""
        fleet = self._fleet or self._begin()
        early, self._early = self._early, []
        self.apply(early)
        self.apply(self.translator.finish())
        if self._latest is not None:
            # It is worth no event but by its time.
            self._fold(fleet.apply([self._latest]))
        summary = self._summary
        summary.totals.seen = self._shares.usage()
        usage = summary.totals.total()
        self._fold(fleet.finish(*self.translator.outcome))
        summary.usage = usage
        shares = self._shares.settled(usage, summary.updated)
        for share in shares:
            share.agent = self._name(share.agent, fleet)
        return summary, shares

    def _begin(self) -> Fleet:
        self._fleet = Fleet(self._kind, began_ms=self.translator.ts)
        return self._fleet

    def _fold(self, events: Iterable[FleetEvent]) -> None:
        for event in events:
            if isinstance(event, (FleetTurnComplete, FleetSessionMeta)):
                self._summary.totals.seen = self._shares.usage()
                self._shares.fold(event)
            self._summary.fold(event, 0)

    def _name(self, context: str, fleet: Fleet) -> str:
        """Returns the name of an agent by its context or its id."""
        context = self._agents.get(context, context)
        stream = fleet.streams.get(context)
        return AGENT if stream is None else stream.agent
