"""Sends the runs of a log as traces, each span when it has ended: a whole log while it is watched
or served, or one run while it is recorded. Whatever happens to the collector, that work continues.

Where traces go follows from the options and the environment that OpenTelemetry defines. Spans leave
by OpenTelemetry's own exporter, which knows its environment variables: headers, certificates,
compression, timeouts.

The cursor of the log is stored behind what has arrived. A span may begin long before it: then the
run is read again from its beginning, and the spans that were complete before the cursor are left
out.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from unbraid.errors import CallerError, LogError, UnbraidError
from unbraid.fold.run_trace import RunTrace, Span, TraceIdentity, TraceParent
from unbraid.log.consumer import Consumer, StoredCursor
from unbraid.log.entry import DamagedEvent, Entry
from unbraid.log.port import Log, WholeLogReader, run_pages
from unbraid.system.atomic_file import write_atomically
from unbraid.system.prices.loader import load_prices
from unbraid.system.tasks import Backoff, cancel_task

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
PATH = "/v1/traces"
MISSING = "sending traces needs another package: pip install 'unbraid[otel]'"


class Collector(Struct, frozen=True):
    """A collector's address for traces; `asked` says that a person has named it."""

    url: str
    asked: bool = True


def collector_of(
    endpoint: str | None, env: Mapping[str, str], *, required: bool = False
) -> Collector | None:
    """Returns where to send traces: to `endpoint`, otherwise to where the environment says; None if
    nowhere. Raises CallerError for what is no address, and where one is required.
    """
    if endpoint is not None:
        return Collector(_with_path(_checked(endpoint)))
    exact, general = env.get(TRACES_ENDPOINT), env.get(ENDPOINT)
    if not required and (
        env.get("OTEL_SDK_DISABLED", "").lower() == "true"
        or env.get("OTEL_TRACES_EXPORTER") == "none"
    ):
        return None
    if exact:
        return Collector(_checked(exact), asked=False)
    if general:
        return Collector(_with_path(_checked(general)), asked=False)
    if required:
        raise CallerError(f"no collector: use --endpoint, or set {ENDPOINT}")
    return None


def problem_with(collector: Collector, env: Mapping[str, str]) -> str | None:
    """Returns why nothing can be sent to a collector from here; None if it can."""
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.exporter") is None:
        return MISSING
    names = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    protocol = next((env[name] for name in names if env.get(name)), "http/protobuf")
    if not collector.asked and protocol != "http/protobuf":
        return f"{ENDPOINT} is for {protocol}; traces are sent over http/protobuf only"
    return None


def usable(
    collector: Collector | None, env: Mapping[str, str], warn: Callable[[str], None]
) -> Collector | None:
    """Returns a collector if anything can be sent to it from here. Raises CallerError if not and a
    person has named it; if it was only in the environment, a warning will do.
    """
    problem = None if collector is None else problem_with(collector, env)
    if collector is None or problem is None:
        return collector
    if collector.asked:
        raise CallerError(problem)
    warn(f"traces are not sent: {problem}")
    return None


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        raise CallerError(f"not the address of a collector: {url} (as in http://localhost:4318)")
    return url


def _with_path(url: str) -> str:
    return url if url.rstrip("/").endswith(PATH) else url.rstrip("/") + PATH


# Of one request, counted before it is compressed.
MAX_SPANS = 500
MAX_BYTES = 1 << 20
# What a collector answers to data that it will never take. Any other answer may change: a key can
# be corrected, a proxy can come back.
REFUSED = (400, 413, 415, 422)


class TracedSpan(NamedTuple):
    """A span, and the trace that it is part of."""

    ids: TraceIdentity
    span: Span


class ExportOutcome(Struct, frozen=True):
    """Whether spans have arrived; if not, why, and whether the same ones never will."""

    problem: str | None = None
    refused: bool = False


