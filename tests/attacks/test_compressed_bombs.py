"""Attack: an agent leaves a small compressed session that unpacks to terabytes.

Memory was bounded, but time was not: some hundred kilobytes kept every search busy for as long as
their writer liked, and the parts of one endless line were put together again with each part.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid.agents.codex import rollouts
from unbraid.agents.codex.rollouts import PackedTail, rollout_bytes, zstd_module
from unbraid.system.file_tail import Place

NAME = "rollout-2026-01-01T00-00-00-01900000-0000-7000-8000-000000000001.jsonl.zst"
LINE = b'{"type":"session_meta"}\n'
BLOCK_BYTES = 1 << 20


def bomb(folder: Path, megabytes: int) -> Path:
    """A first line, and a second of zeros."""
    path = folder / NAME
    packer = zstd_module(path).ZstdCompressor(level=1)
    parts = [packer.compress(LINE)]
    parts += [packer.compress(bytes(BLOCK_BYTES)) for _ in range(megabytes)]
    path.write_bytes(b"".join([*parts, packer.flush()]))
    return path


def test_no_more_is_unpacked_than_a_session_can_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollouts, "MIN_UNPACKED_BYTES", BLOCK_BYTES)
    path = bomb(tmp_path, 64)
    most = rollouts.MAX_RATIO * path.stat().st_size
    assert most < 64 * BLOCK_BYTES
    read = b"".join(rollout_bytes(path))
    assert read.startswith(LINE)
    assert len(read) < most + BLOCK_BYTES
    assert b"unpacks to more than any session" in read


def test_every_byte_is_given_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbraid.agents.codex.rollouts.DEFAULT_MAX_LINE_BYTES", 300_000)
    path = bomb(tmp_path, 4)
    whole = b"".join(rollout_bytes(path))
    for offset in (0, 5, len(LINE), len(LINE) + 1_000_000):
        chunks = list(PackedTail(path, Place(1, offset)).read())
        assert b"".join(chunk.data for chunk in chunks) == whole[offset:]
        assert [chunk.offset for chunk in chunks][:1] == [offset]
        assert max(len(chunk.data) for chunk in chunks) <= 300_000 + (1 << 19)
