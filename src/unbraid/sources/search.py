"""Search over transcripts that nobody has opened: a scan of the files, newest first.

`grep` finds the files, where there is one: nothing we could write reads a gigabyte as fast. What it
finds is looked at closely: a word in a path or an id is not something that an agent said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from unbraid.sources.discover import File, Scan
from unbraid.wire.record import milliseconds

SNIPPET_CHARS = 160
FILES_AT_ONCE = 256


class Place(Struct):
    """Where it was said: the session, the sub-agent if it was one, and the words around it."""

    session_id: str
    agent_id: str | None
    kind: str
    ts: int
    snippet: str


def search_files(query: str, env: Mapping[str, str], *, limit: int = 20) -> Iterator[Place]:
    """Places where an agent, or a person, said this, newest sessions first."""
    scan = Scan.of(env)
    beside = [(None, file) for file in scan.beside]
    owned = [(found.id, file) for found in scan.sessions for file in (found.main, *found.children)]
    files = [*owned, *beside]
    needle = msgspec.json.encode(query)[1:-1]  # as it stands in JSON
    for at in range(0, len(files), FILES_AT_ONCE):
        batch = files[at : at + FILES_AT_ONCE]
        holding = _holding([file.path for _, file in batch], needle)
        for session, file in batch:
            if file.path not in holding:
                continue
            for place in _in_file(file, session, query.lower(), needle):
                yield place
                limit -= 1
                if limit <= 0:
                    return


def _holding(paths: list[str], needle: bytes) -> set[str]:
    """Those of the files that may hold the needle."""
    grep = shutil.which("grep")
    # What is not ASCII has cases that the C locale does not know.
    if grep is None or not needle.isascii():
        return set(paths)
    # In the C locale bytes are bytes, and nothing is slower for being UTF-8.
    found = subprocess.run(
        [grep, "-laFi", "-e", needle, "--", *paths],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )
    return set(os.fsdecode(found.stdout).split("\n"))


def _in_file(file: File, session: str | None, query: str, needle: bytes) -> Iterator[Place]:
    try:
        data = Path(file.path).read_bytes()
    except OSError:
        return
    lowered, needle = (data.lower(), needle.lower()) if needle.isascii() else (data, b"")
    at = lowered.find(needle)
    while 0 <= at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield from _in_line(data[data.rfind(b"\n", 0, at) + 1 : end], session, query)
        at = lowered.find(needle, end + 1)


def _in_line(line: bytes, session: str | None, query: str) -> Iterator[Place]:
    try:
        record = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return
    if not isinstance(record, dict) or not isinstance(record.get("message"), dict):
        return
    for kind, text in _said(record["message"].get("content")):
        at = text.lower().find(query)
        if at >= 0:
            start = max(0, at - SNIPPET_CHARS // 4)
            yield Place(
                session or str(record.get("sessionId") or ""),
                record.get("agentId"),
                kind,
                milliseconds(record.get("timestamp")),
                text[start : start + SNIPPET_CHARS],
            )


def _said(content: Any) -> Iterator[tuple[str, str]]:
    if isinstance(content, str):
        yield "text", content
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        kind = str(block.get("type"))
        for name in ("text", "thinking", "content"):
            if isinstance(block.get(name), str):
                yield kind, block[name]
        if kind == "tool_use":
            yield kind, msgspec.json.encode(block.get("input")).decode()
        if isinstance(block.get("content"), list):
            yield from ((kind, words) for _, words in _said(block["content"]))
