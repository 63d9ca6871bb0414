"""The tokens that a server accepts, in a file of hashes: who reads it cannot come in with it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from unbraid.errors import CallerError
from unbraid.log.folder import data_folder
from unbraid.serve.auth import ALL_SCOPES, Scope, Token, new_token

FILE_NAME = "tokens.json"


class TokenFile:
    """Tokens by name, by default in the data folder."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = data_folder() / FILE_NAME if path is None else path

    def tokens(self) -> tuple[Token, ...]:
        """Returns all tokens there are."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=tuple[Token, ...])
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.DecodeError) as error:
            raise CallerError(f"{self._path}: {error}") from error

    def add(self, name: str, scopes: Iterable[Scope] = ALL_SCOPES) -> str:
        """Creates a token; its secret is returned now and never again."""
        if not name or not name.isprintable():
            raise CallerError(f"not a valid name: {name!r}")
        kept = self.tokens()
        if any(token.name == name for token in kept):
            raise CallerError(f"there is a token named {name}")
        secret, token = new_token(name, scopes)
        self._write((*kept, token))
        return secret

    def revoke(self, name: str) -> None:
        """Take a token away; a server that runs keeps its own until it is started again."""
        kept = self.tokens()
        left = tuple(token for token in kept if token.name != name)
        if len(left) == len(kept):
            raise CallerError(f"token not found: {name}")
        self._write(left)

    def _write(self, tokens: tuple[Token, ...]) -> None:
        # Written beside and moved into place: a crash leaves the old file or the new one, never
        # half of one.
        beside = self._path.with_suffix(f".{os.getpid()}")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.touch(mode=0o600)
            beside.write_bytes(msgspec.json.encode(tokens))
            beside.replace(self._path)
        except OSError as error:
            raise CallerError(f"{self._path}: cannot be written ({error.strerror})") from error
