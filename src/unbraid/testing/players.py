"""Players of recordings: the same bytes, cut in every way that a pipe may cut them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from .recording import DATABASES, STREAMS, Recording


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
