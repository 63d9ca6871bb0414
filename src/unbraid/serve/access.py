"""Identifies callers and what they may do: bearer tokens, and the cookie that a one-time link or a
token becomes; where they are kept; and how often one may try.

Tokens are 256 random bits, so a plain SHA-256 is enough to store them by: there is nothing to guess
at. Every compare looks at all of them in constant time. A link's code works once, and leaves a
cookie in the browser that no script can read; after the first click no address holds a secret. A
cookie that came from a token is worth what that token is worth now, so revoking the token ends it.
Files hold hashes, which are useless to someone who reads them.

Tries should not be free, and should not fill anything. The first few are answered at once. After
that the address they came from has to wait before the next, each time twice as long, and is
forgiven when it has been quiet.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeVar, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unbraid.errors import CallerError
from unbraid.system.atomic_file import write_atomically
from unbraid.system.home import data_folder, read_trusted
from unbraid.timings import SIGN_IN_SESSION_SECONDS

# A link to sign in works once; the day after, it is only something in a terminal's scrollback.
SIGN_IN_LINK_SECONDS = 24 * 3600
# After too many wrong tokens an address waits a second before the next try, then two, up to this.
SIGN_IN_LONGEST_WAIT_SECONDS = 60.0
# An address that has not tried for this long is forgiven.
SIGN_IN_FORGET_SECONDS = 600.0

Scope = Literal["ingest", "read", "control", "orchestrate", "admin"]

SCOPES: tuple[Scope, ...] = get_args(Scope)
# What a token may do if nothing else was said: everything but run programs on the server.
DEFAULT_SCOPES: frozenset[Scope] = frozenset(("ingest", "read", "control"))
OWNER_SCOPES: frozenset[Scope] = frozenset(("admin",))
# A caller that steers agents, or gives them tasks, sees what they say.
_INCLUDED: dict[Scope, tuple[Scope, ...]] = {
    "control": ("read",),
    "orchestrate": ("control", "read"),
    "admin": SCOPES,
}
COOKIE = "unbraid_session"
MAX_SESSIONS = 1000


class Token(Struct, frozen=True):
    """A bearer token as it is stored: its name, its hash, what it allows, and when it was made (in
    seconds since 1970; 0 if that was before tokens had scopes for everything).
    """

    name: str
    sha256: str
    scopes: frozenset[Scope] = DEFAULT_SCOPES
    created: int = 0


class SignedIn(Struct):
    """A browser that has signed in: until when, and with which token, if not with a link."""

    sha256: str
    scopes: frozenset[Scope]
    expires: float
    token_sha256: str | None = None


class Caller(Struct, frozen=True):
    """The sender of a request. `machine` is the name of its token, `credential` the hash of what it
    came with; the server's owner, who comes by its private folder, has neither.
    """

    scopes: frozenset[Scope]
    machine: str | None = None
    credential: str | None = None

    def may(self, needed: Scope) -> bool:
        """Returns whether its scopes allow this, or include one that does."""
        return needed in self.scopes or any(
            needed in _INCLUDED.get(scope, ()) for scope in self.scopes
        )


OWNER = Caller(OWNER_SCOPES)


def hash_token(secret: str) -> str:
    """Returns what is stored of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def new_token(name: str, scopes: Iterable[Scope] = DEFAULT_SCOPES) -> tuple[str, Token]:
    """Returns a fresh secret, to be shown once, and what to store of it."""
    secret = "unbraid_" + secrets.token_urlsafe(32)
    return secret, Token(name, hash_token(secret), frozenset(scopes), created=int(time.time()))


class _Link(Struct):
    sha256: str
    scopes: frozenset[Scope]
    expires: float


T = TypeVar("T", Token, SignedIn, _Link)


