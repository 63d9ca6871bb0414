"""A browser that is not let in gets a page that says how; all others get the one error shape."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from urllib.parse import urlencode

import httpx
import pytest

from tests.serve.conftest import Start
from unbraid.serve import ServeLimits, Server, new_token
from unbraid.serve.access import Keys, Token
from unbraid.serve.guard import SIGN_IN_FILES, prefers_page
from unbraid.serve.routes.administration import MAX_FORM_BYTES
from unbraid.timings import SIGN_IN_SESSION_SECONDS

Clients = Callable[..., httpx.AsyncClient]

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("accept", "page"),
    [
        (BROWSER["accept"], True),
        ("text/html", True),
        ("TEXT/HTML; charset=utf-8", True),
        ("text/*, application/json;q=0.5", True),
        ("text/html;q=0.9, */*;q=0.1", True),
        ("", False),
        ("*/*", False),
        ("application/json", False),
        ("application/json, text/html;q=0.9", False),
        ("text/html, application/json", False),
        ("text/html;q=0", False),
        ("text/html;q=x", False),
        ("text/event-stream", False),
        (",;,=;q=", False),
    ],
)
def test_who_prefers_a_page(accept: str, page: bool) -> None:
    assert prefers_page(accept) == page


@pytest.fixture
def tokens() -> dict[str, tuple[str, Token]]:
    return {"all": new_token("all"), "reader": new_token("reader", ["read"])}


@pytest.fixture
async def guarded(start: Start, tokens: dict[str, tuple[str, Token]]) -> Server:
    limits = ServeLimits(sign_in_tries=100, shutdown_seconds=1)
    return await start(limits=limits, tokens=tuple(token for _, token in tokens.values()))


async def test_only_a_browser_gets_the_page(guarded: Server, client_of: Clients) -> None:
    client = client_of(guarded)
    for path in ("/", "/v1/runs", "/nothing"):
        page = await client.get(path, headers=BROWSER)
        assert (page.status_code, page.headers["vary"]) == (401, "accept")
        assert page.headers["content-type"].startswith("text/html")
        assert page.headers["www-authenticate"].startswith("Bearer")
        assert page.headers["cache-control"] == "no-store"
        assert "unbraid token add" in page.text and 'role="alert"' not in page.text
        for accept in ("*/*", "application/json", "text/event-stream"):
            answer = await client.get(path, headers={"accept": accept})
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")


async def test_the_page_is_strict_and_whole(guarded: Server, client_of: Clients) -> None:
    client = client_of(guarded)
    page = await client.get("/", headers=BROWSER)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy and "form-action 'self'" in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert all(each == "" for each in re.findall(r"<script[^>]*>(.*?)</script>", page.text, re.S))
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", page.text)
    # All that it names is open, and nothing else is.
    named = set(re.findall(r'(?:src|href)="([^"]+)"', page.text))
    assert named == set(SIGN_IN_FILES)
    for path in named:
        assert (await client.get(path)).status_code == 200, path
    for path in ("/assets/page.js", "/assets/index.css", "/index.html"):
        assert (await client.get(path)).status_code == 401, path


@pytest.mark.parametrize(("name", "may_steer"), [("all", True), ("reader", False)])
async def test_a_token_becomes_a_cookie_that_allows_the_same(
    guarded: Server,
    client_of: Clients,
    tokens: dict[str, tuple[str, Token]],
    name: str,
    may_steer: bool,
) -> None:
    client, secret = client_of(guarded), tokens[name][0]
    origin = {"origin": guarded.url}
    answer = await client.post("/login", data={"token": f" {secret}\n"}, headers=BROWSER | origin)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert secret not in cookie
    for part in ("HttpOnly", "SameSite=strict", "Path=/", f"Max-Age={SIGN_IN_SESSION_SECONDS}"):
        assert part in cookie
    assert (await client.get("/", headers=BROWSER)).status_code == 200
    assert (await client.get("/v1/runs")).status_code == 200
    steered = await client.post("/v1/runs/nowhere/cancel", headers=origin)
    assert steered.status_code == (404 if may_steer else 403)


async def test_a_wrong_token_is_refused_in_the_words_of_who_asks(
    guarded: Server, client_of: Clients, tokens: dict[str, tuple[str, Token]]
) -> None:
    client = client_of(guarded)
    almost = tokens["all"][0][:-1]
    for wrong in ("wrong", "", almost, tokens["all"][1].sha256, "<script>", "é"):
        page = await client.post("/login", data={"token": wrong}, headers=BROWSER)
        assert page.status_code == 401
        assert 'role="alert">Unknown or revoked token.<' in page.text
        assert wrong == "" or f">{wrong}<" not in page.text
        answer = await client.post("/login", data={"token": wrong})
        assert answer.status_code == 401
        assert answer.json()["error"]["message"] == "unknown or revoked token"
        assert not {"set-cookie", "location"} & (page.headers.keys() | answer.headers.keys())
    assert (await client.get("/v1/runs")).status_code == 401


async def test_a_link_that_no_longer_works_leads_to_the_page(
    guarded: Server, client_of: Clients
) -> None:
    client = client_of(guarded)
    used = await client.get("/login?code=used", headers=BROWSER)
    assert used.status_code == 403
    assert (
        "This link has already been used, or has expired." in used.text
        and 'name="token"' in used.text
    )
    assert (await client.get("/login", headers=BROWSER)).status_code == 401
    assert (await client.get("/login")).json()["error"]["code"] == "unauthorized"


async def test_only_a_small_form_from_here_signs_in(
    guarded: Server, client_of: Clients, tokens: dict[str, tuple[str, Token]]
) -> None:
    client, secret = client_of(guarded), tokens["all"][0]
    good = urlencode({"token": secret})
    refused: list[tuple[int, str, dict[str, str]]] = [
        (403, good, {"origin": "http://evil.example"}),
        (403, good, {"origin": "null"}),
        (403, good, {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}),
        (421, good, {"host": "evil.example"}),
        (415, good, {"content-type": "text/plain"}),
        (415, good, {"content-type": "application/json"}),
        (413, good + "&more=" + "x" * MAX_FORM_BYTES, {}),
        (400, good + "&more=x", {}),
        (400, f"{good}&{good}", {}),
        (400, "&".join(f"a{number}=1" for number in range(20)), {}),
        (400, "", {}),
        (401, "token", {}),
        (400, "\N{SNOWMAN}", {}),
    ]
    for status, body, headers in refused:
        answer = await client.post("/login", content=body, headers=FORM | headers)
        assert answer.status_code == status, (body[:80], headers)
        assert "set-cookie" not in answer.headers
        assert secret not in answer.text
    in_the_address = await client.post(f"/login?{good}", headers=FORM)
    assert in_the_address.status_code == 400


async def test_no_token_is_written_down(
    guarded: Server,
    client_of: Clients,
    tokens: dict[str, tuple[str, Token]],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    client = client_of(guarded)
    for secret in (tokens["reader"][0], "a-wrong-token-of-some-length"):
        answer = await client.post("/login", data={"token": secret}, headers=BROWSER)
        metrics = await client.get("/metrics")
        written = caplog.text + "".join(capfd.readouterr()) + metrics.text
        assert secret not in written + str(answer.headers)


def test_a_session_of_a_token_grows_old() -> None:
    now, (secret, token) = [0.0], new_token("x", ["read"])
    keys = Keys([token], clock=lambda: now[0])
    session = keys.sign_in(secret)
    assert session is not None
    assert keys.sign_in(token.sha256) is None
    caller = keys.of_session(session)
    assert caller is not None and caller.scopes == {"read"}
    now[0] = SIGN_IN_SESSION_SECONDS + 1
    assert keys.of_session(session) is None
