"""A session's files, written each by itself, read with causes first."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from unbraid.agents.claude.heads import ending_of
from unbraid.agents.claude.sessions.follower import CHILD_ANSWER_TIMEOUT_SECONDS, Session
from unbraid.timings import CHILD_FILE_SETTLE_SECONDS, FILE_DATE_TICK_SECONDS

CHILD = "subagents/agent-a1.jsonl"


def line(kind: str, content: Any, **more: Any) -> bytes:
    record = {"type": kind, "isSidechain": False, "message": {"content": content}, **more}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


TASK = line("user", "Do your part.", timestamp="2026-01-01T00:00:00.000Z")
CALL = line("assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}])
ANSWER = line("assistant", [{"type": "text", "text": "Done."}])
RESULT = [{"type": "tool_result", "tool_use_id": "c", "content": "Done."}]
REPORT = line("user", RESULT, toolUseResult={"status": "completed", "agentId": "a1"})
LAUNCH = line("user", RESULT, toolUseResult={"status": "async_launched", "agentId": "a1"})

# What a sub-agent reads of its own helper's end: nothing stands beside it.
FACTS = {"agentType": "general-purpose", "toolUseId": "c", "spawnDepth": 2}
AFTERWORD = "agentId: a2 (use SendMessage with to: 'a2' to continue this agent)"


def result_for_helper(*texts: str) -> bytes:
    parts = [{"type": "text", "text": text} for text in texts]
    return line("user", [{"type": "tool_result", "tool_use_id": "c", "content": parts}])


class Files:
    """A session on disk, a reader of it, and the time."""

    def __init__(self, folder: Path) -> None:
        self.main = folder / "s.jsonl"
        self.child = folder / "s" / CHILD
        self.child.parent.mkdir(parents=True)
        self.now = 0.0
        self.main.write_bytes(TASK)
        self.child.write_bytes(TASK)
        self.session = Session(self.main, clock=lambda: self.now)
        self.read()

    def write(self, path: Path, *lines: bytes) -> None:
        with path.open("ab") as file:
            file.writelines(lines)

    def read(self, *, after: float = 0.0) -> list[bytes]:
        """The lines that are given out after that many seconds, in order."""
        self.now += after
        fed = b"".join(piece.data for piece in self.session.drain())
        return fed.splitlines(keepends=True)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_an_end_waits_for_the_answer_of_the_agent_that_has_ended(files: Files) -> None:
    files.write(files.child, CALL)
    files.write(files.main, REPORT)
    assert files.read() == [CALL]
    assert files.read(after=CHILD_ANSWER_TIMEOUT_SECONDS / 2) == []
    assert files.session.unsettled
    files.write(files.child, ANSWER)
    assert files.read() == [ANSWER, REPORT]


def test_who_is_asked_again_at_once_has_ended_before(files: Files) -> None:
    """The end is held back for a moment in which the agent has its next task already."""
    report = REPORT.replace(b'{"type"', b'{"timestamp":"2026-01-01T00:00:02.000Z","type"', 1)
    again = TASK.replace(b"00:00:00", b"00:00:03")
    files.write(files.child, ANSWER)
    files.write(files.main, report)
    assert files.read() == [ANSWER]
    files.write(files.child, again, CALL)
    assert files.read(after=CHILD_FILE_SETTLE_SECONDS / 2) == []
    assert files.session.unsettled
    assert files.read(after=CHILD_FILE_SETTLE_SECONDS) == [report, again, CALL]


def test_an_answer_that_is_not_read_yet_is_none(files: Files) -> None:
    files.write(files.child, ANSWER)
    assert files.session.awaits(ending_of(REPORT))
    assert files.read() == [ANSWER]
    assert not files.session.awaits(ending_of(REPORT))


def test_a_half_written_answer_is_none(files: Files) -> None:
    files.write(files.main, REPORT)
    files.write(files.child, ANSWER[:-1])
    assert files.read() == []
    assert files.read(after=CHILD_ANSWER_TIMEOUT_SECONDS / 2) == []
    files.write(files.child, b"\n")
    assert files.read() == [ANSWER, REPORT]


def test_an_end_that_nobody_explains_is_read_in_the_end(files: Files) -> None:
    files.write(files.main, REPORT)
    assert files.read() == []
    assert files.read(after=CHILD_ANSWER_TIMEOUT_SECONDS) == [REPORT]


def test_an_agent_that_was_only_launched_is_not_waited_for(files: Files) -> None:
    files.write(files.main, LAUNCH)
    files.read()
    assert files.read(after=CHILD_FILE_SETTLE_SECONDS) == [LAUNCH]


class Deep(Files):
    """With a helper of the helper: `deepest` is its file."""

    def __init__(self, folder: Path, facts: dict[str, Any]) -> None:
        super().__init__(folder)
        self.deepest = self.child.with_name("agent-a2.jsonl")
        self.deepest.write_bytes(TASK)
        self.deepest.with_suffix(".meta.json").write_text(json.dumps(facts))
        self.read()


@pytest.mark.parametrize("facts", [FACTS, {"agentType": "general-purpose"}], ids=["call", "none"])
def test_the_end_of_a_helper_of_a_helper_waits_for_its_answer_too(
    tmp_path: Path, facts: dict[str, Any]
) -> None:
    files = Deep(tmp_path, facts)
    # 2.1.112 names no call in the facts, but the helper's id in the text.
    report = result_for_helper("Done.", *([] if "toolUseId" in facts else [AFTERWORD]))
    files.write(files.deepest, CALL)
    files.write(files.child, report)
    assert files.read() == [CALL]
    assert files.read(after=CHILD_ANSWER_TIMEOUT_SECONDS / 2) == []
    files.write(files.deepest, ANSWER)
    assert files.read() == [ANSWER, report]


def test_a_helper_of_a_helper_that_was_only_launched_is_not_waited_for(tmp_path: Path) -> None:
    files = Deep(tmp_path, FACTS)
    launch = result_for_helper("Async agent launched successfully.\nagentId: a2 (internal ID)")
    files.write(files.child, launch)
    assert files.read() == [launch]


def test_what_waits_is_given_out_at_once_to_whoever_cannot_wait(files: Files) -> None:
    files.write(files.main, REPORT)
    assert files.read() == []
    assert b"".join(piece.data for piece in files.session.drain(now=True)) == REPORT
    assert not files.session.unsettled
    files.write(files.main, TASK)
    assert files.read() == [TASK]


def test_lines_behind_one_that_waits_stay_behind_it(files: Files) -> None:
    files.write(files.main, TASK, REPORT, CALL)
    assert files.read() == [TASK]
    files.write(files.main, TASK)
    files.write(files.child, ANSWER)
    assert files.read(after=CHILD_FILE_SETTLE_SECONDS) == [ANSWER, REPORT, CALL, TASK]
    assert not files.session.unsettled


def test_a_file_that_is_written_anew_while_a_line_waits_is_read_anew(files: Files) -> None:
    files.write(files.main, REPORT)
    assert files.read() == []
    files.main.write_bytes(CALL)
    assert files.read() == [CALL]
    files.write(files.main, TASK)
    assert files.read() == [TASK]
    assert not files.session.unsettled


def test_a_file_is_found_in_folders_that_had_not_changed_for_long(files: Files) -> None:
    """They are listed again only if their times have changed."""
    top = files.child.parent
    for inner in ("", "workflows", "workflows/w1"):
        (top / inner).mkdir(exist_ok=True)
        for _ in range(2):  # the time of a new folder is kept by the second look
            assert files.read() == []
            time.sleep(2 * FILE_DATE_TICK_SECONDS)
        files.write(top / inner / f"agent-{len(inner)}.jsonl", TASK)
        assert files.read() == [TASK]


def test_a_file_is_found_in_a_folder_that_was_not_there(tmp_path: Path) -> None:
    main = tmp_path / "s.jsonl"
    main.write_bytes(TASK)
    session = Session(main)
    assert [chunk.data for chunk in session.drain()] == [TASK]
    assert list(session.drain()) == []
    child = tmp_path / "s" / CHILD
    child.parent.mkdir(parents=True)
    assert list(session.drain()) == []
    child.write_bytes(TASK)
    assert [chunk.data for chunk in session.drain()] == [TASK]