class Keys:
    """The tokens a server knows, its open links, its sessions, and what must end with them."""

    def __init__(
        self,
        tokens: Iterable[Token] = (),
        *,
        source: TokenFile | None = None,
        store: SignInFile | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._fixed, self._source, self._store = tuple(tokens), source, store
        self._clock = clock
        self._version: object = object()
        self._tokens: tuple[Token, ...] = self._fixed
        self._links: list[_Link] = []
        self._sessions = [] if store is None else store.load()
        self._endings: dict[object, tuple[Caller, Callable[[], None]]] = {}

    @property
    def any(self) -> bool:
        """Whether there is a token at all."""
        return bool(self._current())

    def of_token(self, secret: str) -> Caller | None:
        """Returns the caller with a bearer token; None if the token is not known (any more)."""
        token = _find(self._current(), secret)
        return None if token is None else Caller(token.scopes, token.name, token.sha256)

    def of_session(self, secret: str) -> Caller | None:
        """Returns the caller with a cookie; None if it is not known or too old, or its token was
        revoked.
        """
        session = _find(self._sessions, secret)
        return None if session is None else self._caller(session)

    def link(self, scopes: Iterable[Scope] = OWNER_SCOPES) -> str:
        """Returns a code that opens one session, once."""
        code = secrets.token_urlsafe(32)
        self._links = [link for link in self._links if link.expires > self._clock()]
        expires = self._clock() + SIGN_IN_LINK_SECONDS
        self._links.append(_Link(hash_token(code), frozenset(scopes), expires))
        return code

    def redeem(self, code: str) -> str | None:
        """Returns the secret of a new session for a link's code; None if the code is not valid (any
        more).
        """
        link = _find(self._links, code)
        if link is None or link.expires <= self._clock():
            return None
        self._links.remove(link)
        return self._open(link.scopes, None)

    def sign_in(self, token: str) -> str | None:
        """Returns the secret of a new session that allows the same as a bearer token; None if the
        token is not known.
        """
        caller = self.of_token(token)
        return None if caller is None else self._open(caller.scopes, caller.credential)

    def sign_out(self, secret: str) -> None:
        """Ends a session, and what is still being sent to it."""
        session = _find(self._sessions, secret)
        if session is not None:
            self._sessions = [each for each in self._sessions if each is not session]
            self._save()
            self.sweep()

    def sweep(self) -> None:
        """Ends what callers still get who are not let in any more."""
        valid = {token.sha256 for token in self._current()}
        valid |= {session.sha256 for session in self._sessions if self._caller(session)}
        for caller, end in list(self._endings.values()):
            if caller.credential is not None and caller.credential not in valid:
                end()

    @contextmanager
    def while_valid(self, caller: Caller, end: Callable[[], None]) -> Iterator[None]:
        """Calls `end`, perhaps more than once, if the caller is shut out while the block runs."""
        key = object()
        self._endings[key] = (caller, end)
        try:
            yield
        finally:
            del self._endings[key]

    def _current(self) -> tuple[Token, ...]:
        # Looked at with every request: a token that was revoked must not work once more.
        if self._source is not None and (version := self._source.version()) != self._version:
            try:
                self._tokens = (*self._fixed, *self._source.tokens())
            except CallerError:
                # It is unknown which tokens are left in a file that cannot be read.
                self._tokens = self._fixed
            self._version = version
        return self._tokens

    def _caller(self, session: SignedIn) -> Caller | None:
        if session.expires <= self._clock():
            return None
        if session.token_sha256 is None:
            return Caller(session.scopes, None, session.sha256)
        tokens = (each for each in self._current() if each.sha256 == session.token_sha256)
        token = next(tokens, None)
        return None if token is None else Caller(token.scopes, token.name, session.sha256)

    def _open(self, scopes: frozenset[Scope], token_sha256: str | None) -> str:
        secret, expires = secrets.token_urlsafe(32), self._clock() + SIGN_IN_SESSION_SECONDS
        alive = [session for session in self._sessions if self._caller(session)]
        opened = SignedIn(hash_token(secret), scopes, expires, token_sha256=token_sha256)
        self._sessions = [*alive[-(MAX_SESSIONS - 1) :], opened]
        self._save()
        return secret

    def _save(self) -> None:
        if self._store is not None:
            self._store.save(self._sessions)


def _find(among: Iterable[T], secret: str) -> T | None:
    digest, found = hash_token(secret), None
    for each in among:
        # No early way out: how long this takes says nothing about which one it was.
        if hmac.compare_digest(each.sha256, digest):
            found = each
    return found


class TokenFile:
    """Tokens by name, by default in the data folder."""

    NAME = "tokens.json"

    def __init__(self, path: Path | None = None) -> None:
        self._path = data_folder() / self.NAME if path is None else path

    def tokens(self) -> tuple[Token, ...]:
        """Returns all tokens there are."""
        try:
            found = msgspec.json.decode(read_trusted(self._path), type=tuple[Token, ...])
            return tuple(map(_with_all_scopes, found))
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.DecodeError) as error:
            raise CallerError(f"{self._path}: {error}") from error

    def version(self) -> object:
        """Returns something that differs after every change: each one puts a new file in place."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def add(self, name: str, scopes: Iterable[Scope] = DEFAULT_SCOPES) -> str:
        """Creates a token; its secret is returned now and never again."""
        if not name or not name.isprintable():
            raise CallerError(f"not a valid name: {name!r}")
        kept = self.tokens()
        if any(token.name == name for token in kept):
            raise CallerError(f"a token named {name} already exists")
        secret, token = new_token(name, scopes)
        self._write((*kept, token))
        return secret

    def revoke(self, name: str) -> None:
        """Deletes a token; servers that run refuse it from now on."""
        kept = self.tokens()
        left = tuple(token for token in kept if token.name != name)
        if len(left) == len(kept):
            raise CallerError(f"token not found: {name}")
        self._write(left)

    def _write(self, tokens: tuple[Token, ...]) -> None:
        try:
            write_atomically(self._path, msgspec.json.encode(tokens), private_folder=True)
        except OSError as error:
            raise CallerError(f"{self._path}: cannot be written ({error.strerror})") from error


class SignInFile:
    """The browsers that are signed in to a server, so that they still are when it starts again."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> list[SignedIn]:
        """Returns those that were kept; none if that cannot be said, and they sign in again."""
        try:
            return msgspec.json.decode(read_trusted(self._path), type=list[SignedIn])
        except (OSError, msgspec.DecodeError):
            return []

    def save(self, sessions: list[SignedIn]) -> None:
        """Keeps these, and no others."""
        with suppress(OSError):  # they work without, until the server ends
            data = msgspec.json.encode(sessions)
            write_atomically(self._path, data, durable=False, private_folder=True)


