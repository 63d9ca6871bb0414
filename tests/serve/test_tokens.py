"""Tokens on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.full_disk import full_disk
from unbraid.errors import CallerError
from unbraid.serve.access import Keys, TokenFile


def test_tokens_are_kept_by_hash_only(tmp_path: Path) -> None:
    path = tmp_path / "home" / "tokens.json"
    secret = TokenFile(path).add("ci", ["read"])
    other = TokenFile(path).add("me")
    assert secret not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    keys = Keys(TokenFile(path).tokens())
    reader, all_but_programs = keys.of_token(secret), keys.of_token(other)
    assert reader is not None and reader.scopes == {"read"}
    assert all_but_programs is not None
    assert all_but_programs.scopes == {"ingest", "read", "control"}
    assert keys.of_token(secret[:-1]) is None


def test_names_are_given_once_and_can_be_revoked(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    assert tokens.tokens() == ()
    tokens.add("ci")
    with pytest.raises(CallerError):
        tokens.add("ci")
    tokens.revoke("ci")
    assert tokens.tokens() == ()
    with pytest.raises(CallerError):
        tokens.revoke("ci")


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tokens.json").write_text("{")
    with pytest.raises(CallerError):
        TokenFile(tmp_path / "tokens.json").tokens()


def test_a_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with full_disk(), pytest.raises(CallerError, match="cannot be written"):
        TokenFile(tmp_path / "tokens.json").add("ci")
    assert not [*tmp_path.iterdir()]
