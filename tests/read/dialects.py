"""A fleet's steps, printed the way each dialect prints them."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable
from functools import partial as partial_of
from typing import Any

from tests.read.fleets import Fleet, Said

SESSION = "7d857246-9697-4be0-a3e5-372e00500255"
USAGE = {"input_tokens": 10, "output_tokens": 1}


def _line(**fields: Any) -> bytes:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _ids(fleet: Fleet, step: Said, rng: random.Random) -> dict[str, Any]:
    return {
        "parent_tool_use_id": fleet.agents[step.agent].call,
        "session_id": SESSION,
        "uuid": _uuid(rng),
    }


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128)))


def _message(step: Said, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": step.message_id, "role": "assistant", "content": content, "usage": USAGE}


def _result(step: Said, ids: dict[str, Any]) -> bytes:
    block = {"type": "tool_result", "tool_use_id": step.call, "content": "fine"}
    return _line(type="user", message={"role": "user", "content": [block]}, **ids)


INIT = _line(type="system", subtype="init", session_id=SESSION, model="m", tools=[])
END = _line(type="result", subtype="success", is_error=False, result="x", session_id=SESSION)


def one_block(fleet: Fleet, rng: random.Random) -> bytes:
    """What every real CLI prints: one completed block a line."""
    lines = [INIT]
    for step in fleet.steps:
        ids = _ids(fleet, step, rng)
        if step.kind == "result":
            lines.append(_result(step, ids))
        else:
            lines.append(_line(type="assistant", message=_message(step, [step.block]), **ids))
    return b"".join([*lines, END])


def cumulative(fleet: Fleet, rng: random.Random) -> bytes:
    """Each line repeats the whole message so far."""
    lines = [INIT]
    so_far: dict[str, list[dict[str, Any]]] = {}
    for step in fleet.steps:
        ids = _ids(fleet, step, rng)
        if step.kind == "result":
            lines.append(_result(step, ids))
            continue
        content = so_far.setdefault(step.message_id, [])
        content.append(step.block)
        lines.append(_line(type="assistant", message=_message(step, content), **ids))
    return b"".join([*lines, END])


def growing(fleet: Fleet, rng: random.Random) -> bytes:
    """Cumulative, and words grow in place."""
    lines = [INIT]
    so_far: dict[str, list[dict[str, Any]]] = {}
    for step in fleet.steps:
        if step.kind == "result":
            lines.append(_result(step, _ids(fleet, step, rng)))
            continue
        content = so_far.setdefault(step.message_id, [])
        kind = step.block["type"]
        words = step.block.get(kind, "")
        cuts = sorted({rng.randint(1, len(words)) for _ in range(3)}) if words else []
        for cut in cuts:
            if cut < len(words):
                partly = [*content, {"type": kind, kind: words[:cut]}]
                ids = _ids(fleet, step, rng)
                lines.append(_line(type="assistant", message=_message(step, partly), **ids))
        content.append(step.block)
        ids = _ids(fleet, step, rng)
        lines.append(_line(type="assistant", message=_message(step, content), **ids))
    return b"".join([*lines, END])


def bare(fleet: Fleet, rng: random.Random) -> bytes:
    """The seeds' dialect: cumulative, and no ids of any kind."""
    lines = []
    so_far: dict[str, list[dict[str, Any]]] = {}
    for step in fleet.steps:
        if step.kind == "result":
            lines.append(_result(step, {}))
            continue
        content = so_far.setdefault(step.message_id, [])
        content.append(step.block)
        lines.append(_line(type="assistant", message={"content": content}))
    return b"".join(lines)


def bare_growing(fleet: Fleet, rng: random.Random) -> bytes:
    """Words grow in place, and no ids of any kind."""
    lines = []
    for line in growing(fleet, rng).splitlines(keepends=True):
        record = json.loads(line)
        if record["type"] == "assistant":
            line = _line(type="assistant", message={"content": record["message"]["content"]})
        elif record["type"] == "user":
            line = _line(type="user", message=record["message"])
        lines.append(line)
    return b"".join(lines)


def partial(fleet: Fleet, rng: random.Random) -> bytes:
    """One block a line, and the main agent's blocks as raw API events before."""
    return b"".join(_partial(fleet, rng, {}))