class OtlpExporter:
    """Sends spans to one collector. Its methods block."""

    def __init__(self, url: str) -> None:
        try:
            import requests
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        except ImportError:
            raise CallerError(MISSING) from None
        # It logs every failure; what it means for the person is said elsewhere, once.
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        self._status: int | None = None
        # The official exporter sends by requests: only in its session the status can be seen.
        session = requests.Session()
        session.hooks["response"].append(self._answered)
        self._exporter = OTLPSpanExporter(endpoint=url, session=session)
        self._resource, self._scope = _resource(), _scope()

    def send(self, spans: Sequence[TracedSpan]) -> ExportOutcome:
        """Sends spans in one request, and returns whether they have arrived. The exporter tries
        again for some seconds.
        """
        from opentelemetry.sdk.trace.export import SpanExportResult

        self._status = None
        readable = [self._readable(each) for each in spans]
        try:
            result = self._exporter.export(readable)
        except Exception as error:  # a broken pipe of TLS, an address that is none: not our run's
            return ExportOutcome(f"{type(error).__name__}: {error}")
        if result is SpanExportResult.SUCCESS:
            return ExportOutcome()
        if self._status is None:
            return ExportOutcome("no answer")
        return ExportOutcome(f"HTTP status {self._status}", refused=self._status in REFUSED)

    def close(self) -> None:
        """Ends a request that is being tried again, and all connections. From any thread."""
        self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def _answered(self, response: Any, *_: Any, **__: Any) -> None:
        self._status = response.status_code

    def _readable(self, traced: TracedSpan) -> Any:
        from opentelemetry.sdk.trace import Event, ReadableSpan
        from opentelemetry.trace import Link, SpanKind
        from opentelemetry.trace.status import Status, StatusCode

        ids, span = traced
        given = ids.parent
        parent = None
        if span.parent_id is not None:
            remote = given is not None and span.parent_id == given.span_id
            parent = _context(ids.trace_id, span.parent_id, remote=remote)
        return ReadableSpan(
            name=span.name,
            context=_context(ids.trace_id, span.span_id),
            parent=parent,
            resource=self._resource,
            attributes=span.attributes,
            events=[Event(each.name, each.attributes, _nanos(each.ts)) for each in span.events],
            links=[Link(_context(ids.trace_id, each)) for each in span.links],
            kind=SpanKind.CLIENT if span.remote else SpanKind.INTERNAL,
            status=Status(StatusCode.UNSET)
            if span.error is None
            else Status(StatusCode.ERROR, span.error),
            start_time=_nanos(span.start),
            end_time=_nanos(span.end),
            instrumentation_scope=self._scope,
        )


def size_of(span: Span) -> int:
    """Returns about how many bytes a span takes: its texts are nearly all of it."""
    values = [*span.attributes.values()]
    values += (value for event in span.events for value in event.attributes.values())
    return 1000 + sum(len(value.encode()) for value in values if isinstance(value, str))


def _nanos(ms: int) -> int:
    return max(ms, 0) * 1_000_000


def _context(trace_id: int, span_id: int, *, remote: bool = False) -> Any:
    from opentelemetry.trace import SpanContext, TraceFlags

    return SpanContext(trace_id, span_id, is_remote=remote, trace_flags=TraceFlags(1))


def _resource() -> Any:
    from opentelemetry.sdk.resources import Resource

    named = "OTEL_SERVICE_NAME" in os.environ or "service.name" in os.environ.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    )
    return Resource.create({} if named else {"service.name": "unbraid"})


def _scope() -> Any:
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    from unbraid import __version__

    return InstrumentationScope("unbraid", __version__)


# A collector that does not answer is asked again after this long, then after twice as long each
# time, up to a minute: it may be away for a day.
OTLP_RETRY_SECONDS = 1.0
OTLP_RETRY_MAX_SECONDS = 60.0
# At the end of a command, the last spans get this long to arrive.
OTLP_LINGER_SECONDS = 5.0
# Another process sends the same log to the same collector: it may have ended.
OTLP_TURN_SECONDS = 5.0
FOLDER = "otel"
PARENTS = "parents"
# Runs that have not ended and whose traces are held; any other is read again when it continues.
MAX_OPEN_RUNS = 200

Warn = Callable[[str], None]


class CollectorAway(LogError):
    """A collector has not accepted what was sent."""


class TraceParents:
    """The spans of others that runs are part of, so that a later process sends such a run to the
    same trace.
    """

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER / PARENTS

    def get(self, run: str) -> TraceParent | None:
        """Returns the parent of a run."""
        try:
            return TraceParent.parse(self._path(run).read_text("ascii"))
        except (OSError, ValueError):
            return None

    def put(self, run: str, parent: TraceParent) -> None:
        """Stores the parent of a run; one that is stored already stays. Raises LogError."""
        if self.get(run) is None:
            path = self._path(run)
            try:
                write_atomically(path, str(parent).encode(), private_folder=True)
            except OSError as error:
                raise LogError(f"{path}: {error.strerror}") from error

    def _path(self, run: str) -> Path:
        return self._folder / sha256(run.encode()).hexdigest()[:32]


