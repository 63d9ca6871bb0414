"""Reads stored sessions for lists: a second process that reads them, too, and how one is folded.

Python computes on one core, and a history is large when it is read for the first time. The second
process begins at the end of the list, and its parent at the beginning. So both finish at the same
time, however long their sessions are and whatever else the parent does. Neither waits for the
other: what the second one has not read when its parent gets there, or when it is gone, its parent
reads itself.

It is forked, so it has everything already and starts in a millisecond. That is safe only for a
process without other threads: a command that prints and ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Never

import msgspec

from unbraid.agents.port import StoredSession, problem_of
from unbraid.errors import SourceError
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
from unbraid.events.codec import msgpack_decoder
from unbraid.fold.prices import Prices
from unbraid.fold.shares import RunShares, UsageShare
from unbraid.fold.status import DONE
from unbraid.fold.streams import Fleet
from unbraid.log.summary import RunSummary
from unbraid.read.translator import Translator
from unbraid.record.sessions.stored_facts import UNREAD, SessionFacts, Warn
from unbraid.system.files import keep_buffers
from unbraid.system.prices.loader import LoadedPrices
from unbraid.timings import LIVE_RECORD_MS

# What takes about a tenth of a second to read is not worth a process.
MIN_BYTES = 32 << 20
# What it has found waits here while its parent reads a long file.
PIPE_BYTES = 1 << 20
_LENGTH_BYTES = 4

_decode = msgpack_decoder(dict[str, SessionFacts]).decode


class SecondReader:
    """Reads the sessions of a kind in another process, by their ids, the last one first; none, if
    they are not worth it.
    """

    def __init__(self, kind: str, new: Mapping[str, StoredSession], prices: LoadedPrices) -> None:
        self._kind, self._new, self._prices = kind, new, prices
        self._received = b""
        self._found: dict[str, SessionFacts] = {}
        self._source: int | None = None
        if sum(stored.size for stored in new.values()) >= MIN_BYTES and may_fork():
            keep_buffers()
            self._fork()

    def found(self, session_id: str) -> SessionFacts | None:
        """Returns the facts of one of them; None if it has not been read, or could not be."""
        self._receive()
        found = self._found.pop(session_id, None)
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
            for session_id, stored in reversed(list(self._new.items())):
                # One that cannot be read whole is left to the parent, which warns.
                problems: list[str] = []
                found = session_facts(self._kind, stored, self._prices, problems.append)
                if problems:
                    continue
                data = msgspec.msgpack.encode({session_id: found})
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
            self._found |= _decode(self._received[begin:end])
            at = end
        self._received = self._received[at:]


def may_fork() -> bool:
    """Returns whether this process may have a second one, and a core for it."""
    several = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1
    return several and threading.active_count() == 1


def readable_facts(
    kind: str, stored: StoredSession, prices: LoadedPrices, warn: Warn
) -> SessionFacts | None:
    """Returns the facts of a session; warns and returns None if it cannot be read."""
    try:
        return session_facts(kind, stored, prices, warn)
    except (OSError, ValueError, SourceError) as error:
        warn(problem_of(error))
        return None


def session_facts(
    kind: str, stored: StoredSession, prices: LoadedPrices, warn: Warn
) -> SessionFacts:
    """Returns the facts of a session, which is read whole. Raises OSError or SourceError if that
    cannot be.
    """
    problems: list[str] = []
    fold = SessionFold(kind, prices.prices)
    for events in stored.translate(fold.translator, problems.append):
        fold.apply(events)
    for problem in problems:
        warn(problem)
    run, shares = fold.finish()
    started = run.started or stored.changed_ms
    return SessionFacts(
        # What could not be read is tried again the next time.
        version=UNREAD if problems else stored.version,
        title=run.title,
        cwd=run.cwd,
        started=started,
        updated=_not_ahead(run.updated or started, stored.changed_ms),
        ending=run.status if run.agents else DONE,
        agents=max(run.agents, 1),
        usage=run.usage,
        shares=shares,
    )


def _not_ahead(updated_ms: int, changed_ms: int) -> int:
    """Returns when a session was last updated. What it says cannot be newer than what it is stored
    in: by a clock that is ahead, it would always be live and the newest.
    """
    return changed_ms if updated_ms > changed_ms + LIVE_RECORD_MS else updated_ms


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
