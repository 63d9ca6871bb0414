"""Search over files: what agents said is found, whatever its case; what they did not say is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.said import FOLDERS
from unbraid.sources.search import search_files
from unbraid.testing import load

WITH_PROJECTS = [folder for folder in FOLDERS if (folder / "projects").is_dir()]


@pytest.fixture(params=["grep", "no grep"], autouse=True)
def grep(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "no grep":
        monkeypatch.setattr(shutil, "which", lambda name: None)


@pytest.mark.parametrize("folder", WITH_PROJECTS, ids=lambda folder: folder.name)
def test_every_text_is_found_in_its_session(folder: Path) -> None:
    recording = load(folder)
    env = {"CLAUDE_CONFIG_DIR": str(folder)}
    texts = [block["text"] for block in recording.blocks if block["type"] == "text"]
    for text in texts if recording.scenario != "interrupt" else ():
        words = text[:40]
        found = list(search_files(words.upper() if words.isascii() else words, env))
        assert found, words
        assert all(words.lower() in place.snippet.lower() for place in found)


def test_what_nobody_said_is_not_found() -> None:
    env = {"CLAUDE_CONFIG_DIR": str(WITH_PROJECTS[0])}
    assert list(search_files("isSidechain", env)) == []
    assert list(search_files("nobody said this", env)) == []


def test_it_stops_when_there_is_enough() -> None:
    (folder,) = [folder for folder in FOLDERS if folder.name.startswith("deep-fan.plain.2.1.197")]
    assert len(list(search_files("lead", {"CLAUDE_CONFIG_DIR": str(folder)}, limit=2))) == 2
