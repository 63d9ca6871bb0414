"""How tests get in: one token that may do everything, which every server of the tests knows, or the
link that a command prints.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx

from unbraid.serve import Token, hash_token

# Fixed: servers that tests start as processes know it, too.
SECRET = "unbraid_tests"
TOKEN = Token("tests", hash_token(SECRET), frozenset(("admin",)), created=1)
HEADERS = {"authorization": f"Bearer {SECRET}"}
# How tests talk over loopback: no certificates are read, which would take longer than most answers.
PLAIN: dict[str, Any] = {"timeout": 60, "trust_env": False, "verify": False}
# What the commands print, up to where a page's place may follow.
LINK = r"http://127\.0\.0\.1:\d+/login\?code=[\w-]+"


def client_at(url: str, **settings: Any) -> httpx.AsyncClient:
    """A client of a server that knows the token."""
    headers = HEADERS | settings.pop("headers", {})
    given = {**PLAIN, **settings}
    return httpx.AsyncClient(base_url=url, headers=headers, **given)


@asynccontextmanager
async def visitor(link: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client that came by a printed link, as a browser does."""
    parts = urlsplit(link)
    base = f"{parts.scheme}://{parts.netloc}"
    async with httpx.AsyncClient(base_url=base, **PLAIN) as client:
        assert (await client.get(link)).status_code == 303
        yield client
