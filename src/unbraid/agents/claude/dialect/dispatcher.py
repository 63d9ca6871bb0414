"""Claude Code's dialect: decides whether a line is a record of Claude Code, and dispatches records
by their types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unbraid.agents.claude.dialect.attribution import Attribution
from unbraid.agents.claude.dialect.calls import Permissions, ToolCalls
from unbraid.agents.claude.dialect.contexts import ClaudeAgents, ClaudeContext
from unbraid.agents.claude.dialect.messages import Messages
from unbraid.agents.claude.dialect.reports import Reports
from unbraid.agents.claude.dialect.snapshots import Snapshots
from unbraid.agents.claude.dialect.unnamed_messages import UnnamedMessages
from unbraid.agents.claude.dialect.usage import UsageReports
from unbraid.agents.claude.records import (
    DELTA_SIGNS,
    PART_SIGNS,
    TITLE_TYPES,
    WORTH_CUTTING,
    ClaudeRecord,
    decode_long,
    decode_plain,
    delta_in,
)
from unbraid.agents.claude.transcript import (
    AGENT_FACTS,
    COPIED_MESSAGES,
    COST_STATE,
    COUNTED_TOKENS,
    HOOKED_PERMISSION,
    SESSION_INTRODUCTION,
    SESSION_STATE,
)
from unbraid.events import RelayEvent, TextDelta, Unrecognized
from unbraid.read.clock import Clock
from unbraid.read.dialects import Dialect
from unbraid.read.record import coerce, sound

# Records that keep the CLI's own books: nothing in them was said or done by an agent.
SILENT_TYPES = frozenset(
    """
    control_response keep_alive tool_progress rate_limit_event prompt_suggestion streamlined_text
    queue-operation last-prompt atis-latch api-request api-request-blob
    api-request-shape tools-used file-history-snapshot mode permission-mode progress started
    launched
    """.split()
)
ORPHANED = "orphaned"
# Any kind may print errors; this is how others than ours name their session in them.
ERROR, FOREIGN_SESSION = "error", "sessionID"
FOREIGN_KEY = f'"{FOREIGN_SESSION}"'.encode()


class ClaudeDialect(Dialect[ClaudeRecord]):
    """Translates the records of one run of Claude Code."""

    delta_signs, part_signs = DELTA_SIGNS, PART_SIGNS
    delta = staticmethod(delta_in)

    def __init__(self) -> None:
        self._clock = clock = Clock()
        self._usage = usage = UsageReports(clock)
        self._agents = agents = ClaudeAgents(clock, usage.finish)
        self._contexts = agents.contexts
        self._unnamed = unnamed = UnnamedMessages(agents)
        self._attribution = attribution = Attribution(agents, unnamed, self.translate)
        permissions = Permissions(agents)
        self._tools = tools = ToolCalls(agents, attribution, permissions)
        messages = Messages(agents, attribution, unnamed, tools, usage)
        self._reports = reports = Reports(agents, attribution, tools, permissions, usage)
        self._stdout = messages.stdout
        self._snapshots = Snapshots()
        self._ended: tuple[bool, str] | None = None
        # By the types that no other kind prints.
        self._handlers: dict[str, Callable[[ClaudeRecord, list[RelayEvent]], None] | None] = {
            "assistant": messages.assistant,
            "user": reports.user,
            "attachment": reports.attachment,
            "stream_event": messages.stream_event,
            "system": reports.system,
            "result": reports.result,
            "control_request": permissions.asked,
            "control_cancel_request": permissions.cancelled,
            COST_STATE: reports.cost_state,
            AGENT_FACTS: attribution.agent_facts,
            COPIED_MESSAGES: reports.copied,
            COUNTED_TOKENS: usage.counted_elsewhere,
            SESSION_INTRODUCTION: reports.introduction,
            SESSION_STATE: reports.published,
            HOOKED_PERMISSION: permissions.hooked,
            **dict.fromkeys(TITLE_TYPES, reports.titled),
        } | dict.fromkeys(SILENT_TYPES)

    @property
    def ts(self) -> int:
        """The latest time that a source has given, in milliseconds since 1970; 0 if none did."""
        return self._clock.ts

    @property
    def outcome(self) -> tuple[bool, str] | None:
        """How the main agent has ended, as far as is known: ok, and the reason."""
        return self._reports.outcome or self._ended

    def arrive(self, now: int) -> None:
        """Notes when the records that follow have arrived."""
        self._clock.arrived = now

    def decode(self, line: bytes) -> ClaudeRecord | None:
        """Returns a line as a record; None if it belongs to another kind."""
        # Asked anew for each line: what was learned from the one before may make this one cheaper.
        if self._stdout.cumulative:
            record = self._snapshots.decode(line)
        elif len(line) > WORTH_CUTTING:
            record = decode_long(line)
        else:  # as `records.decode` does it
            record = decode_plain(line)
            record.raw = line
        if record.type in self._handlers or _is_ours(record, foreign=FOREIGN_KEY in line):
            return record
        return None

    def decode_again(self, record: ClaudeRecord) -> ClaudeRecord | None:
        """Returns the record itself: `decode_printed` reads lines as `decode` does. Only what
        repeats itself is read again, by what is known from the lines before.
        """
        is_known = record.type in self._handlers and not self._stdout.cumulative
        return record if is_known else self.decode(record.raw)

    def mend(self, value: dict[str, Any]) -> tuple[ClaudeRecord, bool] | None:
        """Returns a JSON object as a record, with defaults where its types are wrong, and whether
        nothing was left out; None if it belongs to another kind.
        """
        record, whole = coerce(ClaudeRecord, value)
        record.skipped = 0
        known = record.type in self._handlers
        if known or _is_ours(record, foreign=FOREIGN_SESSION in value):
            return record, whole
        return None

    def translate(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Appends what is new in a record."""
        stamp = record.timestamp
        if stamp is not None:
            self._clock.set(stamp)
        try:
            handler = self._handlers[record.type]
        except KeyError:
            handler = self._reports.error if record.type == ERROR else self._unrecognized
        if handler is not None:
            if stamp is None and self._clock.arrived:
                self._clock.tick()
            handler(record, out)

    def _unrecognized(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        out.append(Unrecognized("", self._clock.ts, sound(record.raw)))

    def finish(self, out: list[RelayEvent]) -> None:
        """Appends what was waiting, and ends what was running: the sources are over."""
        self._attribution.release_all(out)
        self._tools.fill_all(out)
        self._unnamed.finish(out)
        root = self._contexts.root
        if self._reports.answer and not root.messages:
            # All there is of a run that was asked for its result alone (`--output-format json`).
            out.append(
                TextDelta(
                    context="",
                    ts=self._clock.ts,
                    message_id="result",
                    block=0,
                    delta=self._reports.answer,
                )
            )
        everyone = self._contexts.everyone()
        for context in [root, *everyone]:
            self._usage.finish(context, out)
        abandoned = False
        # An agent goes on to its next message only when all calls of the one before are answered.
        waiting = {
            id(call.context)
            for call in self._agents.calls.values()
            if call.message in call.context.latest
        }
        for context in reversed(everyone):
            if context.spawned and not context.ended:
                ending = context.ending or self._fate(context, waiting)
                abandoned |= ending[1] == ORPHANED and context.call is not None
                self._agents.end(context, *ending, out=out)
        ok, reason, _ = self._fate(root, waiting)
        # A main agent that waits for an answer which never comes is orphaned, too.
        self._ended = (False, ORPHANED) if ok and abandoned else (ok, reason)

    def _fate(self, context: ClaudeContext, waiting: set[int]) -> tuple[bool, str, str | None]:
        """Returns how an agent whose end was not reported has ended, judged by its last record;
        `waiting` are the agents whose calls were not answered.
        """
        if context.interrupted:
            return False, "interrupted", None
        if context.has_failed:
            return False, "failed", None
        if context.agent_id in self._attribution.finished:
            return True, "completed", None
        if context is self._contexts.root and self._is_unused():
            return True, "completed", None
        spoke_last = context.has_answered and context.ends_with_text and id(context) not in waiting
        # No call spawns a warm-up agent (2.0), so no result reports its end.
        unasked = context.parent is not None and context.call is None
        if spoke_last and (unasked or not self._reports.has_stdout):
            return True, "completed", None
        return False, ORPHANED, None

    def _is_unused(self) -> bool:
        """Returns whether the session has no prompt yet: then no agent was working in it."""
        said = self._reports.has_stdout or self._contexts.root.messages
        return not said and not self._reports.prompt_count


def _is_ours(record: ClaudeRecord, *, foreign: bool) -> bool:
    """Returns whether a record is Claude Code's if its type alone does not decide that."""
    return not foreign and (record.type == ERROR or bool(record.uuid or record.session_id))
