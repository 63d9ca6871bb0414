"""Posts events to nchan over one pipelined connection, a process of its own as in real life.

python -m benchmarks.fanout_publisher PORT COUNT
"""

from __future__ import annotations

import sys
import time
from socket import create_connection

from benchmarks.fanout_server import IN_FLIGHT, PADDING

HEAD = '{"type":"unrecognized","seq":%d,"ts":1,"stream_id":0,"depth":0,"agent":"a","raw":'


def main(port: int, count: int) -> None:
    """Print the time of the first event, then post them all."""
    connection = create_connection(("127.0.0.1", port))
    print(time.time(), flush=True)
    waiting = 0
    for number in range(count):
        final = "true" if number == count - 1 else "false"
        raw = f'{{"sent":{time.time_ns()},"final":{final},"pad":"{PADDING}"}}}}'
        event = (HEAD % number + raw).encode()
        size = f"Content-Length: {len(event)}"
        connection.sendall(f"POST /pub HTTP/1.1\r\nHost: x\r\n{size}\r\n\r\n".encode() + event)
        waiting += 1
        while waiting > (0 if final == "true" else IN_FLIGHT):
            waiting -= connection.recv(262144).count(b"HTTP/1.1 20")
    connection.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
