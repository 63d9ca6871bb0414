"""The tokens that a server accepts and the browsers that have signed in, in files of hashes, which
are useless to someone who reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from unbraid.errors import CallerError
from unbraid.serve.access.auth import DEFAULT_SCOPES, Scope, SignedIn, Token, new_token
from unbraid.system.atomic_file import write_atomically
from unbraid.system.home import data_folder, read_trusted

FILE_NAME = "tokens.json"


class TokenFile:
    """Tokens by name, by default in the data folder."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = data_folder() / FILE_NAME if path is None else path

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
