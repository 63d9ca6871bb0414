"""Which messages of a session were copied into it, though nothing in its transcript says so."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from unbraid.agents.claude.sessions import beginnings
from unbraid.agents.claude.sessions.beginnings import Beginnings, First


def transcript(path: Path, *messages: str) -> Path:
    rows = [{"type": "assistant", "message": {"id": id, "usage": {}}} for id in messages]
    lines = [json.dumps(row, separators=(",", ":")) + "\n" for row in rows]
    path.write_text("".join(lines))
    return path


def test_what_a_fork_has_in_common_with_its_original(tmp_path: Path) -> None:
    firsts = Beginnings()
    original = transcript(tmp_path / "a.jsonl")
    fork = transcript(tmp_path / "b.jsonl", "m1", "m2", "m3")
    assert firsts.copied(fork) == []
    # It had no message when it was looked at first.
    os.utime(transcript(original, "m1", "m2", "m4"), (1, 1))
    transcript(tmp_path / "c.jsonl", "m9")
    assert firsts.copied(fork) == ["m1", "m2"]
    assert firsts.copied(original) == []


def test_files_that_are_cut_or_deleted_meanwhile_are_no_error(tmp_path: Path) -> None:
    firsts = Beginnings()
    original = transcript(tmp_path / "a.jsonl", "m1")
    fork = transcript(tmp_path / "b.jsonl", "m1", "m2")
    os.utime(original, (1, 1))
    (tmp_path / "gone.jsonl").symlink_to("nowhere")
    assert firsts.copied(fork) == ["m1"]
    third = transcript(tmp_path / "d.jsonl", "m1")
    assert firsts.copied(fork) == ["m1"]
    third.unlink()
    assert firsts.copied(fork) == ["m1"], "one that was alike is there no more"
    original.write_bytes(b"")
    assert firsts.copied(fork) == []
    fork.unlink()
    assert firsts.copied(fork) == []


def test_a_transcript_that_two_threads_find_is_not_compared_with_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    firsts, main = Beginnings(), transcript(tmp_path / "a.jsonl", "m1")
    read = beginnings.first_message
    others: list[threading.Thread] = []

    def first_message(path: str) -> First | None:
        if not others:
            others.append(threading.Thread(target=firsts.copied, args=(main,)))
            others[0].start()
        return read(path)

    compared: list[list[str]] = []
    monkeypatch.setattr(beginnings, "first_message", first_message)
    monkeypatch.setattr(beginnings, "originals_first", compared.append)
    assert firsts.copied(main) == []
    (other,) = others
    other.join()
    assert compared == []
