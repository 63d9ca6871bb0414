"""Deliveries per second to 200 viewers, against nginx with nchan (one worker) as the reference.

    python -m benchmarks.fanout_deliveries [uvicorn uvloop granian …]

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

from benchmarks.fanout_viewers import Audience, Viewers
from benchmarks.table import Measured, table

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
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.fanout_server", kind],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
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
            module = ["-m", "benchmarks.fanout_publisher"]
            arguments = [sys.executable, *module, str(port), str(EVENTS)]
            publisher = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
            assert publisher.stdout is not None
            results.append(viewers.watch(float(publisher.stdout.readline())))
            publisher.wait()
            publisher.stdout.close()
            viewers.close()
    return results


def best_of(results: list[Audience]) -> Audience:
    """The quickest round; every delivery of every round must have been made."""
    assert {result.frames for result in results} == {VIEWERS * EVENTS}
    return min(results, key=lambda result: result.seconds)


def round_in_words(name: str, best: Audience) -> str:
    """A round in words."""
    return (
        f"{name} {best.frames / best.seconds:,.0f}/s, delay median {best.delay(0.5):.0f} ms,"
        f" 99th {best.delay(0.99):.0f} ms"
    )


def main(kinds: Sequence[str] = ("uvicorn",)) -> list[Measured]:
    """Ours on each ASGI server, against the reference."""
    there = which("nginx") is not None and NCHAN.exists()
    reference = best_of(measure_nchan()) if there else None
    rows: list[Measured] = []
    for kind in kinds:
        ours, what = best_of(measure_ours(kind)), f"deliveries to {VIEWERS} viewers"
        if reference is None:
            missing = "no nginx with nchan (Debian: libnginx-mod-nchan): no ratio"
            rate = ours.frames / ours.seconds
            rows.append(
                Measured(what, rate, "a second", missing, detail=round_in_words(kind, ours))
            )
        else:
            ratio, peer = reference.seconds / ours.seconds, "nginx with nchan, one worker"
            detail = f"{round_in_words(kind, ours)}; {round_in_words('nchan', reference)}"
            rows.append(Measured(what, ratio, "times as many", peer, at_least=2, detail=detail))
    return rows


if __name__ == "__main__":
    print(table(main(sys.argv[1:] or ("uvicorn",))))
