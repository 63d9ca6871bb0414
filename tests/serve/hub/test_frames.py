"""Frames are what the standard says, and no agent can forge one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, json

from unbraid.events import FleetUnrecognized, Text, encode
from unbraid.log.entry import Entry
from unbraid.serve.hub.viewer import (
    Cut,
    Form,
    heartbeat_frame,
    log_frame,
    opening_frame,
    run_frame,
    unlogged_frame,
)


def parse(stream: bytes) -> list[dict[str, str]]:
    """An SSE stream by the letter of the standard: CR, LF and CRLF all end a line."""
    text = stream.decode().replace("\r\n", "\n").replace("\r", "\n")
    events = []
    for block in text.split("\n\n"):
        fields: dict[str, str] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            if name:
                fields[name] = value.removeprefix(" ")
        if "data" in fields:
            events.append(fields)
    return events


@given(st.text(), st.text(alphabet="\r\n \t{}:abc"))
def test_text_of_an_agent_never_makes_a_frame(delta: str, agent: str) -> None:
    event = Text(
        seq=3, ts=1, stream_id=0, depth=0, agent=agent, delta=delta, message_id="m", block=0
    )
    entry = Entry(9, "run", 3, 1, 0, "text", encode(event))
    frames = parse(run_frame(entry).sse + log_frame(entry).sse)
    assert [(f["id"], f["event"]) for f in frames] == [("3", "text"), ("9", "text")]
    assert json.decode(frames[0]["data"])["delta"] == delta
    assert json.decode(frames[1]["data"]) == {
        "cursor": 9,
        "run": "run",
        **json.decode(encode(event)),
    }


@given(st.lists(st.sampled_from(["\r", "\n", " ", "\t"])))
def test_raw_parts_never_make_a_frame(spaces: list[str]) -> None:
    raw = Raw(('{"a":' + "".join(spaces) + "1}").encode())
    event = FleetUnrecognized(seq=1, ts=1, stream_id=0, depth=0, agent="a", raw=raw)
    frame = run_frame(Entry(1, "run", 1, 1, 0, "unrecognized", encode(event)))
    assert [json.decode(f["data"])["raw"] for f in parse(frame.sse)] == [{"a": 1}]
    assert frame.line.count(b"\n") == 1


def test_asides() -> None:
    cut = Cut(reason="slow", last=7)
    assert unlogged_frame(cut, Form.NDJSON) == b'{"type":"cut","reason":"slow","last":7}\n'
    assert parse(unlogged_frame(cut, Form.SSE, 7))[0]["id"] == "7"
    assert parse(opening_frame(Form.SSE) + heartbeat_frame(Form.SSE)) == []
    assert opening_frame(Form.NDJSON) == b""
