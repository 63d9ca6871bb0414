"""Files as sources: their names are in logs, and say everything that a restart needs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unbraid.agents.files import (
    RecordedFile,
    begin_chunks,
    file_name,
    recorded_files,
    source_name,
)
from unbraid.agents.port import Recorded
from unbraid.read.chunk import Chunk
from unbraid.system.file_tail import Place

NUMBER = st.integers(min_value=0, max_value=1 << 60)


def test_names_are_those_of_the_logs_that_exist() -> None:
    assert source_name("main.jsonl") == "main.jsonl@1+0"
    assert source_name("subagents/agent-a1.jsonl", 2, 70) == "subagents/agent-a1.jsonl@2+70"
    assert source_name("my flow/ä.jsonl") == "my_flow/_.jsonl@1+0"
    assert source_name("x" * 300) == f"{'x' * 200}@1+0"


@given(st.text(min_size=1), NUMBER, NUMBER, NUMBER)
def test_every_name_says_which_file_it_is_and_from_where_on(
    name: str, generation: int, base: int, offset: int
) -> None:
    recorded = Recorded(offsets={source_name(name, generation, base): offset}, is_new=False)
    known = RecordedFile(Place(generation, base + offset), base)
    assert recorded_files(recorded) == {file_name(name): known}


def test_a_new_run_begins_behind_what_any_earlier_one_has() -> None:
    earlier = {"a@1+0": 40, "a@1+40": 20, "b@1+0": 90, "b@2+0": 7, "stdout": 5}
    recorded = Recorded(earlier=earlier)
    assert recorded_files(recorded) == {
        "a": RecordedFile(Place(1, 60), 60),
        "b": RecordedFile(Place(2, 7), 7),
    }


def test_the_head_of_a_file_is_known_only_if_the_run_has_its_first_bytes() -> None:
    ends = dict.fromkeys(("a@1+0", "b@1+9"), (b"{", b"}"))
    known = recorded_files(Recorded(dict.fromkeys(ends, 3), ends, is_new=False))
    assert known == {
        "a": RecordedFile(Place(1, 3, b"{", tail=b"}"), 0),
        "b": RecordedFile(Place(1, 12, b"", tail=b"}"), 9),
    }


def test_a_file_that_was_rewritten_belongs_to_the_run_from_its_first_byte_on() -> None:
    known = RecordedFile.from_end(1, 70)
    assert known.chunk("a", 1, Chunk("a", 75, b"x")) == Chunk("a@1+70", 5, b"x")
    assert known.chunk("a", 2, Chunk("a", 75, b"x")) == Chunk("a@2+0", 75, b"x")


def test_what_a_new_run_notes_of_its_files_is_all_that_a_restart_needs() -> None:
    files = {"a": RecordedFile.from_end(1, 70), "b": RecordedFile()}
    notes = {chunk.source: chunk.offset for chunk in begin_chunks(files)}
    assert recorded_files(Recorded(offsets=notes, is_new=False)) == files
