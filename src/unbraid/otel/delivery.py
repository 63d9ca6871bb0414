"""Traces beside other work: a whole log while it is watched or served, or one run while it is
recorded. Whatever happens to the collector, that work continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from unbraid.errors import UnbraidError
from unbraid.log.port import Log, WholeLogReader
from unbraid.otel.collector import Collector, problem_with
from unbraid.otel.exporter import OtlpExporter
from unbraid.otel.sender import TraceSender
from unbraid.otel.state import SentCursor, TraceParents
from unbraid.system.tasks import cancel_task
from unbraid.timings import OTLP_LINGER_SECONDS, OTLP_TURN_SECONDS
from unbraid.traces import TraceIdentity, TraceParent

Warn = Callable[[str], None]


class Traces:
    """What is needed to send a log's runs to a collector. `log_name` says which log it is."""

    def __init__(
        self,
        collector: Collector,
        home: Path,
        log_name: str,
        *,
        warn: Warn,
        content: bool = False,
        parent: TraceParent | None = None,
    ) -> None:
        self.cursor = SentCursor(home, log_name, collector.url)
        self.parents = TraceParents(home)
        self.parent = parent
        self._collector, self._warn, self._content = collector, warn, content

    def exporter(self) -> OtlpExporter:
        """Returns what sends to the collector. Takes a moment: it is imported now."""
        return OtlpExporter(self._collector.url)

    def sender(self, log: WholeLogReader, exporter: OtlpExporter) -> TraceSender:
        """Returns what sends the runs of a log."""
        if self._content:
            # Imported here, because compiling the patterns takes time that only redaction needs.
            from unbraid.redact.reader import RedactedLog

            log = RedactedLog(log)
        return TraceSender(
            log,
            exporter,
            self.parents,
            warn=self._warn,
            content=self._content,
            parent=self.parent,
        )

    @asynccontextmanager
    async def following(self, log: Log) -> AsyncIterator[None]:
        """Sends what the log gets while the block runs, and the rest of it at the end."""
        exporter = await asyncio.to_thread(self.exporter)
        sender = self.sender(log, exporter)
        # Before the block: what it appends is to be sent.
        if self.cursor.acquire():
            await sender.begin(self.cursor)
        task = asyncio.create_task(self._follow(sender))
        try:
            yield
        finally:
            if self.cursor.is_held and not task.done() and not sender.away:
                with suppress(TimeoutError):
                    async with asyncio.timeout(OTLP_LINGER_SECONDS):
                        await sender.reached((await log.bounds())[1])
            # A request that is being tried again, in another thread, ends by this.
            exporter.close()
            await cancel_task(task)
            self.cursor.release()

    async def _follow(self, sender: TraceSender) -> None:
        try:
            if not self.cursor.is_held:
                await self._turn()
                await sender.begin(self.cursor)
            await sender.follow_new(self.cursor)
        except UnbraidError as error:
            self._warn(f"traces are not sent: {error}")

    async def _turn(self) -> None:
        """Waits until no other process sends this log to this collector."""
        while True:
            if self.cursor.acquire():
                return
            await asyncio.sleep(OTLP_TURN_SECONDS)


class LaunchedTrace:
    """The trace of the run that this process records."""

    def __init__(self, traces: Traces, *, warn: Warn) -> None:
        self._traces, self._warn = traces, warn
        self._task: asyncio.Task[None] | None = None
        self._exporter: OtlpExporter | None = None
        self._sender: TraceSender | None = None
        self._run = ""

    def environment(self, run: str | None) -> dict[str, str]:
        """Returns what the agent's process is to find in its environment: below which span it
        works. Without a name for its run, that is the one of our own environment.
        """
        if run is None:
            return {}
        parent = self._traces.parents.get(run) or self._traces.parent
        return {"TRACEPARENT": str(TraceIdentity(run, parent).root)}

    def begin(self, log: Log, run: str) -> None:
        """Begins to send a run, now that it has a name."""
        self._run = run
        self._task = asyncio.create_task(self._send(log, run))

    async def finish(self) -> None:
        """Waits a little at the end of the run for the last spans to arrive, if anyone listens."""
        if self._task is None:
            return
        away = self._sender is not None and self._sender.away
        _, waiting = await asyncio.wait([self._task], timeout=0 if away else OTLP_LINGER_SECONDS)
        if self._exporter is not None:
            self._exporter.close()
        if waiting:
            await cancel_task(self._task)
            self._warn(
                f"the trace of this run has not fully arrived; `unbraid otel {self._run}` sends it"
            )

    async def _send(self, log: Log, run: str) -> None:
        try:
            if self._traces.parent is not None:
                self._traces.parents.put(run, self._traces.parent)
            if not self._traces.cursor.acquire():
                return  # a process that watches sends all of this log, this run included
            self._traces.cursor.release()
            self._exporter = await asyncio.to_thread(self._traces.exporter)
            self._sender = self._traces.sender(log, self._exporter)
            await self._sender.follow_run(run)
        except UnbraidError as error:
            self._warn(f"the trace of this run is not sent: {error}")


def usable(collector: Collector | None, env: Mapping[str, str], warn: Warn) -> Collector | None:
    """Returns a collector if anything can be sent to it from here. Raises CallerError if not and a
    person has named it; if it was only in the environment, a warning will do.
    """
    problem = None if collector is None else problem_with(collector, env)
    if collector is None or problem is None:
        return collector
    if collector.asked:
        from unbraid.errors import CallerError

        raise CallerError(problem)
    warn(f"traces are not sent: {problem}")
    return None
