"""Players cut bytes and lose none; a recording is the same after it was kept in a folder."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from unbraid.testing import Recording, byte_by_byte, lines, load, random_cuts, whole


@given(st.binary(max_size=300), st.integers())
def test_every_player_plays_every_byte(data: bytes, seed: int) -> None:
    for player in (whole(data), byte_by_byte(data), random_cuts(data, seed), lines(data)):
        assert b"".join(player) == data


@given(st.binary(max_size=300), st.integers())
def test_random_cuts_are_the_same_for_the_same_seed(data: bytes, seed: int) -> None:
    assert list(random_cuts(data, seed)) == list(random_cuts(data, seed))


@given(st.binary(max_size=300))
def test_a_line_ends_at_a_newline_and_nowhere_else(data: bytes) -> None:
    *full, last = [*lines(data), b""][: data.count(b"\n") + 1]
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in full)
    assert b"\n" not in last


def test_byte_by_byte() -> None:
    assert list(byte_by_byte(b"a\xff\n")) == [b"a", b"\xff", b"\n"]


def test_a_recording_survives_its_folder(tmp_path: Path) -> None:
    projects = tmp_path / "home" / "projects"
    session = projects / "-app" / "s1.jsonl"
    old_agent = projects / "-app" / "agent-a1.jsonl"
    agent = projects / "-app" / "s1" / "subagents" / "agent-a2.jsonl"
    for path in (session, old_agent, agent):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"sessionId": "s1"}\n')
    database = tmp_path / "home" / "opencode.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("create table session (id)")
        connection.execute("insert into session values ('ses_1')")
        connection.commit()
        made = Recording(
            "single",
            "2.0.76",
            "stdin",
            {"parents": {}, "blocks": [{"agent": "main", "text": "é\u2028"}]},
            lines=[b'{"a":1}', "\u2028é".encode()],
            times=[0.1, 0.25],
            sent=[{"t": 0.0, "line": {"type": "user"}}],
            exit=0,
            sse=b"data: {}\n\n",
            projects=projects,
            database=database,
        )
        # While a writer still holds it open, the last rows are in the write-ahead log alone.
        kept = load(made.save(tmp_path / "kept"))
    for name in ("scenario", "version", "mode", "truth", "lines", "times", "sent", "exit", "sse"):
        assert getattr(kept, name) == getattr(made, name)
    group = kept.transcripts["s1"]
    assert [path.name for path in group] == ["s1.jsonl", "agent-a1.jsonl", "agent-a2.jsonl"]
    assert kept.database is not None
    with closing(sqlite3.connect(kept.database)) as connection:
        assert connection.execute("select id from session").fetchall() == [("ses_1",)]


def test_a_recording_takes_the_place_of_another(tmp_path: Path) -> None:
    projects = tmp_path / "projects" / "p"
    projects.mkdir(parents=True)
    (projects / "s1.jsonl").write_text("{}\n")
    truth: dict[str, Any] = {"parents": {}, "blocks": []}
    first = Recording("single", "2.0.76", "stdin", truth, [b"{}"], projects=tmp_path / "projects")
    kept = tmp_path / "kept"
    first.save(kept)
    (kept / "notes.txt").write_text("mine")
    second = Recording("single", "1.18.33", "serve", truth, [b'{"b":2}'])
    again = load(second.save(kept))
    assert (again.lines, again.transcripts) == ([b'{"b":2}'], {})
    assert (kept / "notes.txt").read_text() == "mine"
