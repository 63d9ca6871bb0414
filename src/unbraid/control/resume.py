"""Going on with an agent in its own CLI.

A session is resumed by its id. A sub-agent of Claude Code's is no session, so it is made one: its
transcript, copied to a new file under a new id, as the words of a main agent. The file is created,
never overwritten, and no other is touched. A child of OpenCode's is a session, but OpenCode lets no
sub-agent go on with it, and takes its default agent instead: so the child's own agent is declared
fit for both, to that one process.
"""

from __future__ import annotations

import shlex
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from unbraid.agents.claude.command import option
from unbraid.agents.claude.places import session_transcripts
from unbraid.errors import CallerError, SourceError
from unbraid.events import FleetSessionMeta, StreamStart, decode_event
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.system.files import chunks
from unbraid.translate.tracks import split

SIDECHAIN = "sidechain:"
SETTINGS = "OPENCODE_CONFIG_CONTENT"  # OpenCode's settings for one process, over all others


class Resumption(Struct):
    """A command that goes on with an agent, where to start it and with what in its environment, and
    the file made for it.
    """

    argv: list[str]
    cwd: str | None
    made: Path | None = None
    env: dict[str, str] = {}

    def __str__(self) -> str:
        given = [f"{name}={shlex.quote(value)}" for name, value in self.env.items()]
        command = " ".join([*given, shlex.join(self.argv)])
        return f"cd {shlex.quote(self.cwd)} && {command}" if self.cwd else command


async def resumption(
    log: Log, run: RunSummary, stream: int, env: Mapping[str, str], more: list[str]
) -> Resumption:
    """What goes on with a stream of a run; for a sub-agent of Claude Code's, a file is made."""
    session = run.session_id or run.run.partition(".")[0]
    agent = await agent_of(log, run.run, stream) if stream else None
    if stream and agent is None:
        raise CallerError(f"run {run.run} does not tell the id of its stream {stream}")
    if run.source == "opencode":
        if agent is None:
            return _opencode(session, None, run.cwd, env, more)
        return _opencode(agent, await _kind(log, run.run, stream), run.cwd, env, more)
    if agent is None:
        return Resumption(["claude", "--resume", session, *more], run.cwd)
    main = next(session_transcripts(session, env), None)
    if main is None:
        raise SourceError(session, "its transcript is no longer there")
    made, cwd = as_session(main, agent)
    return Resumption(["claude", "--resume", made.stem, *more], cwd or run.cwd, made)


async def agent_of(log: Log, run: str, stream: int) -> str | None:
    """The id of the agent behind a stream, or behind the one that it goes on from."""
    types = ("stream_start", "session_meta")
    wanted: int | None = stream
    while wanted is not None:
        earlier: int | None = None
        known = False
        for entry in await log.read(run, 0, 1000, stream_id=wanted, types=types):
            event = decode_event(entry.data)
            known = True
            if isinstance(event, StreamStart | FleetSessionMeta) and event.agent_id:
                return event.agent_id
            if isinstance(event, StreamStart):
                earlier = event.resumes
        if not known:
            raise CallerError(f"run {run} has no stream {wanted}")
        wanted = earlier
    return None


def as_session(main: Path, agent: str) -> tuple[Path, str | None]:
    """A sub-agent's transcript as a session of its own: its new file, and where it worked."""
    name = str(uuid.uuid4())
    lines = list(_as_main(_lines_of(main, agent), name))
    if not lines:
        raise SourceError(agent, "has no transcript, so it cannot be resumed")
    made = main.with_name(f"{name}.jsonl")
    # Exclusive: a file that exists is somebody's.
    with made.open("xb") as file:
        made.chmod(0o600)
        file.writelines(msgspec.json.encode(line) + b"\n" for line in lines)
    cwds = [line["cwd"] for line in lines if isinstance(line.get("cwd"), str)]
    return made, cwds[-1] if cwds else None


def _lines_of(main: Path, agent: str) -> Iterator[dict[str, Any]]:
    if agent.startswith(SIDECHAIN):
        yield from _chain(main, agent.removeprefix(SIDECHAIN))
        return
    inner = main.with_suffix("") / "subagents"
    for path in [*inner.rglob(f"agent-{agent}.jsonl"), main.with_name(f"agent-{agent}.jsonl")]:
        if path.is_file():
            yield from _objects(path)
            return


def _chain(main: Path, first: str) -> Iterator[dict[str, Any]]:
    """1.0 keeps its sub-agents in the session's own file, as chains of lines."""
    inside = {first}
    for line in _objects(main):
        if line.get("isSidechain") and (
            line.get("uuid") == first or line.get("parentUuid") in inside
        ):
            inside.add(str(line.get("uuid")))
            yield line


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    for line in split(chunks(path)):
        try:
            value = msgspec.json.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _as_main(lines: Iterator[dict[str, Any]], session: str) -> Iterator[dict[str, Any]]:
    for line in lines:
        line.pop("agentId", None)
        if "isSidechain" in line:
            line["isSidechain"] = False
        if "sessionId" in line:
            line["sessionId"] = session
        yield line


async def _kind(log: Log, run: str, stream: int) -> str | None:
    """What kind of agent a stream is."""
    first = await log.read(run, 0, 1, stream_id=stream, types=("stream_start",))
    return decode_event(first[0].data).agent if first else None


def _opencode(
    session: str, kind: str | None, cwd: str | None, env: Mapping[str, str], more: list[str]
) -> Resumption:
    verb, rest = (["run"], more[1:]) if more[:1] == ["run"] else ([], more)
    given: dict[str, str] = {}
    named: list[str] = []
    if kind and option(rest, "--agent") is None:
        named = [f"--agent={kind}"]
        given[SETTINGS] = _settings(env.get(SETTINGS), kind)
    argv = ["opencode", *verb, "--session", session, *named, *rest]
    return Resumption(argv, cwd, env=given)


def _settings(before: str | None, kind: str) -> str:
    """Settings with an agent that may be a main one, too; whatever else is said there stays."""
    try:
        settings = msgspec.json.decode(before or "{}", type=dict[str, Any])
    except msgspec.MsgspecError:
        settings = {}
    agents = settings.get("agent")
    agents = agents if isinstance(agents, dict) else {}
    about = agents.get(kind)
    about = about if isinstance(about, dict) else {}
    settings["agent"] = {**agents, kind: {**about, "mode": "all"}}
    return msgspec.json.encode(settings).decode()
