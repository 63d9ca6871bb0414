"""Transcripts as Claude Code would write them, with words that tell if any is lost or doubled."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SESSION = "11111111-2222-4333-8444-555555555555"


def dated(ago: timedelta = timedelta(0)) -> str:
    """A time as transcripts have it."""
    return f"{datetime.now(UTC) - ago:%Y-%m-%dT%H:%M:%S}.000Z"


# Of today, whenever that is: lists leave out what is older than a day. Too long ago to be live.
HOURS_AGO = dated(timedelta(hours=2))


class Writer:
    """Writes a session of Claude Code's, and a sub-agent of it, line by line."""

    def __init__(
        self, config: Path, session: str = SESSION, *, timestamp: str | None = None
    ) -> None:
        self.session = session
        self.main = config / "projects" / "-work" / f"{session}.jsonl"
        self.main.parent.mkdir(parents=True, exist_ok=True)
        self.said: list[str] = []
        self.timestamp = timestamp or dated()

    def prompt(self, text: str = "Go.") -> bytes:
        """A line of the person's."""
        return self.line("user", {"role": "user", "content": text})

    def text(self, words: str, agent: str | None = None) -> bytes:
        """A line in which an agent says something."""
        self.said.append(words)
        return self.answer([{"type": "text", "text": words}], agent)

    def answer(self, content: list[dict[str, Any]], agent: str | None = None) -> bytes:
        """A line of an answer."""
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {
            "id": f"msg_{uuid.uuid4().hex}",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": content,
            "usage": usage,
        }
        return self.line("assistant", message, agent)

    def line(self, kind: str, message: dict[str, Any], agent: str | None = None) -> bytes:
        """Any line."""
        record = {
            "parentUuid": None,
            "isSidechain": agent is not None,
            **({"agentId": agent} if agent else {}),
            "type": kind,
            "message": message,
            "uuid": str(uuid.uuid4()),
            "timestamp": self.timestamp,
            "cwd": "/work",
            "sessionId": self.session,
            "version": "2.1.325",
        }
        return json.dumps(record, separators=(",", ":")).encode() + b"\n"

    def child(self, agent: str, call: str) -> Path:
        """A sub-agent's file, with its meta file beside it."""
        folder = self.main.with_suffix("") / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        meta = {"agentType": "Explore", "description": "look", "toolUseId": call, "spawnDepth": 1}
        (folder / f"agent-{agent}.meta.json").write_text(json.dumps(meta))
        return folder / f"agent-{agent}.jsonl"


def append(path: Path, data: bytes) -> None:
    """More of a file."""
    with path.open("ab") as file:
        file.write(data)