def _with_all_scopes(token: Token) -> Token:
    # Tokens from before there were scopes for it could send runs if they could steer. They still
    # can; what they could also do, run programs on the server, needs a new token.
    old = token.created == 0 and "control" in token.scopes
    return replace(token, scopes=token.scopes | {"ingest"}) if old else token


MAX_ADDRESSES = 10_000


class _Tries(Struct):
    failed: int = 0
    latest: float = 0.0
    blocked_until: float = 0.0


class Throttle:
    """Failed tries by address."""

    def __init__(self, free: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._free, self._clock = free, clock
        self._tries: dict[str, _Tries] = {}

    def wait_seconds(self, address: str) -> float:
        """Returns how long an address has to wait before its next try; 0 if it may try now."""
        tries = self._tries.get(_network(address))
        return 0.0 if tries is None else max(0.0, tries.blocked_until - self._clock())

    def failed(self, address: str) -> None:
        """Notes a try that failed."""
        now, key = self._clock(), _network(address)
        tries = self._tries.pop(key, None)
        if tries is None or now - tries.latest > SIGN_IN_FORGET_SECONDS:
            tries = _Tries()
        tries.failed, tries.latest = tries.failed + 1, now
        if tries.failed >= self._free:
            doubled = min(tries.failed - self._free, 16)
            tries.blocked_until = now + min(2.0**doubled, SIGN_IN_LONGEST_WAIT_SECONDS)
        self._tries[key] = tries
        if len(self._tries) > MAX_ADDRESSES:
            # The first in the dict is the one that has been quiet for the longest time.
            del self._tries[next(iter(self._tries))]

    def succeeded(self, address: str) -> None:
        """Forgets an address."""
        self._tries.pop(_network(address), None)


def _network(address: str) -> str:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    # A caller with one IPv6 address has a whole network of them.
    return address if found.version == 4 else str(ipaddress.ip_network((found, 64), strict=False))
