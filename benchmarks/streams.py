"""The streams that the benchmarks read: made here, of the shape that real CLIs print.

Sizes follow what agents do all day: short thoughts and texts, tool calls with small arguments,
tool results (a file read, a test run) that stand twice in their line. In the cumulative stream
agents write files of 20 to 90 lines. Both come in two sizes, because what a line costs beyond its
bytes weighs more in short ones: results of up to 400 or 200 lines, up to 24 or 16 files a message.
"""

from __future__ import annotations

import json
import random
import uuid as uuids
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SESSION = "7d857246-9697-4be0-a3e5-372e00500255"
WORDS = (
    """the parser reads each line as it comes and keeps only what is open so that a long run needs
    no more memory than a short one while every block still appears once under its agent"""
).split()
LARGE_RESULTS = [5, 40, 120, 250, 400]  # lines
SMALL_RESULTS = [3, 20, 60, 120, 200]
SHORT_RESULTS = [2, 5, 8]  # lines of about 800 bytes in all
CODE = [
    "def feed(self, data: bytes) -> list[bytes]:",
    '    """Take bytes in; give the lines they complete."""',
    "    lines = data.split(b'\\n')",
    "    self._rest = lines.pop()",
    "    if not lines: return []",
    "    return lines",
    "",
]


def _line(**fields: Any) -> bytes:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _prose(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."


def _code(rng: random.Random, lines: int) -> str:
    return "\n".join(f"{n:5}→{rng.choice(CODE)}" for n in range(1, lines + 1))


def _message(number: int, content: list[dict[str, Any]]) -> dict[str, Any]:
    usage: dict[str, Any] = {"input_tokens": 4, "cache_creation_input_tokens": 812}
    usage |= {"output_tokens": 31, "cache_read_input_tokens": 41234, "service_tier": "standard"}
    return {
        "id": f"msg_{number:020}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": content,
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }


def _turns(rng: random.Random, *, calls: int, writes: bool) -> Iterator[tuple[int, Any, list[Any]]]:
    """Messages of a few agents in turn: their number, whose they are, their blocks."""
    agents = [None, "toolu_agent_a", "toolu_agent_b", "toolu_agent_c"]
    number = 0
    while True:
        number += 1
        blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": _prose(rng, 60)}]
        blocks.append({"type": "text", "text": _prose(rng, rng.randint(5, 60))})
        for call in range(rng.randint(1, calls)):
            use = {"type": "tool_use", "id": f"toolu_{number:012}_{call:03}"}
            if writes:
                given = {"file_path": "/app/a.py", "content": _code(rng, rng.randint(20, 90))}
                blocks.append(use | {"name": "Write", "input": given})
                blocks.append({"type": "text", "text": _prose(rng, rng.randint(10, 40))})
            else:
                given = {"command": _prose(rng, 8), "description": _prose(rng, 4)}
                blocks.append(use | {"name": "Bash", "input": given})
        yield number, rng.choice(agents), blocks


def one_block(
    size: int, seed: int = 1, *, large: bool = True, results: list[int] | None = None
) -> Iterator[bytes]:
    """One completed block a line, results beside: what every real CLI prints."""
    rng = random.Random(seed)
    results = results or (LARGE_RESULTS if large else SMALL_RESULTS)
    written = 0
    for number, agent, blocks in _turns(rng, calls=3, writes=False):
        ids = {"parent_tool_use_id": agent, "session_id": SESSION}
        for block in blocks:
            uuid = str(uuids.UUID(int=rng.getrandbits(128)))
            line = _line(type="assistant", message=_message(number, [block]), **ids, uuid=uuid)
            written += len(line)
            yield line
        for block in blocks:
            if block["type"] != "tool_use":
                continue
            content = _code(rng, rng.choice(results))
            result = {"tool_use_id": block["id"], "type": "tool_result", "content": content}
            line = _line(
                type="user",
                message={"role": "user", "content": [result]},
                **ids,
                uuid=str(uuids.UUID(int=rng.getrandbits(128))),
                tool_use_result={"type": "text", "file": {"filePath": "/a.py", "content": content}},
            )
            written += len(line)
            yield line
        if written >= size:
            return


def cumulative(size: int, seed: int = 2, *, large: bool = True) -> Iterator[bytes]:
    """Each line repeats the whole message so far, as agents that write files have it."""
    rng = random.Random(seed)
    written = 0
    messages = _turns(rng, calls=24 if large else 16, writes=True)
    while written < size:
        running = [(n, a, b, [0]) for n, a, b in (next(messages) for _ in range(3))]
        while running:
            number, agent, blocks, said = rng.choice(running)
            said[0] += 1
            line = _line(
                type="assistant",
                message=_message(number, blocks[: said[0]]),
                parent_tool_use_id=agent,
                session_id=SESSION,
                uuid=str(uuids.UUID(int=rng.getrandbits(128))),
            )
            written += len(line)
            yield line
            running = [r for r in running if r[3][0] < len(r[2])]


def write(path: Path, lines: Iterator[bytes]) -> Path:
    """A stream as a file, made once."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            file.writelines(lines)
        part.replace(path)
    return path
