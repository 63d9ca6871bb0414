"""Attack: something between a machine and its server answers in the server's place.

A proxy, a captive portal or another program at the address says 200, 307 or 400. `run --to` took
that for the server's word and deleted what it had kept of the run. Now only bytes that an unbraid
server acknowledges are done with; everything else stays in the outbox, is reported, and `unbraid
deliver` sends it later. And a server says only what is true: a viewer that did not read learns that
it was cut off, health is bad while the log cannot append, and packed bodies are refused.
"""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tests.access import SECRET, TOKEN
from tests.attacks.test_memory_before_login import served
from tests.log.remote.test_delivery import waiting
from tests.polling import until
from tests.ports import free_port
from tests.record.run.test_passing import finished
from tests.serve.conftest import Start
from tests.serve.test_crash import lines_of
from unbraid.log import SqliteLog
from unbraid.serve import ServeConfig, ServeLimits, serving
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run

resource = pytest.importorskip("resource", reason="needs limits on the size of files")

Clients = Callable[..., httpx.AsyncClient]

ANSWERS = {
    "redirect": (307, b"", "307, it has another address"),
    "moved": (301, b"", "301, it has another address"),
    "bad request": (400, b"<html>No.</html>", "400 (not the answer of an unbraid server)"),
    "a page": (200, b"<html>Welcome to this hotel</html>", "200 (not the answer"),
    "some JSON": (200, b'{"ok":true}', "200 (not the answer"),
    "another run": (200, b'{"runs":[{"run":"x","seq":1}]}', "200 (not the answer"),
    "any event": (200, b'{"runs":[{"run":"s1","seq":999999999}]}', "that were never sent"),
    "before all": (200, b'{"runs":[{"run":"s1","seq":-1}]}', "that were never sent"),
    "no progress": (200, b'{"runs":[{"run":"s1","seq":0}]}', "again and again"),
    "gone": (410, b"", "410 (not the answer"),
}


@asynccontextmanager
async def impostor(port: int, status: int, body: bytes) -> AsyncIterator[None]:
    """Something else at the server's address."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        await reader.readexactly(size)
        head = b"HTTP/1.1 %d X\r\nlocation: http://127.0.0.1:1/\r\n" % status
        writer.write(head + b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body) + body)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", port):
        yield


@pytest.mark.parametrize("kind", ANSWERS)
async def test_what_was_not_acknowledged_is_kept_and_sent_later(kind: str, tmp_path: Path) -> None:
    status, body, reported = ANSWERS[kind]
    said, port = lines_of(1), free_port()
    (tmp_path / "said").write_bytes(said)
    async with asyncio.timeout(PATIENCE_SECONDS), impostor(port, status, body):
        to = ("--to", f"http://127.0.0.1:{port}", "--linger", "30")
        code, out, err = await finished(tmp_path, "run", *to, "--", "cat", f"{tmp_path}/said")
        assert (out, code) == (said, 0)
        assert reported.encode() in err and b"`unbraid deliver` sends the rest" in err
        if kind == "a page":
            code, out, _ = await finished(tmp_path, "deliver")
            assert out.endswith(b"not sent\n")
            assert code == 1
    log = await SqliteLog.open(tmp_path / "server.db")
    config = ServeConfig(port=port, tokens=(TOKEN,), limits=ServeLimits(shutdown_seconds=1))
    async with serving(config, log):
        _, out, err = await finished(tmp_path, "deliver")
        assert out.endswith(b"arrived\n"), err
        (there,) = await log.runs()
        assert (there.session_id, there.status, there.machine) == ("s1", "done", "tests")
    await log.close()
    assert not waiting(tmp_path / "unbraid")


async def test_only_a_person_discards_a_run(tmp_path: Path) -> None:
    (tmp_path / "said").write_bytes(lines_of(1))
    to = ("--to", f"http://127.0.0.1:{free_port()}", "--linger", "0")
    await finished(tmp_path, "run", *to, "--", "cat", f"{tmp_path}/said")
    assert waiting(tmp_path / "unbraid") == ["s1"]
    code, _, _ = await finished(tmp_path, "deliver", "--for", "0", "--discard", "s1")
    assert code == 0
    assert not waiting(tmp_path / "unbraid")


async def test_health_is_bad_while_the_log_cannot_append(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS), served(tmp_path / "home") as (pid, port):
        client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False)
        assert (await client.get("/healthz")).status_code == 200
        _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, most))
        full = await client.get("/healthz")
        assert full.status_code == 503 and "/" not in full.json()["error"]["message"]
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
        assert (await client.get("/healthz")).status_code == 200
        await client.aclose()


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", lambda _: b"x"),
        ("identity, gzip", lambda _: b"x"),
    ],
)
async def test_a_packed_body_is_refused(
    start: Start,
    client_of: Clients,
    log: SqliteLog,
    encoding: str,
    packed: Callable[[bytes], bytes],
) -> None:
    client, body = client_of(await start()), packed(bytes(64 << 20))
    for path in ("/v1/ingest/r?source=a&offset=0", "/v1/orchestrate", "/login"):
        answer = await client.post(path, content=body, headers={"content-encoding": encoding})
        assert answer.status_code in (415, 501), path
    assert await log.runs() == []


async def test_a_viewer_that_did_not_read_learns_that_it_was_cut_off(
    start: Start, client_of: Clients, log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It comes back after other stuck connections would have been closed for good.
    monkeypatch.setattr("unbraid.serve.connection.HANG_UP_TIMEOUT_SECONDS", 0)
    server = await start(limits=ServeLimits(backlog_bytes=200_000, shutdown_seconds=1))
    events = sample_run(["x" * 10_000] * 1500)
    await log.append("r", events[:1])
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1000)
    writer.write(b"GET /v1/runs/r/events HTTP/1.1\r\nhost: localhost\r\n")
    writer.write(f"authorization: Bearer {SECRET}\r\n\r\n".encode())
    await reader.readuntil(b"id: 1\n")
    for place in range(1, len(events), 20):
        await log.append("r", events[place : place + 20])
    await until(lambda: server.services.hub.stats.cut)
    assert (await client_of(server).get("/healthz")).status_code == 200
    rest = await reader.read(-1)
    assert rest.endswith(b"0\r\n\r\n") and rest.count(b"event: cut\n") == 1
    writer.close()
