"""What was said in Claude Code's transcripts, as far as it may hold some words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from unbraid.agents.claude.records import Block
from unbraid.agents.claude.sessions.beginnings import lines_of, records_in
from unbraid.agents.claude.sessions.layout import File, Scan
from unbraid.agents.claude.transcript import INTERRUPTION, NOT_A_PROMPT, TASK_NOTIFICATION
from unbraid.agents.port import StoredBlock
from unbraid.agents.session_search import files_that_may_hold
from unbraid.events.parts import call_text
from unbraid.fold.query import folded, json_forms
from unbraid.read.record import milliseconds

NO_PROMPTS = (INTERRUPTION, TASK_NOTIFICATION, *NOT_A_PROMPT)


def transcript_blocks(
    env: Mapping[str, str], needle: str, known: Collection[str]
) -> Iterator[StoredBlock]:
    """Yields the blocks of lines that may hold a needle, newest sessions first, but none of
    sessions that are `known`.
    """
    scan = Scan(env)
    owned: list[tuple[str | None, File]] = [
        (session.id, file)
        for session in scan.sessions
        if session.id not in known
        for file in (session.main, *session.children)
    ]
    owned += [(None, file) for file in scan.beside]
    owners = {file.path: owner for owner, file in owned}
    sizes = {file.path: file.size for _, file in owned}
    forms = json_forms(needle)
    wanted = None if forms is None else [form.encode() for form in forms]
    for path in files_that_may_hold(sizes, needle):
        with suppress(OSError):
            for line in lines_of(path):
                if _may_hold(line, needle, wanted):
                    blocks = _in_line(line, owners[path])
                    yield from (block for block in blocks if block.session_id not in known)


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
