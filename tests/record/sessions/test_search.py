"""Search over files: what agents said is found, whatever its case; what they did not say is not."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.block_rows import FOLDERS
from unbraid.agents.port import SearchHit
from unbraid.fold.query import words_of
from unbraid.record.sessions.stored_sessions import search_files
from unbraid.testing import load

WITH_PROJECTS = [folder for folder in FOLDERS if (folder / "projects").is_dir()]

WITH_DATABASE = [folder for folder in FOLDERS if (folder / "opencode.db").is_file()]


@pytest.fixture(params=["rg", "grep", None], autouse=True)
def finder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the one program, with the other, without any."""
    program = shutil.which(request.param) if request.param is not None else None
    if program is None and request.param is not None:
        pytest.skip(f"there is no {request.param} here")
    monkeypatch.setattr(shutil, "which", lambda name: program if name == request.param else None)


def found(query: str, folder: Path, **which: Any) -> list[SearchHit]:
    env = {"CLAUDE_CONFIG_DIR": str(folder), "OPENCODE_DB": str(folder / "opencode.db")}
    return search_files(query, env, **which)


@pytest.mark.parametrize("folder", WITH_PROJECTS + WITH_DATABASE, ids=lambda folder: folder.name)
def test_every_text_is_found_in_its_session(folder: Path) -> None:
    recording = load(folder)
    texts = [block["text"] for block in recording.blocks if block["type"] == "text"]
    for text in texts if recording.scenario != "interrupt" else ():
        words = text.replace('"', "\n").strip().split("\n")[0][:40]
        if not any(map(str.isalnum, words)):
            continue
        places = found(f'"{words.upper() if words.isascii() else words}"', folder)
        assert places, words
        # Only the words count, and not what is between them.
        wanted = " ".join(words_of(words))
        assert all(wanted in " ".join(words_of(place.snippet)) for place in places)


def test_a_sub_agents_words_are_its_own() -> None:
    (claude,) = [folder for folder in FOLDERS if folder.name == "nested.plain-fwd.2.1.325"]
    (opencode,) = [folder for folder in FOLDERS if folder.name == "nested.run.opencode"]
    for folder in (claude, opencode):
        # All words in one block, in any order. Its parent was given them, and did not say them.
        places = found("answered LEAF", folder)
        (run,) = {place.run for place in places}
        (said,) = [place for place in places if place.snippet == "leaf answered"]
        assert said.agent_id not in (None, run)
        assert {place.agent_id for place in places} == {said.agent_id}
        assert found("leaf answered nowhere", folder) == []
        assert found("answered leaf", folder, known={run}) == []


def test_what_nobody_said_is_not_found() -> None:
    assert found("isSidechain", WITH_PROJECTS[0]) == []
    assert found("nobody said this", WITH_PROJECTS[0]) == []
    assert found("step-start", WITH_DATABASE[0]) == []
    assert found('%_!"', WITH_DATABASE[0]) == []


def test_it_stops_when_there_is_enough() -> None:
    (folder,) = [folder for folder in FOLDERS if folder.name.startswith("deep-fan.plain.2.1.197")]
    assert len(found("lead", folder, limit=2)) == 2