class TraceSender:
    """Sends runs of one log to one collector. Beginning takes a moment: what sends is imported."""

    def __init__(self, log: WholeLogReader, traces: Traces) -> None:
        if traces.content:
            # Imported here, because compiling the patterns takes time that only redaction needs.
            from unbraid.redact.reader import RedactedLog

            log = RedactedLog(log)
        self._log, self._traces = log, traces
        self._exporter = OtlpExporter(traces.collector.url)
        self._prices = load_prices().prices
        self._open: dict[str, RunTrace] = {}
        self._sends_earlier = False
        self._entries: list[Entry] = []
        self._unsent: list[list[TracedSpan]] = []  # requests for these entries, the next one last
        self.sent = 0

    def close(self) -> None:
        """Ends all requests, also one that is being tried again in another thread."""
        self._exporter.close()

    def consumer(self, *, run: str | None = None, cursor: StoredCursor | None = None) -> Consumer:
        """Returns what gives one run to this sender, or the whole log from a cursor."""
        return Consumer(
            self._log,
            self._send_ended,
            backoff=Backoff(OTLP_RETRY_SECONDS, OTLP_RETRY_MAX_SECONDS),
            run=run,
            cursor=cursor,
            on_problem=self._report_problem,
            on_recovery=self._report_recovery,
        )

    async def begin(self, consumer: Consumer) -> None:
        """Determines where a consumer begins. If nothing was ever sent, that is with what the log
        gets from now on, and with the whole of each run that continues then.
        """
        self._sends_earlier = await consumer.begin()
        consumer.store()

    def has_open(self, run: str) -> bool:
        """Returns whether a run of which something was sent goes on."""
        return run in self._open

    async def _send_ended(self, entries: list[Entry]) -> None:
        """Sends the spans that have ended with some entries. Raises CollectorAway; given the same
        entries again, it continues where it was.
        """
        if entries is not self._entries:
            try:
                spans = await self._ended(entries)
            except LogError:
                # Some entries are in them already: all are read again, as after a restart.
                self._open.clear()
                raise
            self._entries, self._unsent = entries, [*_requests(spans)][::-1]
        while self._unsent:
            await self._send(self._unsent[-1])

    async def _ended(self, entries: Sequence[Entry]) -> list[TracedSpan]:
        spans: list[TracedSpan] = []
        for entry in entries:
            trace = self._open.get(entry.run)
            if trace is None:
                trace = self._open[entry.run] = self._begin(entry.run)
                async for page in run_pages(self._log, entry.run, until=entry.seq - 1):
                    earlier = [span for each in page for span in self._spans(trace, each)]
                    spans += earlier if self._sends_earlier else []
            spans += self._spans(trace, entry)
            if trace.over:
                del self._open[entry.run]
        while len(self._open) > MAX_OPEN_RUNS:
            del self._open[next(iter(self._open))]
        return spans

    def _begin(self, run: str) -> RunTrace:
        traces = self._traces
        ids = traces.identity(run)
        if traces.parent is not None:
            traces.parents.put(run, traces.parent)
        return RunTrace(ids, provider=self._prices.provider, content=traces.content)

    def _spans(self, trace: RunTrace, entry: Entry) -> list[TracedSpan]:
        try:
            return [TracedSpan(trace.ids, span) for span in trace.apply(entry.event)]
        except DamagedEvent as error:
            # Trying again would hold up all that comes after it.
            self._traces.warn(f"an event is not in the traces: {error}")
            return []

    async def _send(self, spans: list[TracedSpan]) -> None:
        outcome = await asyncio.to_thread(self._exporter.send, spans)
        if outcome.problem is not None and not outcome.refused:
            raise CollectorAway(f"the collector does not accept traces: {outcome.problem}")
        self._unsent.pop()
        if outcome.problem is None:
            self.sent += len(spans)
        elif len(spans) > 1:
            # One that is too large, or not to its liking, must not hold up the others.
            middle = len(spans) // 2
            self._unsent += [spans[middle:], spans[:middle]]
        else:
            (one,) = spans
            self._traces.warn(
                f"the collector has refused a span of run {one.ids.run} "
                f"({one.span.name}): {outcome.problem}"
            )

    def _report_problem(self, problem: LogError) -> None:
        if isinstance(problem, CollectorAway):
            self._traces.warn(f"{problem}; they will be sent when it is back")
        else:
            self._traces.warn(f"traces are not sent: {problem}")

    def _report_recovery(self, problem: LogError) -> None:
        if isinstance(problem, CollectorAway):
            self._traces.warn("the collector is back")


class _SentFile(Struct):
    cursor: int


