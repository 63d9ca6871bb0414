"""Attack: someone goes on with a token that was taken away, or gets hold of one.

A server knew its tokens from its start: one that was revoked worked until the next. A cookie that
came from it worked for a month, and could not be given back. Wrong tokens could be tried as fast as
the server answers; a program that only looked where a link leads used it up; and agents found the
token of their server in their environment.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.attacks.test_loopback_neighbour import started
from tests.serve.conftest import Start
from tests.serve.sse import data_of, events_of
from unbraid.log import SqliteLog
from unbraid.serve import ServeConfig, ServeLimits, Server, TokenFile, serving
from unbraid.serve.access import Throttle
from unbraid.system.process import NOTHING, PIPE
from unbraid.system.process import start as start_process
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run

Clients = Callable[..., httpx.AsyncClient]


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "tokens.json")


@pytest.fixture
async def server(start: Start, tokens: TokenFile) -> Server:
    limits = ServeLimits(sign_in_tries=4, heartbeat_seconds=0.05, shutdown_seconds=1)
    return await start(tokens=(), token_file=tokens, limits=limits)


async def test_a_token_works_from_its_making_to_its_revocation(
    server: Server, client_of: Clients, tokens: TokenFile, log: SqliteLog
) -> None:
    await log.append("r", sample_run(["a"])[:2])
    secret = tokens.add("laptop", ["control"])
    program = client_of(server, headers={"authorization": f"Bearer {secret}"})
    browser = client_of(server)
    assert (await program.get("/v1/runs")).status_code == 200
    assert (await browser.post("/login", data={"token": secret})).status_code == 303
    assert (await browser.get("/v1/runs")).status_code == 200
    async with asyncio.timeout(PATIENCE_SECONDS):
        async with program.stream("GET", "/v1/runs/r/events") as live:
            seen = events_of(live)
            await anext(seen)
            tokens.revoke("laptop")
            assert (await program.get("/v1/runs")).status_code == 401
            assert (await browser.get("/v1/runs")).status_code == 401
            # What it had opened before ends, too, and says why.
            last = [event async for event in seen if "data" in event][-1]
    assert (data_of(last)["type"], data_of(last)["reason"]) == ("cut", "signed_out")
    # The same name again is another token.
    other = tokens.add("laptop", ["read"])
    assert (await program.get("/v1/runs")).status_code == 401
    again = {"authorization": f"Bearer {other}"}
    assert (await program.get("/v1/runs", headers=again)).status_code == 200


async def test_a_browser_that_signs_out_is_out(
    server: Server, client_of: Clients, tokens: TokenFile
) -> None:
    secret = tokens.add("me", ["read"])
    browser = client_of(server)
    await browser.post("/login", data={"token": secret})
    kept = dict(browser.cookies)
    elsewhere = {"origin": "http://evil.example"}
    assert (await browser.post("/logout", headers=elsewhere)).status_code == 403
    assert (await browser.get("/v1/runs")).status_code == 200
    gone = await browser.post("/logout")
    assert gone.status_code == 303 and "Max-Age=0" in gone.headers["set-cookie"]
    # A copy of the cookie is worth nothing, either.
    copied = httpx.Cookies(kept)
    assert (await client_of(server, cookies=copied).get("/v1/runs")).status_code == 401


async def test_wrong_tokens_are_slowed_down(
    server: Server, client_of: Clients, tokens: TokenFile
) -> None:
    secret = tokens.add("me")
    client = client_of(server)
    statuses = [
        (await client.post("/login", data={"token": f"wrong{n}"})).status_code for n in range(6)
    ]
    assert statuses == [401, 401, 401, 401, 429, 429]
    refused = await client.post("/login", data={"token": secret})
    assert refused.status_code == 429 and int(refused.headers["retry-after"]) >= 1
    assert (await client.get("/login?code=x")).status_code == 429
    # Neighbours on this machine have the same address: they cannot keep its owner out.
    assert (await client.get(server.link())).status_code == 303
    assert (await client_of(server).post("/login", data={"token": "wrong"})).status_code == 429
    # Machines that have a token do not suffer from those who have none.
    good = {"authorization": f"Bearer {secret}"}
    assert (await client.get("/v1/runs", headers=good)).status_code == 200


def test_the_wait_doubles_and_ends() -> None:
    now = [0.0]
    throttle = Throttle(2, clock=lambda: now[0])
    waits = []
    for _ in range(10):
        throttle.failed("10.0.0.1")
        waits.append(throttle.wait_seconds("10.0.0.1"))
        now[0] += waits[-1]
    assert waits == [0, 1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert throttle.wait_seconds("10.0.0.2") == 0
    throttle.failed("2001:db8::1")
    throttle.failed("2001:db8::2")  # the same network
    assert throttle.wait_seconds("2001:db8::3") == 1
    now[0] += 10_000
    throttle.failed("10.0.0.1")
    assert throttle.wait_seconds("10.0.0.1") == 0


async def test_looking_at_a_link_does_not_use_it_up(server: Server, client_of: Clients) -> None:
    link, client = server.link(), client_of(server)
    for _ in range(3):
        looked = await client.head(link)
        assert looked.status_code == 200 and "set-cookie" not in looked.headers
    assert (await client.get(link)).status_code == 303


async def test_a_cookie_that_came_over_tls_is_for_tls_only(
    start: Start, client_of: Clients
) -> None:
    server = await start()
    client = client_of(server)
    for scheme, secure in (("https", True), ("http", False), ("", False)):
        answer = await client.get(server.link(), headers={"x-forwarded-proto": scheme})
        assert ("; secure" in answer.headers["set-cookie"].lower()) == secure, scheme


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    what = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split()
    where = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(["openssl", *what, *where], capture_output=True, check=True)
    return cert, key


async def test_the_server_speaks_tls_itself(log: SqliteLog, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    config = ServeConfig(
        port=0,
        tls_cert=cert,
        tls_key=key,
        limits=ServeLimits(shutdown_seconds=1),
    )
    async with serving(config, log) as server:
        assert server.url.startswith("https://")
        context = ssl.create_default_context(cafile=str(cert))
        async with httpx.AsyncClient(verify=context, trust_env=False) as browser:
            answer = await browser.get(server.link())
            assert "; secure" in answer.headers["set-cookie"].lower()
            assert (await browser.get(f"{server.url}/v1/runs")).status_code == 200
        async with httpx.AsyncClient(trust_env=False) as plain:
            with contextlib.suppress(httpx.TransportError):
                assert (await plain.get(f"http://127.0.0.1:{server.port}/healthz")).is_error


async def test_agents_do_not_inherit_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNBRAID_TOKEN", "unbraid_secret")
    program = "import os; print(os.environ.get('UNBRAID_TOKEN'), os.environ['HOME'])"
    for env in (None, {"UNBRAID_TOKEN": "unbraid_secret", "HOME": "/"}):
        agent = await start_process(
            [sys.executable, "-c", program], env, stdin=NOTHING, stdout=PIPE
        )
        assert agent.stdout is not None
        printed = b""
        while part := await agent.stdout.read(1000):
            printed += part
        await agent.wait()
        assert printed.startswith(b"None /")


async def test_a_token_that_a_command_makes_works_in_a_server_that_runs(tmp_path: Path) -> None:
    async with started(tmp_path, "serve", "--port", "0") as link:
        url = link.partition("/login")[0]
        secret = TokenFile(tmp_path / "unbraid" / "tokens.json").add("new", ["read"])
        async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
            given = {"authorization": f"Bearer {secret}"}
            assert (await client.get("/v1/runs", headers=given)).status_code == 200
