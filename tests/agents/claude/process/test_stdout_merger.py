"""The order of stdout and transcripts, by a clock of our own."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

from tests.record.watch.writing import Writer, append
from unbraid.agents.claude.process.launch import (
    OWN_TRANSCRIPT_DELAY_SECONDS,
    STDOUT_TWIN_SETTLE_SECONDS,
    STDOUT_TWIN_TIMEOUT_SECONDS,
    TRANSCRIPTS_QUIET_SECONDS,
    StdoutTranscriptMerger,
)
from unbraid.agents.claude.sessions.follower import Session

TASK = {"description": "look", "prompt": "Look.", "subagent_type": "Explore"}
SPAWN = {"type": "tool_use", "id": "toolu_1", "name": "Agent", "input": TASK}
BASH = {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {"command": "make"}}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def printed(line: bytes, parent: str | None = None) -> bytes:
    """A transcript's line as stdout has it."""
    record = json.loads(line)
    kept = {key: record[key] for key in ("type", "message", "uuid")}
    return _line({**kept, "session_id": record["sessionId"], "parent_tool_use_id": parent})


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def merging(writer: Writer, clock: Clock, *, version: str | None) -> StdoutTranscriptMerger:
    """One that has seen the agent begin, and call for help."""
    merger = StdoutTranscriptMerger(clock, lambda session: Session(writer.main))
    init = {"type": "system", "subtype": "init", "session_id": writer.session}
    named = {} if version is None else {"claude_code_version": version}
    merger.line(_line({**init, "uuid": str(uuid.uuid4()), **named}))
    spawning = writer.answer([SPAWN])
    append(writer.main, writer.prompt() + spawning)
    merger.line(printed(spawning))
    list(merger.read())
    return merger


def test_a_sub_agent_that_is_printed_before_its_file_is_made_is_waited_for(tmp_path: Path) -> None:
    writer, clock = Writer(tmp_path), Clock()
    merger = merging(writer, clock, version="2.0.30")
    call = writer.answer([BASH], "a1")
    merger.line(printed(call, "toolu_1"))
    assert b"toolu_2" not in b"".join(chunk.data for chunk in merger.read())
    append(writer.child("a1", "toolu_1"), writer.text("before the call", "a1") + call)
    assert b"before the call" in b"".join(chunk.data for chunk in merger.read())
    clock.now += STDOUT_TWIN_SETTLE_SECONDS
    assert b"toolu_2" in b"".join(chunk.data for chunk in merger.read())


def test_the_wait_for_a_file_is_bounded(tmp_path: Path) -> None:
    writer, clock = Writer(tmp_path), Clock()
    merger = merging(writer, clock, version="2.0.30")
    merger.line(printed(writer.answer([BASH], "a1"), "toolu_1"))
    assert b"toolu_2" not in b"".join(chunk.data for chunk in merger.read())
    clock.now += STDOUT_TWIN_TIMEOUT_SECONDS
    assert b"toolu_2" in b"".join(chunk.data for chunk in merger.read())


def test_where_sub_agents_have_no_files_nothing_is_waited_for(tmp_path: Path) -> None:
    writer, clock = Writer(tmp_path), Clock()
    merger = merging(writer, clock, version=None)
    merger.line(printed(writer.answer([BASH], "a1"), "toolu_1"))
    assert b"toolu_2" in b"".join(chunk.data for chunk in merger.read())


def test_the_sessions_own_file_goes_last_unless_stdout_stalls(tmp_path: Path) -> None:
    writer, clock = Writer(tmp_path), Clock()
    merger = merging(writer, clock, version="2.0.30")
    clock.now += OWN_TRANSCRIPT_DELAY_SECONDS
    list(merger.read())
    said = writer.text("said in both")
    append(writer.main, said)
    assert list(merger.read()) == []
    merger.line(printed(said))
    assert [chunk.source for chunk in merger.read()] == ["main.jsonl@1+0", "stdout"]
    append(writer.main, writer.text("in the file alone"))
    assert list(merger.read()) == []
    clock.now += OWN_TRANSCRIPT_DELAY_SECONDS
    (alone,) = merger.read()
    assert b"in the file alone" in alone.data


