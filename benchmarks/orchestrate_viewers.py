"""Viewers of one run, in a process of their own: prints when they are there, and then how many
events each has seen until `done`.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from fanout_viewers import Viewers

MARK, DONE = b"\nid: ", b"event: done\n"


def main(port: int, path: str, count: int) -> None:
    """Look until the run is over."""
    viewers = Viewers()
    viewers.connect(port, path, count)
    print("ready", flush=True)
    selector = selectors.DefaultSelector()
    for number, one in enumerate(viewers.sockets):
        one.setblocking(False)
        selector.register(one, selectors.EVENT_READ, number)
    seen, tails, left = [0] * count, [b""] * count, count
    while left:
        for key, _ in selector.select():
            assert isinstance(key.fileobj, socket.socket)
            data = tails[key.data] + key.fileobj.recv(1 << 20)
            # A mark may be cut in two; one that is whole must not be counted twice.
            seen[key.data] += data.count(MARK)
            tails[key.data] = data[-len(DONE) :]
            seen[key.data] -= tails[key.data].count(MARK)
            if DONE in data:
                seen[key.data] += tails[key.data].count(MARK)
                selector.unregister(key.fileobj)
                left -= 1
    print(json.dumps(seen), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
