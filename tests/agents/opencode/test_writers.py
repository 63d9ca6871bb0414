"""Who speaks in a database, asked of real processes and real SQLite."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from unbraid.agents.opencode.writers import LAST_ROWS_GRACE_SECONDS, Writers, holders

pytestmark = pytest.mark.skipif(
    not Path("/proc/locks").exists(), reason="the system does not list its locks"
)

# Each line that it reads is a row that it writes; it says when that is done.
PROGRAM = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[-1], isolation_level=None)
db.execute("PRAGMA journal_mode = WAL")
db.execute("CREATE TABLE IF NOT EXISTS said (words)")
print(flush=True)
for line in sys.stdin:
    if line.strip():
        db.execute("INSERT INTO said VALUES (?)", (line,))
    print(flush=True)
"""


class Speaker:
    """A process that has the database open."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._answered()

    def say(self, words: str) -> None:
        """Write a row; without words it does something else."""
        assert self.process.stdin is not None
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()
        self._answered()

    def end(self, *, killed: bool = False) -> None:
        """Its end, until nothing of it is left."""
        if killed:
            self.process.kill()
        self.process.communicate()

    def _answered(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "\n"


class Speakers:
    """A database, who has it open, and a clock that goes as far as it is told."""

    def __init__(self, folder: Path) -> None:
        self.path, self.now = folder / "opencode.db", 0.0
        self._stack = contextlib.ExitStack()
        self.writers = Writers(self.path, lambda: self.now)

    def __enter__(self) -> Speakers:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self) -> Speaker:
        """Somebody opens it."""
        argv, pipe = [sys.executable, "-c", PROGRAM, str(self.path)], subprocess.PIPE
        process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True)
        self._stack.enter_context(process)
        return Speaker(process)

    def look(self, *heard: str) -> None:
        self.writers.looking()
        self.writers.looked(heard)

    def gone(self) -> set[str]:
        """Those that are when nothing has happened for as long as that takes."""
        self.look()
        self.now += LAST_ROWS_GRACE_SECONDS
        self.look()
        return self.writers.gone


@pytest.fixture
def speakers(tmp_path: Path) -> Iterator[Speakers]:
    with Speakers(tmp_path) as made:
        yield made


@pytest.mark.parametrize("killed", [False, True], ids=["ended", "killed"])
def test_a_session_is_over_when_its_speaker_is_gone(speakers: Speakers, killed: bool) -> None:
    one = speakers.start()
    speakers.look()
    one.say("something")
    speakers.look("A")
    assert speakers.gone() == set()
    one.end(killed=killed)
    speakers.look()
    assert speakers.writers.gone == set(), "not at once"
    assert speakers.gone() == {"A"}
    speakers.writers.forget("A")
    assert speakers.gone() == set()


def test_who_has_said_nothing_is_not_waited_for(speakers: Speakers) -> None:
    one, idle = speakers.start(), speakers.start()
    speakers.look()
    one.say("something")
    idle.say("")
    speakers.look("A")
    one.end()
    assert speakers.gone() == {"A"}


def test_who_may_have_said_it_is(speakers: Speakers) -> None:
    one, two = speakers.start(), speakers.start()
    speakers.look()
    one.say("something")
    two.say("something else")
    speakers.look("A", "B")
    one.end()
    assert speakers.gone() == set(), "one of both is, but which?"
    two.end()
    assert speakers.gone() == {"A", "B"}


def test_whoever_goes_on_with_a_session_keeps_it(speakers: Speakers) -> None:
    one = speakers.start()
    speakers.look()
    one.say("something")
    speakers.look("A")
    one.end()
    speakers.look()
    two = speakers.start()
    two.say("something")
    speakers.look("A")
    assert speakers.gone() == set()
    two.end()
    assert speakers.gone() == {"A"}


def at_once(speakers: Speakers, one: Speaker, two: Speaker) -> None:
    """Both say something between two looks, each in a session of its own."""
    one.say("something")
    two.say("something else")
    speakers.look("A", "B")


def test_two_that_speak_at_the_same_time_are_distinguished_by_when_they_do_not(
    speakers: Speakers,
) -> None:
    one, two = speakers.start(), speakers.start()
    speakers.look()
    at_once(speakers, one, two)
    one.say("more")
    speakers.look("A")
    at_once(speakers, one, two)
    one.end()
    assert speakers.gone() == {"A"}
    speakers.writers.forget("A")
    two.end()
    assert speakers.gone() == {"B"}


def test_one_that_is_left_keeps_what_may_be_its_own(speakers: Speakers) -> None:
    one, two = speakers.start(), speakers.start()
    speakers.look()
    at_once(speakers, one, two)
    one.end()
    for _ in range(3):
        two.say("more")
        speakers.look("B")
    assert speakers.gone() == set(), "it may have spoken in A as well"


def test_two_that_speak_in_one_session(speakers: Speakers) -> None:
    one, two = speakers.start(), speakers.start()
    speakers.look()
    for each in (one, two, one, two):
        each.say("something")
        speakers.look("A")
    one.end()
    assert speakers.gone() == set()
    two.end()
    assert speakers.gone() == {"A"}


def test_what_was_said_before_the_first_look_may_be_of_anyone(speakers: Speakers) -> None:
    one, two = speakers.start(), speakers.start()
    one.say("something")
    speakers.look("A", "B")
    for _ in range(3):
        two.say("something")
        speakers.look("B")
    two.end()
    assert speakers.gone() == set()
    one.end()
    assert speakers.gone() == {"A", "B"}


def test_nothing_is_concluded_of_those_who_cannot_be_seen(speakers: Speakers) -> None:
    one = speakers.start()
    speakers.look()
    one.say("something")
    speakers.look("A")
    one.end()
    speakers.look()
    speakers.look("A", "B")
    assert speakers.gone() == set()


def test_a_look_that_failed_is_made_up_for(speakers: Speakers) -> None:
    one, two = speakers.start(), speakers.start()
    speakers.look()
    one.say("something")
    speakers.writers.looking()  # and nothing could be read
    speakers.look("A")
    two.end()
    assert speakers.gone() == set()
    one.end()
    assert speakers.gone() == {"A"}


def test_we_do_not_count(speakers: Speakers) -> None:
    one = speakers.start()
    with contextlib.closing(sqlite3.connect(speakers.path)) as db:
        assert db.execute("SELECT count(*) FROM said").fetchone() == (0,)
        assert {each.pid for each in holders(speakers.path)} == {one.process.pid}
    one.end()
    assert holders(speakers.path) == {}


def test_a_file_that_is_not_there_has_no_holders(tmp_path: Path) -> None:
    assert holders(tmp_path / "none.db") == {}
    shutil.copy(sys.executable, tmp_path / "some.db")
    assert holders(tmp_path / "some.db") == {}
