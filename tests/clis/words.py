"""Who said what, agent by agent in order: by the model's word, by what was printed, by our log.

An agent has the script's name. A tool call's words are its id.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unbraid import events as e
from unbraid.testing import Recording
from unbraid.testing.script import markers

Words = dict[str, list[tuple[str, str]]]


def said(recording: Recording) -> Words:
    """All that the model served."""
    words: Words = {}
    for block in recording.blocks:
        words.setdefault(block["agent"], []).append(_content(block))
    return words


def printed(recording: Recording) -> Words:
    """What the CLI has printed of it; of a server's events, all."""
    if recording.mode == "serve":
        return said(recording)
    if recording.mode == "run":
        return {"main": [row for record in recording.records for row in _part(record)]}
    agents = {block["message_id"]: block["agent"] for block in recording.blocks}
    words: Words = {}
    for record in recording.records:
        # A message that the model does not know is the CLI's own: an error, logged as one.
        if record["type"] == "assistant" and record["message"]["id"] in agents:
            mine = words.setdefault(agents[record["message"]["id"]], [])
            mine += [_content(block) for block in record["message"]["content"]]
    return words


def logged_words(events: Iterable[e.FleetEvent], agents: dict[int, str]) -> Words:
    """The words in a log: the deltas of a block joined, what was withdrawn left out."""
    blocks: dict[tuple[int, str, str, int], str] = {}
    for event in events:
        stream = event.stream_id
        match event:
            case e.Text() | e.Thinking():
                key = (stream, event.type, event.message_id, event.block)
                blocks[key] = blocks.get(key, "") + event.delta
            case e.FleetToolUse():
                # By its place in the log: a call that is logged twice is two.
                blocks[stream, "tool_use", event.message_id or "", -event.seq] = event.tool_use_id
            case e.FleetRetracted():
                for key in [key for key in blocks if key[2] in event.message_ids]:
                    del blocks[key]
    words: Words = {}
    for (stream, kind, _, _), content in blocks.items():
        if stream in agents:
            words.setdefault(agents[stream], []).append((kind, content))
    return words


def agents_of(events: Iterable[e.FleetEvent], recording: Recording) -> dict[int, str]:
    """The script's agent behind each stream, by the call that spawned it.

    A stream that no call has spawned is none of the script's: 2.0 warms agents up by itself.
    """
    children: dict[str, list[str]] = {}
    for name, spawn in recording.truth["parents"].items():
        children.setdefault(spawn["tool_use_id"], []).append(name)
    agents: dict[int, str] = {0: "main"}
    for event in events:
        if isinstance(event, e.StreamStart) and event.stream_id:
            if event.resumes is not None:
                agents[event.stream_id] = agents[event.resumes]
            elif event.tool_use_id is not None:
                spawned = children.get(event.tool_use_id, ["nobody"])
                # The agents of a workflow share one call: only their prompts tell them apart.
                named = [name for name in markers(event.prompt or "") if name in spawned]
                agents[event.stream_id] = (named if len(spawned) > 1 else spawned)[0]
    return agents


def _content(block: dict[str, Any]) -> tuple[str, str]:
    if block["type"] == "tool_use":
        return "tool_use", block["id"]
    return block["type"], block.get("text") or block["thinking"]


def _part(record: dict[str, Any]) -> Iterable[tuple[str, str]]:
    match record:
        case {"type": "text", "part": {"text": text}}:
            yield "text", text
        case {"type": "reasoning", "part": {"text": text}}:
            yield "thinking", text
        case {"type": "tool_use", "part": {"callID": call}}:
            yield "tool_use", call
