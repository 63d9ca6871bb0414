"""What was said in Claude Code's transcripts, as far as it may hold some words.

`rg` or `grep` finds the files, where there is one: nothing we could write reads a gigabyte as fast.
What it finds is looked at closely: a word in a path or an id is not something that an agent said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from unbraid.agents.claude.records import Block
from unbraid.agents.claude.sessions.discovery import File, Scan
from unbraid.agents.claude.sessions.listing import records_in
from unbraid.agents.claude.transcript import INTERRUPTION, NOT_A_PROMPT, TASK_NOTIFICATION
from unbraid.agents.session_port import StoredBlock
from unbraid.events.parts import call_text
from unbraid.fold.query import folded, json_forms
from unbraid.read.lines import Lines
from unbraid.read.record import milliseconds
from unbraid.system.files import chunks

FILES_AT_ONCE = 128
# These programs hold a line in memory, however long it is.
MAX_GREP_BYTES = 64 << 20
GREPS_AT_ONCE = min(os.cpu_count() or 1, 4)
MAX_LINE_BYTES = 32 << 20
FINDERS = (
    ("rg", "-l0aFi", "--no-config", "--no-ignore", "--hidden"),
    ("grep", "-lZaFi"),
)

NO_PROMPTS = (INTERRUPTION, TASK_NOTIFICATION, *NOT_A_PROMPT)

Owned = tuple[str | None, File]  # a file, and the session it belongs to, if its path says so


def transcript_blocks(
    env: Mapping[str, str], needle: str, known: Collection[str]
) -> Iterator[StoredBlock]:
    """Yields the blocks of lines that may hold a needle, newest sessions first, but none of
    sessions that are `known`.
    """
    scan = Scan.of(env)
    owned = [
        (found.id, file)
        for found in scan.sessions
        if found.id not in known
        for file in (found.main, *found.children)
    ]
    files: list[Owned] = [*owned, *((None, file) for file in scan.beside)]
    forms = json_forms(needle)
    for session, file in _holding(files, forms):
        for line in _lines_with(file, needle, forms):
            for block in _in_line(line, session):
                if block.session_id not in known:
                    yield block


def _holding(files: list[Owned], forms: list[str] | None) -> Iterator[Owned]:
    """Yields those of the files that may hold one of the forms of a needle, in their order."""
    program = _finder()
    # Only ASCII and what has no cases is left: others not every program knows.
    if program is None or forms is None:
        yield from files
        return
    program += [argument for form in forms for argument in ("-e", form)]
    batches = [files[at : at + FILES_AT_ONCE] for at in range(0, len(files), FILES_AT_ONCE)]
    with ThreadPoolExecutor(GREPS_AT_ONCE) as pool:
        # Only a few ahead: what is found soon may be enough.
        ahead: deque[Future[set[str]]] = deque()
        for number, batch in enumerate(batches):
            while len(ahead) < GREPS_AT_ONCE and number + len(ahead) < len(batches):
                batch_ahead = batches[number + len(ahead)]
                paths = [file.path for _, file in batch_ahead if file.size <= MAX_GREP_BYTES]
                ahead.append(pool.submit(_found, [*program, "--", *paths]))
            holding = ahead.popleft().result()
            for owned in batch:
                if owned[1].size > MAX_GREP_BYTES or owned[1].path in holding:
                    yield owned


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


def _lines_with(file: File, needle: str, forms: list[str] | None) -> Iterator[bytes]:
    wanted = None if forms is None else [form.encode() for form in forms]
    lines = Lines(MAX_LINE_BYTES)
    try:
        for chunk in chunks(Path(file.path)):
            for line in lines.feed(chunk):
                if isinstance(line, bytes) and _may_hold(line, needle, wanted):
                    yield line
    except OSError:
        return


def _may_hold(line: bytes, needle: str, forms: list[bytes] | None) -> bool:
    if forms is not None:
        lower = line.lower()
        return any(form in lower for form in forms)
    return b"\\u" in line or folded(needle) in folded(line.decode("utf-8", "replace"))


def _in_line(line: bytes, session: str | None) -> Iterator[StoredBlock]:
    for record in records_in(line):
        if record.message is None:
            continue
        said = "prompt" if record.type == "user" else "text"
        for kind, text in _texts(record.message.content, said):
            # What the CLI says to the model in the person's name is no prompt.
            if kind == "prompt" and (record.is_meta or text.startswith(NO_PROMPTS)):
                continue
            yield StoredBlock(
                session_id=session or record.session_id_transcript or "",
                agent_id=record.agent_id_transcript,
                kind=kind,
                ts=milliseconds(record.timestamp),
                text=text,
            )


def _texts(content: list[Block] | str | None, said: str) -> Iterator[tuple[str, str]]:
    """Yields what was said or called; not what calls gave, as in a search of the log."""
    for block in [Block(type="text", text=content)] if isinstance(content, str) else content or ():
        if block.type == "tool_use" and block.name is not None:
            yield "tool_use", call_text(block.name, bytes(block.input))
        elif block.type in ("text", "thinking") and block.words:
            yield said if block.type == "text" else "thinking", block.words