def test_at_the_end_nothing_waits(tmp_path: Path) -> None:
    writer, clock = Writer(tmp_path), Clock()
    merger = merging(writer, clock, version="2.0.30")
    merger.line(printed(writer.answer([BASH], "a1"), "toolu_1"))
    append(writer.main, writer.text("last words"))
    rest = b"".join(chunk.data for chunk in merger.read(last=True))
    assert rest.index(b"toolu_2") < rest.index(b"last words")
    assert list(merger.read(last=True)) == []


def test_at_the_end_a_file_goes_before_what_is_printed_of_it(tmp_path: Path) -> None:
    """The file's numbers are final, and stdout's are not: also of words that follow the end of an
    agent, which would have to settle while the process runs."""
    writer, clock = Writer(tmp_path), Clock()
    merger = merging(writer, clock, version="2.1.325")
    helped = {"type": "tool_result", "tool_use_id": "toolu_3", "content": "helped"}
    append(writer.child("a2", "toolu_3"), writer.text("helped", "a2"))
    result = writer.line("user", {"role": "user", "content": [helped]}, "a1")
    last = writer.text("last words", "a1")
    append(writer.child("a1", "toolu_1"), writer.answer([SPAWN | {"id": "toolu_3"}], "a1"))
    list(merger.read())
    append(writer.child("a1", "toolu_1"), result + last)
    merger.line(printed(last, "toolu_1"))
    said = [chunk.source for chunk in merger.read(last=True) if b"last words" in chunk.data]
    assert said == ["subagents/agent-a1.jsonl@1+0", "stdout"]


def test_an_end_without_a_twin_waits_until_the_transcripts_are_quiet(tmp_path: Path) -> None:
    writer, clock = Writer(tmp_path), Clock()
    merger = merging(writer, clock, version="2.1.325")
    child = writer.child("a1", "toolu_1")
    append(child, writer.text("begun", "a1"))
    list(merger.read())
    ended = {"type": "system", "subtype": "task_notification", "session_id": writer.session}
    merger.line(_line({**ended, "uuid": str(uuid.uuid4()), "status": "stopped"}))
    for word in ("one", "two", "three"):
        clock.now += TRANSCRIPTS_QUIET_SECONDS
        append(child, writer.text(word, "a1"))
        assert [word.encode() in chunk.data for chunk in merger.read()] == [True]
    clock.now += TRANSCRIPTS_QUIET_SECONDS
    (last,) = (chunk for chunk in merger.read() if chunk.source == "stdout")
    assert b"task_notification" in last.data


def begun(writer: Writer, clock: Clock, *, is_announced: bool = False) -> StdoutTranscriptMerger:
    """One whose process has printed that it begins, and that has no transcript yet."""

    def find(session: str) -> Session | None:
        return Session(writer.main) if writer.main.exists() else None

    merger = StdoutTranscriptMerger(clock, find, is_announced=is_announced)
    init = {"type": "system", "subtype": "init", "session_id": writer.session}
    merger.line(_line({**init, "uuid": str(uuid.uuid4())}))
    assert len(list(merger.read())) == 1
    return merger


def test_an_answer_waits_for_what_was_asked(tmp_path: Path) -> None:
    writer, clock = Writer(tmp_path), Clock()
    merger = begun(writer, clock)
    asked, answer = writer.prompt(), writer.answer([BASH])
    merger.line(printed(answer))
    assert list(merger.read()) == []
    clock.now = STDOUT_TWIN_TIMEOUT_SECONDS / 2
    append(writer.main, asked)
    assert [chunk.data for chunk in merger.read()] == [asked, printed(answer)]


def test_an_answer_waits_only_so_long_and_not_at_all_if_the_prompt_is_known(tmp_path: Path) -> None:
    writer, clock = Writer(tmp_path), Clock()
    merger = begun(writer, clock)
    answer = printed(writer.answer([BASH]))
    merger.line(answer)
    assert list(merger.read()) == []
    clock.now = STDOUT_TWIN_TIMEOUT_SECONDS
    assert [chunk.data for chunk in merger.read()] == [answer]
    merger = begun(writer, clock, is_announced=True)
    merger.line(answer)
    assert [chunk.data for chunk in merger.read()] == [answer]
