"""Who may do what: bearer tokens, and the cookie that a one-time link or a token becomes.

Tokens are 256 random bits, so a plain SHA-256 is enough to store them by: there is nothing to guess
at. Every compare looks at all of them in constant time. A link's code works once and for a short
while, and what it leaves in the browser is an HttpOnly cookie; after the first click no address
holds a secret.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Literal

from msgspec import Struct

from unbraid.timings import SIGN_IN_LINK_SECONDS, SIGN_IN_SESSION_SECONDS

Scope = Literal["read", "control"]

ALL_SCOPES: frozenset[Scope] = frozenset(("read", "control"))
COOKIE = "unbraid_session"
MAX_SESSIONS = 1000


class Token(Struct, frozen=True):
    """A bearer token as it is stored: its name, its hash, what it allows. Control includes read."""

    name: str
    sha256: str
    scopes: frozenset[Scope] = ALL_SCOPES


def hash_token(secret: str) -> str:
    """Returns what is stored of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def new_token(name: str, scopes: Iterable[Scope] = ALL_SCOPES) -> tuple[str, Token]:
    """Returns a fresh secret, to be shown once, and what to store of it."""
    secret = "unbraid_" + secrets.token_urlsafe(32)
    return secret, Token(name, hash_token(secret), frozenset(scopes))


class _Grant(Struct):
    sha256: str
    scopes: frozenset[Scope]
    expires: float


class Keys:
    """The tokens a server knows, its open links and its sessions."""

    def __init__(
        self, tokens: Iterable[Token] = (), *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tokens = list(tokens)
        self._links: list[_Grant] = []
        self._sessions: list[_Grant] = []
        self._clock = clock

    @property
    def any(self) -> bool:
        """Whether there is a token at all."""
        return bool(self._tokens)

    def scopes_of_token(self, secret: str) -> frozenset[Scope] | None:
        """Returns what a bearer token allows; None if it is not known."""
        return _find(self._tokens, secret)

    def scopes_of_session(self, secret: str) -> frozenset[Scope] | None:
        """Returns what a cookie allows; None if it is not known or too old."""
        return _find([grant for grant in self._sessions if grant.expires > self._clock()], secret)

    def link(self, scopes: Iterable[Scope] = ALL_SCOPES) -> str:
        """Returns a code that opens one session, once."""
        code = secrets.token_urlsafe(32)
        self._links = [grant for grant in self._links if grant.expires > self._clock()]
        expires = self._clock() + SIGN_IN_LINK_SECONDS
        self._links.append(_Grant(hash_token(code), frozenset(scopes), expires))
        return code

    def redeem(self, code: str) -> str | None:
        """Turn a link's code into the secret of a new session; None if it does not work (any
        more).
        """
        now, digest = self._clock(), hash_token(code)
        found = [grant for grant in self._links if hmac.compare_digest(grant.sha256, digest)]
        if not found or found[0].expires <= now:
            return None
        self._links.remove(found[0])
        return self._session(found[0].scopes)

    def sign_in(self, token: str) -> str | None:
        """Turn a bearer token into the secret of a new session that allows the same; None if it is
        not known.
        """
        scopes = self.scopes_of_token(token)
        return None if scopes is None else self._session(scopes)

    def _session(self, scopes: frozenset[Scope]) -> str:
        secret, now = secrets.token_urlsafe(32), self._clock()
        alive = [grant for grant in self._sessions if grant.expires > now]
        grant = _Grant(hash_token(secret), scopes, now + SIGN_IN_SESSION_SECONDS)
        self._sessions = [*alive[-(MAX_SESSIONS - 1) :], grant]
        return secret


def _find(grants: Iterable[Token | _Grant], secret: str) -> frozenset[Scope] | None:
    digest, found = hash_token(secret), None
    for grant in grants:
        # No early way out: how long this takes says nothing about which one it was.
        if hmac.compare_digest(grant.sha256, digest):
            found = grant.scopes
    return found
