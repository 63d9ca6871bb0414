"""A synthetic history of Claude Code's: sessions with sub-agents, in the layout of 2.1."""

from __future__ import annotations

import json
import random
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

DAY = 1_790_000_000
MODEL = "claude-sonnet-4-5-20250929"
USAGE = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 1000,
    "output_tokens": 50,
}


def line(session: str, number: int, agent: str | None, **rest: Any) -> bytes:
    """One line of a transcript."""
    record = {
        "parentUuid": None if number == 0 else str(uuid.UUID(int=number)),
        "isSidechain": agent is not None,
        **({"agentId": agent} if agent else {}),
        **rest,
        "uuid": str(uuid.uuid4()),
        "timestamp": datetime.fromtimestamp(DAY + number, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "userType": "external",
        "cwd": "/home/dev/app",
        "sessionId": session,
        "version": "2.1.325",
        "gitBranch": "main",
    }
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def conversation(
    session: str, agent: str | None, size: int, dice: random.Random, *, after: int = 0
) -> tuple[bytes, int]:
    """A conversation of about that many bytes, after so many lines of its parent's: answers of two
    blocks, and tools' results. Also returns the number of its last line.
    """
    out = [line(session, after, agent, type="user", message={"role": "user", "content": "Do it."})]
    written, number = 0, after + 1
    while written < size:
        message = f"msg_{dice.getrandbits(64):016x}"
        call = f"toolu_{dice.getrandbits(64):016x}"
        usage = {
            "input_tokens": dice.randrange(1, 500),
            "cache_creation_input_tokens": dice.randrange(2000),
            "cache_read_input_tokens": dice.randrange(100_000),
            "output_tokens": dice.randrange(1, 2000),
            "service_tier": "standard",
        }
        text = {"type": "text", "text": "word " * dice.randrange(20, 200)}
        tool = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": "/a/b.py"}}
        for block in (text, tool):
            about = {
                "id": message,
                "type": "message",
                "role": "assistant",
                "model": MODEL,
                "content": [block],
                "stop_reason": None,
                "usage": usage,
            }
            request = f"req_{message}"
            out.append(
                line(session, number, agent, type="assistant", requestId=request, message=about)
            )
            number += 1
        given = 'x = {"a": [1, 2, 3]}  # some code\n' * dice.randrange(10, 250)
        result = {"type": "tool_result", "tool_use_id": call, "content": given}
        output = {"role": "user", "content": [result]}
        beside = {"file": {"content": given}}
        out.append(line(session, number, agent, type="user", message=output, toolUseResult=beside))
        number += 1
        written += sum(map(len, out[-3:]))
    return b"".join(out), number - 1


def spawning(session: str, agents: list[str], number: int, *, until: int) -> bytes:
    """The calls that start agents, and what each has answered by line number `until`."""
    out = []
    for agent in agents:
        given = {"subagent_type": "Explore", "description": "look", "prompt": "Do it."}
        call = {"type": "tool_use", "id": f"toolu_{agent}", "name": "Agent", "input": given}
        message = {"id": f"msg_{agent}", "model": MODEL, "content": [call], "usage": USAGE}
        out.append(line(session, number, None, type="assistant", message=message))
    for agent in agents:
        answer = {"type": "tool_result", "tool_use_id": f"toolu_{agent}", "content": "Found."}
        output = {"role": "user", "content": [answer]}
        beside = {"status": "completed", "agentId": agent, "content": "Found."}
        out.append(line(session, until, None, type="user", message=output, toolUseResult=beside))
    return b"".join(out)


def make(folder: Path, sessions: int, total: int, seed: int = 1) -> None:
    """Write a history of about `total` bytes in `sessions` sessions."""
    dice = random.Random(seed)
    shapes = [dice.paretovariate(1.3) for _ in range(sessions)]
    scale = total / sum(shapes)
    for number, shape in enumerate(shapes):
        session = str(uuid.UUID(int=dice.getrandbits(128), version=4))
        project = folder / "projects" / f"-home-dev-app{number % 40}"
        project.mkdir(parents=True, exist_ok=True)
        size = int(shape * scale)
        agents = [f"a{dice.getrandbits(64):016x}" for _ in range(dice.choice([0, 0, 1, 2, 4]))]
        share = size // (2 * len(agents)) if agents else 0
        main, latest = conversation(session, None, size - share * len(agents), dice)
        spawned = latest + 1
        for agent in agents:
            inner = project / session / "subagents"
            inner.mkdir(parents=True, exist_ok=True)
            child, last = conversation(session, agent, share, dice, after=spawned + 1)
            latest = max(latest, last)
            (inner / f"agent-{agent}.jsonl").write_bytes(child)
            meta = {"agentType": "Explore", "description": "look", "toolUseId": f"toolu_{agent}"}
            (inner / f"agent-{agent}.meta.json").write_text(json.dumps(meta))
        main += spawning(session, agents, spawned, until=latest + 1)
        (project / f"{session}.jsonl").write_bytes(main)


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]), int(float(sys.argv[3]) * 1_000_000))
