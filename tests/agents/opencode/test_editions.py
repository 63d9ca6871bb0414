"""A program made from OpenCode is one value: nothing else of OpenCode's room has to know it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from unbraid import Translator
from unbraid import events as e
from unbraid.agents.opencode.database import OpenCodeFiles
from unbraid.agents.opencode.dialect import OpenCodeDialect
from unbraid.agents.opencode.editions import OPENCODE, UNFORKED, Edition, Editions
from unbraid.agents.opencode.kind import OpenCodeKind
from unbraid.agents.registry import delta_dialects

FORK = Edition(
    name="spork",
    title="Spork",
    variables="SPORK",
    commands=("spork",),
    agent_folders=(".spork/agent",),
    first_major=5,
    own_fields=re.compile(rb'"spork\.'),
    transient_field=("spork.shown", "briefly"),
    silent_events=("spork.",),
)
OTHER = Edition(name="knife", title="Knife", variables="KNIFE", commands=("knife",), first_major=70)
ALL = Editions([OTHER, OPENCODE, FORK])


@pytest.mark.parametrize(
    ("version", "edition"),
    [
        ("1.2.27", OPENCODE),
        ("4.9", OPENCODE),
        ("5.0.0", FORK),
        ("69.1", FORK),
        ("70.0.1-rc", OTHER),
        ("local", OPENCODE),
        ("", OPENCODE),
        (None, OPENCODE),
    ],
)
def test_a_version_belongs_to_the_latest_program_that_counts_so_far(
    version: str | None, edition: Edition
) -> None:
    assert ALL.of_version(version) == edition
    assert UNFORKED.of_version(version) == OPENCODE
    session = json.dumps({"info": {"version": version}}).encode()
    assert ALL.of_lines(session) == edition


def test_a_field_that_only_one_program_writes_decides() -> None:
    assert ALL.of_lines(b'{"version":"1.0.0","spork.mark":1}') == FORK
    assert UNFORKED.of_lines(b'{"version":"1.0.0","spork.mark":1}') == OPENCODE


@pytest.mark.parametrize("metadata", [None, "briefly", {}, {"spork.shown": ["briefly"]}, {"a": []}])
def test_most_parts_are_words(metadata: Any) -> None:
    assert not ALL.is_transient(metadata)


def shown(*records: dict[str, Any], editions: Editions) -> tuple[str, list[e.RelayEvent]]:
    translator = Translator(dialects={"opencode": lambda: OpenCodeDialect(editions)})
    events = [x for r in records for x in translator.feed(json.dumps(r).encode() + b"\n")]
    return translator.kind, events + translator.finish()


def test_what_a_fork_adds_is_hidden_where_it_is_known() -> None:
    info = {"id": "ses_1", "version": "5.1.0", "directory": "/w"}
    session = {"type": "session.created", "properties": {"info": info}}
    about = {"info": {"id": "m1", "sessionID": "ses_1", "role": "assistant"}}
    message = {"type": "message.updated", "properties": about}
    part = {"id": "p1", "sessionID": "ses_1", "messageID": "m1", "type": "text", "text": "wait"}
    spinner = part | {"metadata": {"spork.shown": "briefly"}, "time": {"start": 1, "end": 2}}
    drawn = {"type": "message.part.updated", "properties": {"part": spinner}}
    tick = {"type": "spork.tick", "properties": {}}
    records = (session, message, drawn, tick)
    kind, events = shown(*records, editions=ALL)
    assert (kind, [x.type for x in events]) == ("spork", ["session_meta"])
    kind, events = shown(*records, editions=UNFORKED)
    assert kind == "opencode"
    assert [x.type for x in events] == ["session_meta", "text_delta", "unrecognized"]


def test_a_kind_is_what_its_edition_says() -> None:
    kind = OpenCodeKind(FORK)
    assert (kind.name, kind.title, kind.program) == ("spork", "Spork", "spork")
    assert kind.place_variables == ("SPORK_DB",)
    assert kind.agent_folders == (".spork/agent",)
    assert kind.steered_command.startswith("spork serve ")
    assert kind.hooks({}) is None
    launcher = kind.launcher({})
    assert launcher.recognizes(["spork", "run"]) and not launcher.recognizes(["opencode", "run"])


def test_an_export_is_of_the_program_that_its_session_names() -> None:
    exported = json.dumps({"info": {"id": "ses_1", "version": "70.1"}, "messages": []}).encode()
    (run,) = OpenCodeFiles(ALL).document("x.json", exported) or []
    assert run.source == "knife"


def test_text_in_small_parts_is_read_once_for_a_program_and_those_made_from_it() -> None:
    found = {type(each).__name__ for each in delta_dialects()}
    assert found == {"ClaudeDialect", "CodexDialect", "OpenCodeDialect"}
    assert len(delta_dialects()) == len(found)
