"""Kilo: OpenCode's formats, from places of its own, without what it adds for itself."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.block_rows import CLEAN, RECORDINGS, judge
from unbraid import events as e
from unbraid.agents.kilo.kind import KILO
from unbraid.agents.port import StoredAgent
from unbraid.agents.registry import kind, stores
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.record.sessions.stored_facts import stored_facts

FAN = RECORDINGS / "fan-same-opening.run.kilo-7.7.9"
SERVED = RECORDINGS / "child-fails.serve.kilo-7.7.9"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    place = tmp_path / ".local" / "share" / "kilo" / "kilo.db"
    place.parent.mkdir(parents=True)
    shutil.copy(FAN / "kilo.db", place)
    return {"HOME": str(tmp_path)}


def test_neither_the_repeated_events_nor_the_spinner_show() -> None:
    stream = (SERVED / "events.ndjson").read_bytes()
    assert b'"type":"sync"' in stream and b"Initializing snapshot" in stream
    (run,) = runs_of_sources([str(SERVED / "events.ndjson")], {})
    events = list(events_of(run))
    assert judge(SERVED, events, full=False) == CLEAN
    assert not [x for x in events if isinstance(x, e.FleetUnrecognized | e.FleetMalformed)]


def test_a_spinner_that_is_stored_is_no_word_of_an_agent() -> None:
    part = (
        b'{"type":"message.part.updated","properties":{"part":{"id":"p1","sessionID":"ses_1",'
        b'"messageID":"m1","type":"text","text":"\xe2\xa0\x8b Initializing","synthetic":true,'
        b'"metadata":{"kilocode.lifecycle":"transient"},"time":{"start":1,"end":2}}}}\n'
    )
    from unbraid import Translator

    translator = Translator()
    assert translator.feed(part) + translator.finish() == []


def test_its_sessions_are_found_in_its_own_places(home: dict[str, str]) -> None:
    store = stores(home)["kilo"]
    (facts,) = store.listed()
    (listed,) = stored_facts(home, None, warn=pytest.fail)
    assert (listed.kind, listed.facts.agents) == ("kilo", 3)
    assert [x.session_id for x in stores(home)["opencode"].listed()] == []
    (run,) = runs_of_sources([facts.session_id], home)
    assert run.source == "kilo"
    assert judge(FAN, events_of(run), full=True) == CLEAN


def test_a_piped_stream_goes_to_the_program_that_keeps_its_session(home: dict[str, str]) -> None:
    line = (FAN / "stdout.ndjson").read_bytes().splitlines()[0]
    assert piped_to(line, home) == ["kilo"]
    assert piped_to(b'{"type":"text","sessionID":"ses_of_nobody","part":{}}', home) == ["opencode"]


def piped_to(line: bytes, home: dict[str, str]) -> list[str]:
    """Returns the kinds that would read a stream with this line."""
    return [
        name
        for name in ("opencode", "kilo")
        if (made := kind(name)) is not None
        and (launcher := made.launcher(home)) is not None
        and launcher.piped(line) is not None
    ]


def test_a_session_is_continued_by_its_own_program(home: dict[str, str]) -> None:
    (facts,) = stores(home)["kilo"].listed()
    made = kind("kilo")
    assert made is not None
    launcher = made.launcher(home)
    assert launcher is not None
    resumption = launcher.resume(StoredAgent(facts.session_id), ["run", "Go on."])
    assert resumption is not None
    assert resumption.argv == ["kilo", "run", "--session", facts.session_id, "Go on."]
    assert KILO.variable("DB") == "KILO_DB"
