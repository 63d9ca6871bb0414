"""Made-up rollouts, for what no real Codex writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = "01a1e370-0000-7000-8000-000000000001"
CHILD = "01a1e370-0001-7000-8000-000000000002"
GRANDCHILD = "01a1e370-0002-7000-8000-000000000003"


def line(at: int, kind: str, payload: dict[str, Any], **more: Any) -> bytes:
    stamp = f"2026-11-16T08:19:{at // 1000:02}.{at % 1000:03}Z"
    made = {"timestamp": stamp, "type": kind, "payload": payload, **more}
    return json.dumps(made, separators=(",", ":")).encode()


def head(thread: str, parent: str | None = None, at: int = 0, **more: Any) -> bytes:
    source: Any = "exec"
    if parent is not None:
        source = {"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1}}}
    about = {"id": thread, "cwd": "/x", "cli_version": "0.118.0", "source": source}
    return line(at, "session_meta", about | more)


def says(text: str, at: int = 500) -> bytes:
    content = [{"type": "output_text", "text": text}]
    return line(at, "response_item", {"type": "message", "role": "assistant", "content": content})


def spawns(call: str, child: str, at: int = 100) -> bytes:
    begun = {"type": "function_call", "name": "spawn_agent", "arguments": "{}", "call_id": call}
    ended = {
        "type": "function_call_output",
        "call_id": call,
        "output": json.dumps({"agent_id": child}),
    }
    return line(at, "response_item", begun) + b"\n" + line(at + 1, "response_item", ended)


def counts(total: int, last: int, at: int) -> bytes:
    used = {
        "total_token_usage": {"input_tokens": total},
        "last_token_usage": {"input_tokens": last},
    }
    return line(at, "event_msg", {"type": "token_count", "info": used})


def turn(turn_id: str, *lines: bytes, at: int = 10, end: int | None = 900) -> list[bytes]:
    made = [line(at, "event_msg", {"type": "task_started", "turn_id": turn_id}), *lines]
    if end is not None:
        done = {"type": "task_complete", "turn_id": turn_id, "last_agent_message": "done"}
        made.append(line(end, "event_msg", done))
    return made


def write(folder: Path, thread: str, *lines: bytes) -> Path:
    day = folder / "sessions" / "2026" / "11" / "16"
    day.mkdir(parents=True, exist_ok=True)
    path = day / f"rollout-2026-11-16T08-19-00-{thread}.jsonl"
    path.write_bytes(b"".join(each + b"\n" for each in lines))
    return path
