"""Attack: another user of the same machine opens the page on 127.0.0.1.

Loopback is not a person: every user of a machine, and every program in a container on its network,
can connect there. They could read all runs and start agents as their owner. Now everyone needs the
one-time link or a token there, too, and only the owner's own commands come in without, by a socket
in a folder that nobody else can enter.
"""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tests.access import visitor
from tests.ports import free_port
from tests.record.run.test_passing import start as command
from tests.serve.conftest import Start
from tests.serve.test_crash import lines_of
from unbraid.cli.page import page
from unbraid.log import MemoryLog, SqliteLog
from unbraid.log.remote.client import RemoteServer
from unbraid.log.remote.ingest import RemoteError
from unbraid.log.remote.local_socket import local_socket, socket_path
from unbraid.machine import Machine
from unbraid.serve import ServeConfig, ServeLimits, Server, serving
from unbraid.serve.routes import OPERATIONS
from unbraid.steer.controllers import Controllers
from unbraid.testing.log_contract import sample_run

OPEN = {
    ("GET", "/healthz"), ("GET", "/readyz"),
    ("GET", "/login"), ("POST", "/login"), ("POST", "/logout"),
}  # fmt: skip


async def test_nobody_gets_anything_on_loopback_without_a_token(start: Start) -> None:
    server = await start(tokens=())
    async with httpx.AsyncClient(base_url=server.url, trust_env=False) as neighbour:
        for operation in OPERATIONS:
            path = operation.path.replace("{run}", "r").replace("{stream_id}", "0")
            answer = await neighbour.request(operation.method, path.replace("{request_id}", "q"))
            is_open = (operation.method, operation.path) in OPEN
            assert (answer.status_code == 401) != is_open or path == "/login", path
        for path in ("/", "/index.html", "/anything"):
            assert (await neighbour.get(path)).status_code == 401
        assert (await neighbour.get("/healthz")).json() == {"status": "ok"}


@asynccontextmanager
async def started(home: Path, *words: str) -> AsyncIterator[str]:
    """A command that serves, and the address that it prints."""
    process = await command(home, *words)
    assert process.stdin is not None and process.stderr is not None
    try:
        async with asyncio.timeout(60):
            printed = ""
            while "http" not in printed:
                printed = (await process.stderr.readline()).decode()
        yield printed.split()[-1]
    finally:
        process.stdin.close()
        process.terminate()
        await process.wait()


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--port", "0"),
        ("watch", "--port", "0"),
        ("run", "--serve", "--port", "0", "--", "cat"),
    ],
    ids=["serve", "watch", "run"],
)
async def test_the_printed_address_lets_one_browser_in(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    async with started(tmp_path, *words) as link:
        url = link.partition("/login")[0]
        async with httpx.AsyncClient(base_url=url, trust_env=False) as neighbour:
            assert (await neighbour.get("/v1/runs")).status_code == 401
            asked = await neighbour.post("/v1/orchestrate", json={"prompt": "go"})
            assert asked.status_code == 401
        async with visitor(link) as person:
            assert "<html" in (await person.get("/")).text
            assert (await person.get("/v1/runs")).status_code == 200
        async with httpx.AsyncClient(trust_env=False) as neighbour:
            assert (await neighbour.get(link)).status_code == 403


async def test_the_owner_needs_no_token_by_the_socket_in_the_private_folder(
    log: SqliteLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    config = ServeConfig(port=0, home=home, limits=ServeLimits(shutdown_seconds=1))
    async with serving(config, log) as server:
        path = socket_path(home, server.port)
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        elsewhere = RemoteServer(server.url, None)
        with pytest.raises(RemoteError, match="requires a token"):
            await elsewhere.page("/v1/runs")
        await elsewhere.close()
        monkeypatch.setenv("UNBRAID_HOME", str(home))
        await log.append("one", sample_run(["a"]))
        ours = RemoteServer(server.url, None)
        assert b'"run":"one"' in b"".join(await ours.page("/v1/runs"))
        await ours.close()
    assert local_socket(server.url) is None


async def test_a_command_of_the_owner_sends_its_run_without_a_token(tmp_path: Path) -> None:
    (tmp_path / "said").write_bytes(lines_of(1))
    async with started(tmp_path, "serve", "--port", "0") as link:
        to = link.partition("/login")[0]
        words = ("run", "--to", to, "--", "cat", f"{tmp_path}/said")
        process = await command(tmp_path, *words, UNBRAID_TOKEN="")
        assert (await process.communicate())[1] == b""


async def test_a_browser_stays_signed_in_when_the_server_starts_again(
    log: SqliteLog, tmp_path: Path
) -> None:
    port, jar = free_port(), httpx.Cookies()

    async def status(server: Server) -> int:
        async with httpx.AsyncClient(cookies=jar, trust_env=False) as browser:
            return (await browser.get(f"{server.url}/v1/runs")).status_code

    for round in range(2):
        config = ServeConfig(port=port, home=tmp_path, limits=ServeLimits(shutdown_seconds=1))
        async with serving(config, log) as server:
            if round == 0:
                async with visitor(server.link()) as browser:
                    jar = browser.cookies
            assert await status(server) == 200
    kept = b"".join(path.read_bytes() for path in (tmp_path / "sign-ins").iterdir())
    assert kept and not any(cookie.value.encode() in kept for cookie in jar.jar if cookie.value)


async def test_two_servers_do_not_sign_each_others_visitors_out() -> None:
    links: list[str] = []
    async with (
        page(Machine(MemoryLog(), controllers=Controllers()), port=0, say=links.append),
        page(Machine(MemoryLog(), controllers=Controllers()), port=0, say=links.append),
        httpx.AsyncClient(trust_env=False) as browser,
    ):
        for link in links:
            assert (await browser.get(link)).status_code == 303
        for link in links:
            answer = await browser.get(link.partition("login")[0] + "v1/runs")
            assert answer.status_code == 200


@pytest.mark.parametrize("other", ['a={"x":1}', 'a="b', "=", "x[]=1", "a=b, c", "expires=x", "é=1"])
async def test_cookies_of_other_servers_sign_nobody_out(
    server: Server, client_of: Callable[..., httpx.AsyncClient], other: str
) -> None:
    client = client_of(server)
    del client.headers["authorization"]
    signed_in = await client.get(server.link())
    own = signed_in.headers["set-cookie"].partition(";")[0]
    client.cookies.clear()
    for cookies in (f"{other}; {own}", f"{own}; {other}"):
        answer = await client.get("/v1/runs", headers={b"cookie": cookies.encode("latin-1")})
        assert answer.status_code == 200