def _partial(fleet: Fleet, rng: random.Random, uuids: dict[int, str]) -> list[bytes]:
    lines = [INIT]

    def event(**fields: Any) -> None:
        ids = {"session_id": SESSION, "parent_tool_use_id": None, "uuid": _uuid(rng)}
        lines.append(_line(type="stream_event", event=fields, **ids))

    for number, step in enumerate(fleet.steps):
        ids = _ids(fleet, step, rng)
        uuids[number] = ids["uuid"]
        if step.kind == "result":
            lines.append(_result(step, ids))
            continue
        whole = _line(type="assistant", message=_message(step, [step.block]), **ids)
        if step.agent != "main":
            lines.append(whole)
            continue
        kind = step.block["type"]
        if step.index == 0:
            event(type="message_start", message=_message(step, []))
        empty: dict[str, Any] = {"input": {}} if kind == "tool_use" else {kind: ""}
        started = step.block | empty
        event(type="content_block_start", index=step.index, content_block=started)
        words = step.block.get(kind, "")
        while words:
            size = rng.randint(1, len(words))
            delta = {"type": f"{kind}_delta", kind: words[:size]}
            event(type="content_block_delta", index=step.index, delta=delta)
            words = words[size:]
        lines.append(whole)
        event(type="content_block_stop", index=step.index)
        if step.last:
            event(type="message_delta", delta={"stop_reason": "end_turn"}, usage=USAGE)
            event(type="message_stop")
    return [*lines, END]


def partial_with_transcripts(fleet: Fleet, rng: random.Random) -> dict[str, list[bytes]]:
    """A streaming stdout that shows everything, and the transcripts that say it again."""
    known: dict[int, str] = {}
    stdout = _partial(fleet, rng, known)
    sources = with_transcripts(fleet, rng, known)
    return sources | {"stdout": stdout}


DIALECTS = {f.__name__: f for f in (one_block, cumulative, growing, partial)}


def with_transcripts(
    fleet: Fleet, rng: random.Random, uuids: dict[int, str] | None = None
) -> dict[str, list[bytes]]:
    """Stdout that hides sub-agents' words, and the transcripts that hold them: lines by source."""
    sources: dict[str, list[bytes]] = {"stdout": [INIT], "session": []}
    for name, agent in fleet.agents.items():
        if name == "main":
            continue
        facts = {"agentId": f"a{name}", "toolUseId": agent.call, "agentType": "worker"}
        if agent.parent != "main":
            facts["parentAgentId"] = f"a{agent.parent}"
        sources[name] = [
            _line(type="unbraid.agent", **facts),
            _transcript(fleet, name, rng, "user", {"role": "user", "content": agent.prompt}),
        ]
    for number, step in enumerate(fleet.steps):
        ids = _ids(fleet, step, rng)
        ids["uuid"] = (uuids or {}).get(number, ids["uuid"])
        deep = fleet.agents[step.agent].parent not in (None, "main")
        hidden = step.agent != "main" and (deep or step.block.get("type") in ("text", "thinking"))
        kind = "user" if step.kind == "result" else "assistant"
        if kind == "user":
            block = {"type": "tool_result", "tool_use_id": step.call, "content": "fine"}
            message: dict[str, Any] = {"role": "user", "content": [block]}
        else:
            message = _message(step, [step.block])
        if not hidden:
            sources["stdout"].append(_line(type=kind, message=message, **ids))
        place = "session" if step.agent == "main" else step.agent
        line = _transcript(fleet, step.agent, rng, kind, message, ids["uuid"])
        sources[place].append(line)
    sources["stdout"].append(END)
    return sources


def _loose(name: str, lines: list[bytes], rng: random.Random) -> list[bytes]:
    return lines


def _chained(
    name: str, lines: list[bytes], rng: random.Random, *, again: float = 0.0
) -> list[bytes]:
    if name == "stdout":
        return lines
    chain: list[dict[str, Any]] = []
    said: list[dict[str, Any]] = []
    for line in lines:
        record = json.loads(line)
        if "uuid" in record:
            if record["type"] == "user" and rng.random() < again:
                before = None
                for each in said:
                    chain.append(each | {"uuid": _uuid(rng), "parentUuid": before})
                    before = chain[-1]["uuid"]
            elif record["type"] == "assistant":
                said.append(record)
            record["parentUuid"] = chain[-1].get("uuid") if chain else None
        chain.append(record)
    return [_line(**record) for record in chain]


# How transcripts are laid out: their lines do not tell which one they follow; they do; and when a
# person speaks or a tool answers, all that was said is often written once more, as its own chain.
WRITTEN: dict[str, Callable[[str, list[bytes], random.Random], list[bytes]]] = {
    "loose": _loose,
    "chained": _chained,
    "again": partial_of(_chained, again=0.5),
}


def _transcript(
    fleet: Fleet,
    name: str,
    rng: random.Random,
    kind: str,
    message: dict[str, Any],
    line_id: str | None = None,
) -> bytes:
    fields: dict[str, Any] = {"parentUuid": None, "isSidechain": name != "main"}
    if name != "main":
        fields["agentId"] = f"a{name}"
    fields |= {
        "type": kind,
        "message": message,
        "uuid": line_id or _uuid(rng),
        "sessionId": SESSION,
    }
    return _line(**fields)
