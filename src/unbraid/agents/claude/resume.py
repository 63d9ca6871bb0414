"""Continuing an agent of Claude Code.

A session is resumed by its id, in the folder that its own transcript names: a run that was sent
here from elsewhere may name any id and any folder. A sub-agent is no session, so it is made one:
its transcript, copied to a new file under a new id, as the text of a main agent. The file is
created, never overwritten, and no other is touched.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from unbraid.agents.claude.sessions.beginnings import lines_of, opening_of_file
from unbraid.agents.claude.sessions.layout import (
    SESSION_ID,
    child_files,
    files_beside,
    session_transcripts,
    stem_of,
)
from unbraid.agents.claude.sessions.processes import process_folder
from unbraid.agents.command_line import NOT_STORED_HERE, checked_id
from unbraid.agents.port import Resumption, StoredAgent
from unbraid.errors import SourceError
from unbraid.read.record import BAD_JSON

SIDECHAIN = "sidechain:"
NO_TRANSCRIPT = "has no transcript, so it cannot be resumed"
# In files' names, or, in 1.0, the id of the line that a sub-agent begins with.
AGENT_ID = re.compile(rf"(?:{SIDECHAIN})?[0-9A-Za-z][0-9A-Za-z_-]{{0,63}}")


def resumption(
    env: Mapping[str, str], stored: StoredAgent, arguments: Sequence[str], *, write: bool = True
) -> Resumption:
    """Returns the command that continues a session, or a sub-agent as a session of its own, for
    which a file is made.
    """
    session = checked_id(stored.session_id, SESSION_ID, "a session of Claude Code")
    main = next(session_transcripts(session, env), None)
    if main is None:
        raise SourceError(session, NOT_STORED_HERE)
    if stored.agent_id is None:
        cwd = opening_of_file(main).cwd or process_folder(main)
        return Resumption(["claude", "--resume", session, *arguments], cwd)
    agent = checked_id(stored.agent_id, AGENT_ID, "an agent of Claude Code")
    if not write:
        if next(_lines_of(main, agent), None) is None:
            raise SourceError(agent, NO_TRANSCRIPT)
        return Resumption(["claude", "--resume", *arguments], None, needs_copy=True)
    made, cwd = as_session(main, agent)
    return Resumption(["claude", "--resume", made.stem, *arguments], cwd, made)


def as_session(main: Path, agent: str) -> tuple[Path, str | None]:
    """Returns a sub-agent's transcript as a session of its own: its new file, and where it
    worked.
    """
    name = str(uuid.uuid4())
    lines = list(_as_main(_lines_of(main, agent), name, copied_from=main.stem))
    if not lines:
        raise SourceError(agent, NO_TRANSCRIPT)
    made = main.with_name(f"{name}.jsonl")
    # Exclusive: a file that exists belongs to another session.
    with made.open("xb") as file:
        made.chmod(0o600)
        file.writelines(msgspec.json.encode(line) + b"\n" for line in lines)
    cwds = [line["cwd"] for line in lines if isinstance(line.get("cwd"), str)]
    return made, cwds[-1] if cwds else None


def _lines_of(main: Path, agent: str) -> Iterator[dict[str, Any]]:
    if agent.startswith(SIDECHAIN):
        yield from _chain(main, agent.removeprefix(SIDECHAIN))
        return
    for path in [*(file.path for file in child_files(main)), *files_beside(main)]:
        if stem_of(path) == f"agent-{agent}":
            yield from _objects(path)
            return


def _chain(main: Path, first: str) -> Iterator[dict[str, Any]]:
    """Yields the lines of a sub-agent of 1.0, which are a chain of lines in the session's own
    file.
    """
    inside = {first}
    for line in _objects(str(main)):
        if line.get("isSidechain") and (
            line.get("uuid") == first or line.get("parentUuid") in inside
        ):
            inside.add(str(line.get("uuid")))
            yield line


def _objects(path: str) -> Iterator[dict[str, Any]]:
    for line in lines_of(path):
        try:
            value = msgspec.json.decode(line)
        except BAD_JSON:
            continue
        if isinstance(value, dict):
            yield value


def _as_main(
    lines: Iterator[dict[str, Any]], session: str, *, copied_from: str
) -> Iterator[dict[str, Any]]:
    """Yields lines as a session's own. Each is marked as a copy, in the CLI's own way: what it used
    has been counted where it was copied from.
    """
    for line in lines:
        line["forkedFrom"] = {"sessionId": copied_from, "messageUuid": line.get("uuid")}
        line.pop("agentId", None)
        if "isSidechain" in line:
            line["isSidechain"] = False
        if "sessionId" in line:
            line["sessionId"] = session
        yield line
