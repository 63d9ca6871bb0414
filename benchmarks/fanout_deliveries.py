"""Deliveries per second to 200 viewers, against nginx with nchan (one worker) as the reference.

    python benchmarks/fanout_deliveries.py [uvicorn uvloop granian …]

2,000 events of about 200 bytes. Ours are each written durably to SQLite before they are sent; nchan
keeps them in memory. Both are measured in the same run, by the same viewers. The delay is from an
event's being handed over to its arrival.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from socket import create_connection, socket

sys.path.insert(0, str(Path(__file__).parent))
from fanout_viewers import Audience, Viewers

VIEWERS, EVENTS, ROUNDS = 200, 2000, 3
NCHAN = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
CONFIG = """
load_module {module};
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000; nchan_shared_memory_size 256M;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location = /pub {{
      nchan_publisher; nchan_channel_id x;
      nchan_message_buffer_length 5000; nchan_message_timeout 5m;
    }}
    location = /sub {{
      nchan_subscriber eventsource; nchan_channel_id x; nchan_subscriber_first_message newest;
    }}
  }}
}}
"""


@contextmanager
def ours(kind: str) -> Iterator[tuple[int, str, subprocess.Popen[str]]]:
    """Our server on one of the ASGI servers."""
    script = Path(__file__).with_name("fanout_server.py")
    server = subprocess.Popen(
        [sys.executable, script, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        yield int(server.stdout.readline()), "/v1/runs/bench/events?since=1", server
    finally:
        assert server.stdin is not None
        server.stdin.close()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()


def measure_ours(kind: str) -> list[Audience]:
    """Some rounds on one server, viewers connecting anew for each."""
    results = []
    for _ in range(ROUNDS):
        with ours(kind) as (port, path, server):
            viewers = Viewers()
            viewers.connect(port, path, VIEWERS)
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(f"{EVENTS}\n")
            server.stdin.flush()
            results.append(viewers.watch(float(server.stdout.readline())))
            viewers.close()
    return results


@contextmanager
def nchan() -> Iterator[int]:
    """nginx with nchan, one worker."""
    with tempfile.TemporaryDirectory() as folder, socket() as free:
        Path(folder).chmod(0o777)
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        config = Path(folder) / "nginx.conf"
        config.write_text(CONFIG.format(module=NCHAN, folder=folder, port=port))
        server = subprocess.Popen(["nginx", "-c", str(config)], stderr=subprocess.DEVNULL)
        try:
            for _ in range(200):
                try:
                    create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.02)
            yield port
        finally:
            server.terminate()
            server.wait()


def measure_nchan() -> list[Audience]:
    """The same with nchan, events posted over one pipelined connection."""
    results = []
    for _ in range(ROUNDS):
        with nchan() as port:
            viewers = Viewers()
            viewers.connect(port, "/sub", VIEWERS)
            script = str(Path(__file__).with_name("fanout_publisher.py"))
            arguments = [sys.executable, script, str(port), str(EVENTS)]
            publisher = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
            assert publisher.stdout is not None
            results.append(viewers.watch(float(publisher.stdout.readline())))
            publisher.wait()
            publisher.stdout.close()
            viewers.close()
    return results


def show(name: str, results: list[Audience]) -> float:
    """Print the best round; its deliveries per second."""
    for result in results:
        assert result.frames == VIEWERS * EVENTS, (name, result.frames)
    best = min(results, key=lambda result: result.seconds)
    rate = best.frames / best.seconds
    print(
        f"{name:28} {rate:>10,.0f} deliveries/s   delay median {best.delay(0.5):.0f} ms,"
        f" 99th {best.delay(0.99):.0f} ms",
        flush=True,
    )
    return rate


def main(kinds: Sequence[str] = ("uvicorn",)) -> None:
    """Print the reference, then ours on each ASGI server and the ratio."""
    reference = None
    if which("nginx") and NCHAN.exists():
        reference = show("nginx + nchan (reference)", measure_nchan())
    else:
        print("nginx with nchan is not installed (Debian: libnginx-mod-nchan); no ratio")
    for kind in kinds:
        rate = show(f"unbraid on {kind}", measure_ours(kind))
        if reference is not None:
            print(f"{'':28} ratio {rate / reference:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:] or ("uvicorn",))