class Traces:
    """What is needed to send a log's runs to a collector. `log_name` says which log it is; with
    `content`, what agents said is sent, too, redacted. `parent` is the span that runs belong to of
    which nothing else is known.
    """

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
        # A digest: addresses may have passwords in them.
        digest = sha256(f"{log_name}\n{collector.url}".encode()).hexdigest()[:32]
        self.cursor = StoredCursor(home, "otlp", digest)
        self._earlier_file = home / FOLDER / f"{digest}.json"
        self.parents = TraceParents(home)
        self.parent = parent
        self.collector, self.warn, self.content = collector, warn, content

    def identity(self, run: str) -> TraceIdentity:
        """Returns the ids of a run."""
        return TraceIdentity(run, self.parents.get(run) or self.parent)

    def acquire(self) -> bool:
        """Locks the cursor. Returns False if another process sends this log there. Raises
        LogError.
        """
        if not self.cursor.acquire():
            return False
        with suppress(OSError, msgspec.MsgspecError):
            # Earlier versions had a file for each cursor.
            sent = msgspec.json.decode(self._earlier_file.read_bytes(), type=_SentFile)
            if self.cursor.load() is None:
                self.cursor.store(sent.cursor)
            self._earlier_file.unlink()
        return True

    @asynccontextmanager
    async def following(self, log: Log) -> AsyncIterator[None]:
        """Sends what the log gets while the block runs, and the rest of it at the end."""
        sender = await asyncio.to_thread(TraceSender, log, self)
        consumer = sender.consumer(cursor=self.cursor)
        # Before the block: what it appends is to be sent.
        if self.acquire():
            await sender.begin(consumer)
        task = asyncio.create_task(self._follow(sender, consumer))
        try:
            yield
        finally:
            if self.cursor.is_held and not task.done():
                with suppress(TimeoutError):
                    async with asyncio.timeout(OTLP_LINGER_SECONDS):
                        await consumer.reach_end()
            sender.close()
            await cancel_task(task)
            self.cursor.release()

    async def _follow(self, sender: TraceSender, consumer: Consumer) -> None:
        try:
            if not self.cursor.is_held:
                # No event says when the process that has the lock ends.
                while not self.acquire():  # noqa: ASYNC110
                    await asyncio.sleep(OTLP_TURN_SECONDS)
                await sender.begin(consumer)
            await consumer.follow()
        except UnbraidError as error:
            self.warn(f"traces are not sent: {error}")


class LaunchedTrace:
    """The trace of the run that this process records."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self._task: asyncio.Task[None] | None = None
        self._sender: TraceSender | None = None
        self._consumer: Consumer | None = None
        self._run = ""

    def environment(self, run: str | None) -> dict[str, str]:
        """Returns what the agent's process is to find in its environment: below which span it
        works. Without a name for its run, that is the one of our own environment.
        """
        if run is None:
            return {}
        return {"TRACEPARENT": str(self._traces.identity(run).root)}

    def begin(self, log: Log, run: str) -> None:
        """Begins to send a run, now that it has a name."""
        self._run = run
        self._task = asyncio.create_task(self._send(log, run))

    async def finish(self) -> None:
        """Waits a little at the end of the run for the last spans to arrive, if anyone listens."""
        if self._task is None:
            return
        is_away = self._consumer is not None and self._consumer.problem is not None
        _, waiting = await asyncio.wait([self._task], timeout=0 if is_away else OTLP_LINGER_SECONDS)
        if self._sender is not None:
            self._sender.close()
        if waiting:
            await cancel_task(self._task)
            self._traces.warn(
                f"the trace of this run has not fully arrived; `unbraid otel {self._run}` sends it"
            )

    async def _send(self, log: Log, run: str) -> None:
        try:
            if self._traces.parent is not None:
                self._traces.parents.put(run, self._traces.parent)
            with self._traces.cursor.held() as is_free:
                if not is_free:
                    return  # a process that watches sends all of this log, this run included
            self._sender = await asyncio.to_thread(TraceSender, log, self._traces)
            self._consumer = self._sender.consumer(run=run)
            await self._consumer.follow()
        except UnbraidError as error:
            self._traces.warn(f"the trace of this run is not sent: {error}")


def _requests(spans: Sequence[TracedSpan]) -> Iterator[list[TracedSpan]]:
    """Yields spans in the sizes that one request may have."""
    batch, size = list[TracedSpan](), 0
    for each in spans:
        own = size_of(each.span)
        if batch and (len(batch) >= MAX_SPANS or size + own > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += own
    if batch:
        yield batch
