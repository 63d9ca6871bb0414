"""A real HTTP receiver on loopback, that takes what it is sent, or does not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
from msgspec import Struct, field


class Taken(Struct):
    """A request that has arrived."""

    path: str
    headers: dict[str, str]
    body: bytes


class HttpReceiver(Struct):
    """Where it listens, what it has got, and what it answers next: 200 when that is used up."""

    port: int = 0
    taken: list[Taken] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def receiving() -> Iterator[HttpReceiver]:
    """Receives while the block runs."""
    got = HttpReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status = got.answers.pop(0) if got.answers else 200
            got.taken.append(Taken(self.path, dict(self.headers.items()), body))
            # As ntfy answers: with the message that it has taken.
            answer = msgspec.json.encode({"id": "m1", "event": "message"})
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
            got.arrived.set()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    got.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield got
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
