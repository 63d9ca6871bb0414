"""Where traces go, and how: the address of a collector, by the options and the environment that
OpenTelemetry defines; and spans as OTLP, sent by OpenTelemetry's own exporter, which knows its
environment variables: headers, certificates, compression, timeouts.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct

from unbraid.errors import CallerError
from unbraid.fold.run_trace import Span, TraceIdentity

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
