"""A recording: what a CLI printed and kept, beside what the model knows that its agents said; and
players of it.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .script import Json

STREAMS = ("stdout", "events", "app-server")
DATABASES = ("opencode.db", "kilo.db")
PARTS = (
    *(f"{name}.ndjson" for name in STREAMS),
    "times.json",
    "event.sse",
    "stdin.ndjson",
    "projects",
    "storage",
    "sessions",
    *DATABASES,
    "truth.json",
)


@dataclass
class Recording:
    """One run of one CLI; `save` and `load` keep it in a folder."""

    scenario: str
    version: str
    mode: str
    truth: Json
    lines: list[bytes] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    sent: list[Json] = field(default_factory=list)
    exit: int | None = None
    sse: bytes = b""
    stderr: bytes = b""
    projects: Path | None = None
    database: Path | None = None
    storage: Path | None = None
    rollouts: Path | None = None

    @property
    def stdout(self) -> bytes:
        """The stream as one piece: what was printed, or the data of OpenCode's events."""
        return b"".join(line + b"\n" for line in self.lines)

    @property
    def blocks(self) -> list[Json]:
        """What the agents said, by the model's word."""
        blocks: list[Json] = self.truth["blocks"]
        return blocks

    @property
    def records(self) -> list[Any]:
        """The lines, decoded; in mode `json`, what their one array holds."""
        records = [json.loads(line) for line in self.lines if line.strip()]
        return records[0] if self.mode == "json" else records

    @property
    def transcripts(self) -> dict[str, list[Path]]:
        """Claude Code's transcript files by session: the session's own first, then its agents'."""
        groups: dict[str, list[Path]] = {}
        for path in sorted(self.projects.rglob("*.jsonl")) if self.projects else ():
            if path.name == "journal.jsonl":
                continue
            session = path.stem
            if path.name.startswith("agent-"):
                with path.open("rb") as file:
                    session = json.loads(file.readline()).get("sessionId", session)
            group = groups.setdefault(session, [])
            group.insert(0 if path.stem == session else len(group), path)
        return groups

    def save(self, folder: Path) -> Path:
        """Write the recording to a folder, in the layout that `load` reads.

        It replaces one that the folder holds: of two recordings in one, neither would be true.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "truth.json").exists():
            _clear(folder)
        stream = {"serve": "events", "app-server": "app-server"}.get(self.mode, "stdout")
        (folder / f"{stream}.ndjson").write_bytes(self.stdout)
        (folder / "times.json").write_text(json.dumps([round(t, 4) for t in self.times]))
        if self.sse:
            (folder / "event.sse").write_bytes(self.sse)
        if self.sent:
            rows = (json.dumps(row, ensure_ascii=False) + "\n" for row in self.sent)
            (folder / "stdin.ndjson").write_text("".join(rows))
        if self.projects is not None and self.projects.is_dir():
            shutil.copytree(self.projects, folder / "projects", dirs_exist_ok=True)
        if self.storage is not None and self.storage.is_dir():
            shutil.copytree(self.storage, folder / "storage", dirs_exist_ok=True)
        if self.rollouts is not None and self.rollouts.is_dir():
            shutil.copytree(self.rollouts, folder / "sessions", dirs_exist_ok=True)
        if self.database is not None and self.database.is_file():
            _copy_database(self.database, folder / self.database.name)
        head = {"scenario": self.scenario, "version": self.version, "mode": self.mode}
        truth = {**head, "exit": self.exit, **self.truth}
        (folder / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1))
        return folder


def _clear(folder: Path) -> None:
    for name in PARTS:
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _copy_database(source: Path, target: Path) -> None:
    # A plain copy would miss what is only in the write-ahead log.
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)


def load(folder: Path) -> Recording:
    """Returns a recording from its folder."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    head = {key: truth.pop(key) for key in ("scenario", "version", "mode")}
    stream = next((p for n in STREAMS if (p := folder / f"{n}.ndjson").exists()), None)
    data = stream.read_bytes() if stream else b""
    projects, storage, rollouts = (folder / n for n in ("projects", "storage", "sessions"))
    databases = (folder / n for n in DATABASES)
    sent, sse, times = (folder / n for n in ("stdin.ndjson", "event.sse", "times.json"))
    return Recording(
        **head,
        exit=truth.pop("exit", None),
        truth=truth,
        lines=[line.removesuffix(b"\n") for line in lines(data)],
        times=json.loads(times.read_bytes()) if times.exists() else [],
        sent=[json.loads(row) for row in lines(sent.read_bytes())] if sent.exists() else [],
        sse=sse.read_bytes() if sse.exists() else b"",
        projects=projects if projects.is_dir() else None,
        database=next((path for path in databases if path.is_file()), None),
        storage=storage if storage.is_dir() else None,
        rollouts=rollouts if rollouts.is_dir() else None,
    )


# --- players: the same bytes, cut in every way that a pipe may cut them ---


def whole(data: bytes) -> Iterator[bytes]:
    """Yields all at once."""
    yield data


def byte_by_byte(data: bytes) -> Iterator[bytes]:
    """Yields one byte at a time."""
    return (data[at : at + 1] for at in range(len(data)))


def random_cuts(data: bytes, seed: int, *, longest: int = 4096) -> Iterator[bytes]:
    """In pieces of random length, the same for the same seed; some of them empty."""
    chance, at = random.Random(seed), 0
    while at < len(data):
        # Short and long pieces alike: an even draw would hardly ever cut inside a short line.
        size = chance.randint(0, chance.choice((1, 16, 256, longest)))
        yield data[at : at + size]
        at += size


def lines(data: bytes) -> Iterator[bytes]:
    """Line by line, each with its newline; what follows the last one too."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        yield data[at:end]
        at = end
