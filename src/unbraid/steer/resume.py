"""Continuing an agent of a recorded run in its own program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unbraid.agents.port import Resumption, StoredAgent
from unbraid.agents.registry import kind
from unbraid.errors import CallerError
from unbraid.events import FleetSessionMeta, StreamStart
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary


async def resumption(
    log: Log,
    run: RunSummary,
    *,
    stream: int,
    env: Mapping[str, str],
    arguments: Sequence[str],
    write: bool = True,
) -> Resumption:
    """Returns what continues a stream of a run; a file may be made for it, with `write`. Raises
    CallerError if nothing can.
    """
    found = kind(run.source)
    launcher = None if found is None else found.launcher(env)
    if launcher is None:
        raise _not_resumable(run)
    agent_id = await agent_of(log, run.run, stream) if stream else None
    if stream and agent_id is None:
        raise CallerError(f"run {run.run} does not have the agent id of its stream {stream}")
    stored = StoredAgent(
        session_id=run.session_id or run.run.partition(".")[0],
        agent_id=agent_id,
        agent=await _agent_name(log, run.run, stream) if stream else None,
    )
    resumed = launcher.resume(stored, arguments, write=write)
    if resumed is None:
        raise _not_resumable(run)
    return resumed


def _not_resumable(run: RunSummary) -> CallerError:
    return CallerError(f"run {run.run} cannot be resumed: no program continues its session")


async def agent_of(log: Log, run: str, stream: int) -> str | None:
    """Returns the id of the agent behind a stream, or behind the earlier one that it resumes."""
    types = ("stream_start", "session_meta")
    wanted: int | None = stream
    while wanted is not None:
        earlier: int | None = None
        known = False
        for entry in await log.read(run, 0, 1000, stream_id=wanted, types=types):
            event = entry.event
            known = True
            if isinstance(event, StreamStart | FleetSessionMeta) and event.agent_id:
                return event.agent_id
            if isinstance(event, StreamStart):
                earlier = event.resumes
        if not known:
            raise CallerError(f"run {run} has no stream {wanted}")
        wanted = earlier
    return None


async def _agent_name(log: Log, run: str, stream: int) -> str | None:
    """Returns what the agent of a stream is called."""
    first = await log.read(run, 0, 1, stream_id=stream, types=("stream_start",))
    return first[0].event.agent if first else None
