"""Folders that others write to: by inotify where that works, else by looking everywhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from unbraid.system import folders
from unbraid.system.folders import folder_changes


def warned(text: str) -> None:
    raise AssertionError(text)


async def test_what_inotify_may_have_missed_is_looked_for_once(tmp_path: Path) -> None:
    async with (
        asyncio.timeout(60),
        aclosing(folder_changes(lambda: [tmp_path], inotify=True, warn=warned)) as found,
    ):
        first = await anext(found)
        assert (first.folders, first.everywhere) == ([tmp_path], True)
        (tmp_path / "new").write_bytes(b"")
        while tmp_path / "new" not in (look := await anext(found)).paths:
            assert not look.everywhere


async def test_folders_may_come_later(tmp_path: Path) -> None:
    later = tmp_path / "later"
    async with (
        asyncio.timeout(60),
        aclosing(
            folder_changes(lambda: [later] if later.is_dir() else [], inotify=True, warn=warned)
        ) as found,
    ):
        next_look = asyncio.ensure_future(anext(found))
        await asyncio.sleep(0)
        later.mkdir()
        assert (await next_look).folders == [later]


async def test_where_inotify_does_not_work_everything_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(places: Sequence[Path]) -> AsyncGenerator[list[Path], None]:
        raise OSError("no more watches")
        yield []

    monkeypatch.setattr("unbraid.system.folders.reported_changes", broken)
    monkeypatch.setattr(folders, "FOLDER_POLL_SECONDS", 0.01)
    warnings: list[str] = []
    async with (
        asyncio.timeout(60),
        aclosing(folder_changes(lambda: [tmp_path], inotify=True, warn=warnings.append)) as found,
    ):
        for _ in range(3):
            assert (await anext(found)).everywhere
    assert warnings == ["inotify does not work here (no more watches): looking every few seconds"]
