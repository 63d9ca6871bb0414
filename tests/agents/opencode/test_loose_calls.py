"""OpenCode's calls that do not tell which session they have started, while it works."""

from __future__ import annotations

from typing import Any

import msgspec

from tests.read.reading import blocks_of
from unbraid import Translator
from unbraid import events as e


def line(kind: str, **properties: Any) -> bytes:
    return msgspec.json.encode({"type": kind, "timestamp": 1, "properties": properties}) + b"\n"


def session(name: str, parent: str | None = None, title: str = "") -> bytes:
    return line("session.created", info={"id": name, "parentID": parent, "title": title})


def said(session: str, role: str, text: str) -> bytes:
    name = f"{session}.{role}"
    part = {"id": f"{name}.p", "messageID": name, "sessionID": session, "type": "text"}
    info = {"id": name, "sessionID": session, "role": role}
    output = line("message.updated", info=info)
    return output + line("message.part.updated", part={**part, "text": text, "time": {"end": 1}})


def call(
    name: str, status: str = "running", prompt: str = "Go.", child: str | None = None
) -> bytes:
    given = {"description": "look", "subagent_type": "general", "prompt": prompt}
    state = {"status": status, "input": {} if status == "pending" else given}
    if child is not None:
        state |= {"metadata": {"sessionId": child}}
    part = {"id": name, "messageID": "root.m", "sessionID": "root", "type": "tool"}
    return line(
        "message.part.updated", part={**part, "callID": name, "tool": "task", "state": state}
    )


def child(name: str, prompt: str = "Go.") -> bytes:
    about = session(name, "root", "look (@general subagent)")
    return about + said(name, "user", prompt) + said(name, "assistant", f"{name} works")


def words(*lines: bytes) -> dict[str, list[tuple[str, str]]]:
    return blocks_of(Translator().feed(session("root") + b"".join(lines)))


def test_a_session_is_known_by_its_title_and_its_prompt() -> None:
    for lines in ([call("c"), child("kid")], [child("kid"), call("c")]):
        assert words(*lines)["kid"] == [("text", "kid works")]


def test_other_words_are_another_call() -> None:
    assert "kid" not in words(call("c", prompt="Something else."), child("kid"))


def test_equals_cannot_be_distinguished() -> None:
    output = words(call("c"), call("d"), child("kid"), child("kit"))
    assert output.keys() == {""}
    output = words(call("c"), call("d"), child("kid"), child("kit"), call("d", child="kid"))
    # The rest goes without saying.
    assert output["kid"] == [("text", "kid works")]
    assert output["kit"] == [("text", "kit works")]


def test_nothing_is_concluded_while_a_call_is_coming() -> None:
    assert "kid" not in words(call("c"), call("d", "pending"), child("kid"))
    assert "kid" in words(call("c"), call("d", "pending"), child("kid"), call("d", prompt="No."))


def test_its_end_is_its_agents() -> None:
    translator = Translator()
    translator.feed(session("root") + call("c") + child("kid"))
    output = translator.feed(call("c", "error") + call("c", "completed", child="kid"))
    (ended,) = (event for event in output if isinstance(event, e.SubAgentEnded))
    assert ended.agent_id == "kid"
    assert not [event for event in output if isinstance(event, e.SubAgentSpawned)]


def test_who_is_asked_again_a_moment_before_the_call_is_asked_once() -> None:
    def more(role: str, text: str) -> bytes:
        return said("kid", role, text).replace(b"kid.", b"kid.more.")

    asked = more("user", "Once more."), call("d", prompt="Once more.", child="kid")
    for lines in (asked, asked[::-1]):
        translator = Translator()
        translator.feed(session("root") + call("c", child="kid") + child("kid"))
        translator.feed(call("c", "completed", child="kid"))
        output = translator.feed(b"".join(lines) + more("assistant", "kid goes on"))
        (again,) = (event for event in output if isinstance(event, e.SubAgentSpawned))
        assert (again.parent_tool_id, again.prompt) == ("d", "Once more.")
        assert not [event for event in output if isinstance(event, e.Prompt)]
    # A person may ask it without any call.
    translator.feed(call("d", "completed", prompt="Once more.", child="kid"))
    own = said("kid", "user", "And I.") + said("kid", "assistant", "Yes.")
    output = translator.feed(own.replace(b"kid.", b"kid.own."))
    kinds = [type(event) for event in output if event.context == "kid"]
    assert kinds.index(e.Prompt) < kinds.index(e.TextDelta)
