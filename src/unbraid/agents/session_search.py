"""What was said in stored sessions, as far as their files may hold some words.

`rg` or `grep` finds the files, where there is one: nothing we could write reads a gigabyte as fast.
What it finds is looked at closely: a word in a path or an id is not something that an agent said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from unbraid.agents.session_port import StoredBlock
from unbraid.events import Prompt, RelayEvent, TextDelta, ThinkingDelta, ToolUse
from unbraid.events.parts import call_text
from unbraid.fold.query import json_forms
from unbraid.system.files import chunks

FILES_AT_ONCE = 128
# These programs hold a line in memory, however long it is.
MAX_GREP_BYTES = 64 << 20
GREPS_AT_ONCE = min(os.cpu_count() or 1, 4)
FINDERS = (
    ("rg", "-l0aFi", "--no-config", "--no-ignore", "--hidden"),
    ("grep", "-lZaFi"),
)


def files_that_may_hold(sizes: Mapping[str, int], needle: str) -> Iterator[str]:
    """Yields those of some files of JSON lines that may hold a needle in small letters, in their
    order. The files are given with their sizes.
    """
    program, forms = _finder(), _forms(needle)
    # Only ASCII and what has no cases is left: others not every program knows.
    if program is None or forms is None:
        yield from (path for path in sizes if _file_may_hold(path, needle))
        return
    program += [argument for form in forms for argument in ("-e", form)]
    paths = [*sizes]
    batches = [paths[at : at + FILES_AT_ONCE] for at in range(0, len(paths), FILES_AT_ONCE)]
    with ThreadPoolExecutor(GREPS_AT_ONCE) as pool:
        # Only a few ahead: what is found soon may be enough.
        ahead: deque[Future[set[str]]] = deque()
        for number, batch in enumerate(batches):
            while len(ahead) < GREPS_AT_ONCE and number + len(ahead) < len(batches):
                next_batch = batches[number + len(ahead)]
                small = [path for path in next_batch if sizes[path] <= MAX_GREP_BYTES]
                ahead.append(pool.submit(_found, [*program, "--", *small]))
            holding = ahead.popleft().result()
            for path in batch:
                if path in holding or (
                    sizes[path] > MAX_GREP_BYTES and _file_may_hold(path, needle)
                ):
                    yield path


def _finder() -> list[str] | None:
    """Returns the fastest program there is that finds files by bytes in them, whatever
    their case.
    """
    for words in FINDERS:
        program = shutil.which(words[0])
        if program is not None:
            return [program, *words[1:]]
    return None


def _found(command: list[str]) -> set[str]:
    # In the C locale bytes are bytes, and nothing is slower for being UTF-8.
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )
    return set(os.fsdecode(done.stdout).split("\0"))


def _file_may_hold(path: str, needle: str) -> bool:
    try:
        return may_hold(chunks(Path(path)), needle)
    except OSError:
        return False


def may_hold(chunks: Iterable[bytes], needle: str) -> bool:
    """Returns whether JSON lines, wherever they are cut, may hold a needle in small letters. One
    that JSON may spell in many ways they always may.
    """
    forms = _forms(needle)
    if forms is None:
        return True
    wanted = [form.encode() for form in forms]
    overlap, rest = max(map(len, wanted)) - 1, b""
    for chunk in chunks:
        text = rest + chunk.lower()
        if any(form in text for form in wanted):
            return True
        rest = text[max(len(text) - overlap, 0) :]
    return False


def _forms(needle: str) -> list[str] | None:
    """Returns how JSON may spell a needle; None if that can be many ways."""
    return None if '"' in needle or "\\" in needle else json_forms(needle)


def stored_block(event: RelayEvent, *, session_id: str, agent_id: str | None) -> StoredBlock | None:
    """Returns what was said, asked or called in an event. What a call gave is nothing to search
    for, as in the log.
    """
    match event:
        case TextDelta():
            kind, text = "text", event.delta
        case ThinkingDelta():
            kind, text = "thinking", event.delta
        case ToolUse():
            kind, text = "tool_use", call_text(event.tool, bytes(event.input_json))
        case Prompt():
            kind, text = "prompt", event.text
        case _:
            return None
    return StoredBlock(session_id=session_id, agent_id=agent_id, kind=kind, ts=event.ts, text=text)
