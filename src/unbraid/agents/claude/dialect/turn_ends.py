"""When an interactive session's turns end, and when it waits for a person.

At the end of a turn, the transcript says how long the turn was; transcripts of older versions do
not, and those of newer ones not for every interrupted turn. Its process publishes what it does
(`sessions/<pid>.json`): the readers of the files pass that on as records of type `unbraid.state`.
Either may be first, and a turn ends once.
"""

from __future__ import annotations

from msgspec import Struct, field

from unbraid.agents.claude.dialect.permissions import Permissions
from unbraid.agents.claude.dialect.prompts import Prompts
from unbraid.agents.claude.dialect.reports import CliReports
from unbraid.agents.claude.records import ClaudeRecord
from unbraid.agents.claude.transcript import PublishedState
from unbraid.events import RelayEvent, TurnComplete
from unbraid.read.clock import Clock
from unbraid.read.lifecycle import Agents
from unbraid.read.record import read_as
from unbraid.read.seen import newly

TURN_DURATION = "turn_duration"


class TurnDuration(Struct):
    """How long a turn was."""

    duration_ms: float | None = field(default=None, name="durationMs")


class SessionTurnEnds:
    """Turns what a session says of its turns into events."""

    def __init__(
        self,
        *,
        clock: Clock,
        agents: Agents,
        prompts: Prompts,
        permissions: Permissions,
        reports: CliReports,
        seen: dict[int, None],
    ) -> None:
        self._clock = clock
        self._contexts, self._root = agents.contexts, agents.contexts.root
        self._prompts = prompts
        self._permissions = permissions
        self._reports = reports
        self._seen = seen
        self._ended: object = self._done_so_far()
        self._is_new = True

    def lasted(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `system/turn_duration` record of a transcript."""
        if record.is_sidechain or (record.uuid and not newly(self._seen, hash(record.uuid))):
            return
        lasted = read_as(TurnDuration, record.raw).duration_ms
        self._end(out, None if lasted is None else round(lasted))

    def interrupted(self, out: list[RelayEvent]) -> None:
        """Ends the turn of a main agent that was interrupted while others work for it: its process
        stays busy then, and nothing else says that the turn is over.
        """
        if any(each.spawned and not each.ended for each in self._contexts.everyone()):
            self._end(out, None)

    def published(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an `unbraid.state` record."""
        state = read_as(PublishedState, record.raw)
        if state.status == "waiting":
            self._permissions.awaited(f"{record.session_id}.{self._clock.ts}", out)
            return
        self._permissions.dismissed(out)
        if state.status == "idle":
            self._end(out, None, is_idle=True)

    def _end(
        self, out: list[RelayEvent], duration_ms: int | None, *, is_idle: bool = False
    ) -> None:
        """Ends a turn. A session that is idle before anyone has asked anything (after `/clear`, or
        with commands of the terminal alone) has had none, and waits for a prompt all the same.
        """
        done, is_new = self._done_so_far(), self._is_new
        if self._reports.has_stdout or (done == self._ended and not (is_idle and is_new)):
            return  # the process's own output says it, or it was said already
        has_turn = done != self._ended
        self._ended, self._is_new = done, False
        root = self._root
        subtype = "interrupted" if root.interrupted else "error" if root.has_failed else ""
        out.append(
            TurnComplete(
                "",
                self._clock.ts,
                ok=not subtype,
                subtype=subtype,
                reason={"": "completed", "error": "failed"}.get(subtype, subtype),
                result=root.failure if root.has_failed else None,
                duration_ms=duration_ms,
                num_turns=None if has_turn else 0,
            )
        )

    def _done_so_far(self) -> object:
        """Returns a value that changes when the main agent gets a prompt or says anything more."""
        return self._prompts.count, self._root.said_last, self._root.interrupted
