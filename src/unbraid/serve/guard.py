"""The gate before every route: Host, Origin, the caller, and headers that keep browsers honest.

The attacks it is for: a web page that makes its visitor's browser talk to this server (cross-site
requests), one that first points its own name at 127.0.0.1 so that the browser thinks it may read
the answers (DNS rebinding), and framing or sniffing what we serve.

A browser that is not let in gets a page that says what is needed, and takes a token. It is a plain
form, so that it works without a script. Its policy differs from the other pages' in two points: the
form may be sent here, and a request from here names its origin, which a browser hides as `null`
where it may send no referrer, and which the guard requires.

What a proxy in front says about the caller is believed only from proxies that are trusted. A proxy
on this machine is believed about the scheme: all that can be won by a lie is a cookie that the
liar's own browser sends over TLS only. About the caller's address, by which tries to sign in are
counted, only proxies that the configuration names are believed.
"""

from __future__ import annotations

import ipaddress
from functools import cache
from html import escape
from importlib.resources import files
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unbraid.serve import access
from unbraid.serve.connection import EXTENSION, Connection
from unbraid.serve.problems import Problem, problem_response
from unbraid.serve.services import ServeConfig, is_loopback, services_of

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "content-security-policy": PAGE_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
# What the page needs, open to everyone like the page itself.
SIGN_IN_FILES = ("/assets/sign-in.css", "/assets/sign-in.js", "/mark.svg")

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_SAID = "<!-- said -->"

# No secret is behind these: health says only whether, and how far; the rest is how one gets in and
# out.
OPEN_PATHS = frozenset(("/healthz", "/readyz", "/login", "/logout", *SIGN_IN_FILES))
CALLER = "unbraid.caller"
SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))

Refusal = tuple[int, str, dict[str, str]]


class Guard:
    """ASGI middleware that refuses requests that are not allowed."""

    def __init__(self, app: ASGIApp, config: ServeConfig, keys: access.Keys) -> None:
        self._app, self._config, self._keys = app, config, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Checks a request, then passes it on with its caller noted."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        answer = self._app if refusal is None else _answer(refusal, headers)
        await answer(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self._host_allowed(host):
            return 421, "unknown host name", {}
        if not self._origin_allowed(scope["method"], headers, host):
            return 403, "cross-site requests are not allowed", {}
        caller = scope[CALLER] = self._caller(scope, headers)
        if caller is None and scope["path"] not in OPEN_PATHS:
            return 401, "a token is required", {"www-authenticate": 'Bearer realm="unbraid"'}
        return None

    def _host_allowed(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in {allowed.lower() for allowed in self._config.hosts}:
            return True
        try:
            # An address cannot be pointed elsewhere: only names can.
            address = ipaddress.ip_address(name)
        except ValueError:
            return name == "localhost"
        return not self._config.loopback or address.is_loopback

    def _origin_allowed(self, method: str, headers: Headers, host: str) -> bool:
        origin = headers.get("origin")
        if origin is not None:
            same = origin.lower() in (f"http://{host}".lower(), f"https://{host}".lower())
            return same or origin in self._config.origins
        # Browsers that leave Origin out still say where a request comes from. Following a link here
        # is fine.
        site = headers.get("sec-fetch-site", "none")
        safe = method in SAFE_METHODS and headers.get("sec-fetch-mode") == "navigate"
        return site in ("same-origin", "none") or safe

    def _caller(self, scope: Scope, headers: Headers) -> access.Caller | None:
        connection: Connection | None = scope.get("extensions", {}).get(EXTENSION)
        authorization = headers.get("authorization")
        if authorization is not None:
            kind, _, secret = authorization.partition(" ")
            # A wrong token is refused even where none is needed, or a typing error would go unseen.
            return self._keys.of_token(secret.strip()) if kind.lower() == "bearer" else None
        if connection is not None and connection.private:
            return access.OWNER
        cookie = cookie_of(headers, scope)
        return None if cookie is None else self._keys.of_session(cookie)


def _answer(refusal: Refusal, headers: Headers) -> Response:
    status, message, more = refusal
    if status == 401 and prefers_page(headers.get("accept", "")):
        return sign_in_page(status, headers=more)
    return problem_response(status, message, more)


def caller_of(scope: Scope) -> access.Caller | None:
    """Returns who sends a request that the guard has let pass."""
    found: access.Caller | None = scope.get(CALLER)
    return found


def require(scope: Scope, needed: access.Scope) -> None:
    """Raises the answer for a caller that may not do this."""
    caller = caller_of(scope)
    if caller is None or not caller.may(needed):
        raise Problem(403, f"permission denied: this token does not have the scope {needed}")


def cookie_name(scope: Scope) -> str:
    """Returns the name of this server's cookie. Browsers do not tell ports apart: under one name,
    two servers on a machine would sign each other's visitors out.
    """
    server = scope.get("server")
    return f"{access.COOKIE}_{server[1]}" if server and server[1] else access.COOKIE


def cookie_of(headers: Headers, scope: Scope) -> str | None:
    """Returns what a browser was given when it signed in."""
    # Not `SimpleCookie`: that gives up at the first cookie that is not valid, and every other
    # server of this machine can set those.
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(scope))


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending


def sign_in_page(status: int, said: str = "", headers: dict[str, str] | None = None) -> Response:
    """Returns the page for signing in, with what went wrong before, if anything did."""
    alert = f'<p class="said" role="alert">{escape(said)}</p>' if said else ""
    own = {
        "content-security-policy": _POLICY,
        "referrer-policy": "same-origin",
        "vary": "accept",
    }
    content = _page().replace(_SAID, alert)
    return Response(content, status, {**own, **(headers or {})}, media_type="text/html")


def prefers_page(accept: str) -> bool:
    """Returns whether an Accept header wants HTML rather than JSON: a browser's does, `*/*` does
    not.
    """
    wanted = qualities(accept)
    html, json = (
        next(
            (wanted[each] for each in (kind, f"{kind.split('/')[0]}/*", "*/*") if each in wanted), 0
        )
        for kind in ("text/html", "application/json")
    )
    return html > json


def qualities(accept: str) -> dict[str, float]:
    """Returns what an Accept header names, each with how much it is wanted."""
    wanted: dict[str, float] = {}
    for part in accept.lower().split(","):
        name, *parameters = (each.strip() for each in part.split(";"))
        quality = next((each[2:] for each in parameters if each.startswith("q=")), "1")
        try:
            wanted[name] = float(quality or "1")
        except ValueError:
            wanted[name] = 0.0
    return wanted


@cache
def _page() -> str:
    return (files("unbraid.serve") / "static" / "sign-in.html").read_text(encoding="utf-8")


def is_secure(request: Request) -> bool:
    """Returns whether the browser came over TLS, to us or to a proxy in front."""
    if request.url.scheme == "https":
        return True
    peer = _peer(request)
    trusted = is_loopback(peer) or _named(services_of(request).config, peer)
    return trusted and request.headers.get("x-forwarded-proto", "").lower() == "https"


def address_of(request: Request) -> str:
    """Returns the address of the caller, behind proxies that are named in the configuration."""
    config, address = services_of(request).config, _peer(request)
    hops = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    # Each proxy adds the address that it was called from; what stands further left may be made up.
    while hops and _named(config, address):
        hop = hops.pop().strip()
        address = hop or address
    return address


def _peer(request: Request) -> str:
    return "" if request.client is None else request.client.host


def _named(config: ServeConfig, address: str) -> bool:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(found in ipaddress.ip_network(proxy, strict=False) for proxy in config.proxies)
