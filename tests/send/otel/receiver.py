"""A collector on loopback: takes OTLP over HTTP, and decodes what was sent."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

WAIT_SECONDS = 30.0


class ReceivedSpan:
    """One span as it came over the wire."""

    def __init__(self, span: Any, resource: dict[str, Any]) -> None:
        self.name: str = span.name
        self.trace_id: str = span.trace_id.hex()
        self.span_id: str = span.span_id.hex()
        self.parent_id: str = span.parent_span_id.hex()
        self.start_ms, self.end_ms = (
            span.start_time_unix_nano // 1_000_000,
            span.end_time_unix_nano // 1_000_000,
        )
        self.attributes = _attributes(span.attributes)
        self.events = [(event.name, _attributes(event.attributes)) for event in span.events]
        self.failed = span.status.code == 2
        self.kind: int = span.kind
        self.resource = resource
        self.encoded: bytes = span.SerializeToString(deterministic=True)

    @property
    def stream_id(self) -> int:
        """The agent whose work it is."""
        number = self.attributes["unbraid.stream_id"]
        assert isinstance(number, int)
        return number

    def is_a(self, operation: str) -> bool:
        """Whether it is a span of that operation."""
        return self.attributes.get("gen_ai.operation.name") == operation


class Receiver:
    """All that was received, in order; while `status` is not 200, nothing is taken."""

    def __init__(self) -> None:
        self.spans: list[ReceivedSpan] = []
        self.headers: list[dict[str, str]] = []
        self.status = 200
        self.refusals = 0
        self.too_large = 1 << 62
        self.port = 0
        self._changed = threading.Condition()

    @property
    def url(self) -> str:
        """The address to give to `--endpoint`."""
        return f"http://127.0.0.1:{self.port}"

    def distinct(self) -> dict[str, bytes]:
        """The spans by id; one that came again has to be the same."""
        found: dict[str, bytes] = {}
        for span in self.spans:
            assert found.setdefault(span.span_id, span.encoded) == span.encoded
        return found

    def wait(self, seen: Any) -> None:
        """Wait until something holds of what has come."""
        with self._changed:
            assert self._changed.wait_for(seen, WAIT_SECONDS)

    def take(self, headers: dict[str, str], body: bytes) -> int:
        """Take a request; returns the status to answer with."""
        with self._changed:
            status = 413 if len(body) > self.too_large else self.status
            if status == 200:
                request = ExportTraceServiceRequest.FromString(body)
                for resource in request.resource_spans:
                    facts = _attributes(resource.resource.attributes)
                    for scope in resource.scope_spans:
                        self.spans += (ReceivedSpan(span, facts) for span in scope.spans)
                self.headers.append(headers)
            else:
                self.refusals += 1
            self._changed.notify_all()
            return status


@contextmanager
def receiving(receiver: Receiver | None = None, port: int = 0) -> Iterator[Receiver]:
    """Listen while the block runs."""
    taken = receiver or Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            known = self.path == "/v1/traces"
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(taken.take(headers, body) if known else 404)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    ThreadingHTTPServer.allow_reuse_address = True
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    taken.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield taken
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}
