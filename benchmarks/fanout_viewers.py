"""Many viewers in one process, cheap enough not to be what is measured: plain sockets and epoll."""

from __future__ import annotations

import re
import selectors
import socket
import time
from dataclasses import dataclass, field

FINAL = b'"final":true'
_SENT = re.compile(rb'"sent":([0-9]+)')
SAMPLED = 4
SECRET = "benchmark"


@dataclass
class Audience:
    """What the viewers saw."""

    seconds: float
    frames: int
    delays_ms: list[float]

    def delay(self, share: float) -> float:
        """The delay that this share of the sampled deliveries kept within."""
        return sorted(self.delays_ms)[
            min(len(self.delays_ms) - 1, int(share * len(self.delays_ms)))
        ]


@dataclass
class _Viewer:
    tail: bytes = b""
    frames: int = 0
    done: bool = False
    kept: list[tuple[int, bytes]] | None = None


@dataclass
class Viewers:
    """Connections that have asked for a stream and wait."""

    sockets: list[socket.socket] = field(default_factory=list)

    def connect(
        self, port: int, path: str, count: int, *, buffer_bytes: int = 4 * 1024 * 1024
    ) -> None:
        """Open some more; `buffer_bytes` is what the kernel takes in for one that does not read."""
        head = f"Authorization: Bearer {SECRET}\r\nAccept: text/event-stream\r\n"
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n"
        for _ in range(count):
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
            one.connect(("127.0.0.1", port))
            one.sendall(request.encode())
            self.sockets.append(one)
        for one in self.sockets[-count:]:
            # The head of the answer: from here on the viewer is there.
            while b"\r\n\r\n" not in one.recv(4096, socket.MSG_PEEK):
                time.sleep(0.001)

    def watch(self, start: float) -> Audience:
        """Read until every viewer has seen the final event; `start` is when the first was sent."""
        selector = selectors.DefaultSelector()
        viewers = [_Viewer() for _ in self.sockets]
        for number, one in enumerate(self.sockets):
            one.setblocking(False)
            viewers[number].kept = [] if number < SAMPLED else None
            selector.register(one, selectors.EVENT_READ, viewers[number])
        left = len(viewers)
        while left:
            for key, _ in selector.select():
                left -= _read(key.fileobj, key.data)  # type: ignore[arg-type]
        seconds = time.time() - start
        delays = [
            (arrived - int(sent)) / 1e6
            for viewer in viewers
            for arrived, sent in _arrivals(viewer.kept or [])
        ]
        return Audience(seconds, sum(viewer.frames for viewer in viewers), delays)

    def close(self) -> None:
        """Hang up."""
        for one in self.sockets:
            one.close()
        self.sockets.clear()


def _read(one: socket.socket, viewer: _Viewer) -> bool:
    data = one.recv(1024 * 1024)
    if not data:
        raise ConnectionError("a viewer lost its connection")
    if viewer.kept is not None:
        viewer.kept.append((time.time_ns(), data))
    # Counted with what was left of the last read, so that no frame cut in two is missed or counted
    # twice.
    text = viewer.tail + data
    viewer.frames += text.count(b'"sent":') - viewer.tail.count(b'"sent":')
    was, viewer.done = viewer.done, viewer.done or FINAL in text
    viewer.tail = text[-16:]
    return viewer.done and not was


def _arrivals(kept: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    found, rest = [], b""
    for arrived, data in kept:
        text = rest + data
        end = text.rfind(b"\n\n") + 2 if b"\n\n" in text else 0
        found += [(arrived, sent) for sent in _SENT.findall(text[:end])]
        rest = text[end:]
    return found
