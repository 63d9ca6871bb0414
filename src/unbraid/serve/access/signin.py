"""The page for a browser that is not let in: it says what is needed, and takes a token.

A plain form, so that it works without a script. Its policy differs from the other pages' in two
points: the form may be sent here, and a request from here names its origin, which a browser hides
as `null` where it may send no referrer, and which the guard requires.
"""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files

from starlette.responses import Response

# What the page needs, open to everyone like the page itself.
SIGN_IN_FILES = ("/assets/sign-in.css", "/assets/sign-in.js", "/mark.svg")

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_SAID = "<!-- said -->"


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
    wanted: dict[str, float] = {}
    for part in accept.lower().split(","):
        name, *parameters = (each.strip() for each in part.split(";"))
        quality = next((each[2:] for each in parameters if each.startswith("q=")), "1")
        try:
            wanted[name] = float(quality)
        except ValueError:
            wanted[name] = 0.0
    html, json = (
        next(
            (wanted[each] for each in (kind, f"{kind.split('/')[0]}/*", "*/*") if each in wanted), 0
        )
        for kind in ("text/html", "application/json")
    )
    return html > json


@cache
def _page() -> str:
    return (files("unbraid.serve") / "static" / "sign-in.html").read_text(encoding="utf-8")
