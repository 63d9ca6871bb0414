"""The records in which the CLI reports about itself: sessions, turns, errors."""

from __future__ import annotations

import msgspec

from unbraid.agents.claude.dialect.attribution import Attribution
from unbraid.agents.claude.dialect.prompts import Prompts
from unbraid.agents.claude.dialect.spawns import Spawns
from unbraid.agents.claude.dialect.tasks import Tasks
from unbraid.agents.claude.dialect.tools import ToolCalls
from unbraid.agents.claude.dialect.usage import UsageReports
from unbraid.agents.claude.records import (
    ClaudeRecord,
    CompactBoundary,
    CostState,
    ErrorFields,
    Init,
    Result,
    is_about_earlier,
    is_about_more,
    parse_double_encoded,
)
from unbraid.agents.claude.titles import TitleRecord, Titles
from unbraid.agents.claude.transcript import (
    AgentFacts,
    CopiedMessages,
    JournalEntry,
    SessionIntroduction,
)
from unbraid.events import (
    Compacted,
    Error,
    RelayEvent,
    Retracted,
    SessionMeta,
    TokenUsage,
    TurnComplete,
    Unrecognized,
)
from unbraid.events.tokens import add_tokens
from unbraid.read.clock import Clock
from unbraid.read.lifecycle import Agents
from unbraid.read.record import read_as, sound
from unbraid.read.seen import newly

SILENT_SUBTYPES = frozenset(
    """
    background_tasks_changed status thinking_tokens hook_started hook_progress hook_response
    stop_hook_summary local_command session_state_changed files_persisted
    """.split()
)


class CliReports:
    """Turns `system`, `result` and `error` records into events, and the records that are made of
    what is stored beside a transcript.

    `outcome` is how the latest turn of the main agent has ended, `answer` its result;
    `has_stdout` is whether the process's own output is read, not its files alone.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        agents: Agents,
        spawns: Spawns,
        attribution: Attribution,
        tools: ToolCalls,
        tasks: Tasks,
        prompts: Prompts,
        usage: UsageReports,
        seen: dict[int, None],
    ) -> None:
        self._clock = clock
        self._agents = agents
        self._contexts = agents.contexts
        self._spawns = spawns
        self._attribution = attribution
        self._tools = tools
        self._tasks = tasks
        self._prompts = prompts
        self._usage = usage
        self._seen = seen
        self._continues = False
        self._titles = Titles()
        self.outcome: tuple[bool, str] | None = None
        self.answer: str | None = None
        self.has_stdout = False

    # --- turns ---

    def result(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `result` record: a turn is over, or, in the journal of a workflow, one of its
        agents is.
        """
        if record.agent_id_transcript is not None:
            self._journal(read_as(JournalEntry, record.raw), out)
            return
        if record.uuid is not None and not newly(self._seen, hash(record.uuid)):
            return
        self._tools.fill_all(out)
        self._tasks.settle_endings(None, out)
        given = read_as(Result, record.raw)
        root = self._contexts.root
        self._usage.turn_to(root, None, out)
        ok = not given.is_error and not given.subtype.startswith("error")
        reason = "completed" if ok else "interrupted" if root.interrupted else "failed"
        root.interrupted = False
        self.outcome = (ok, reason)
        result = given.result
        if isinstance(result, str) and result == root.last_text:
            text: str | None = result  # a text that is itself JSON, not JSON inside JSON
        else:
            text = None if result is None else parse_double_encoded(result)
        self.answer = text if ok else None
        totals, cost_usd = _totals(given), given.total_cost_usd
        if totals is not None and self._is_part and is_about_earlier(totals, self._usage.counted):
            totals = cost_usd = None
        out.append(
            TurnComplete(
                "",
                self._clock.ts,
                ok=ok,
                subtype=given.subtype,
                reason=reason,
                result=text,
                duration_ms=None if given.duration_ms is None else round(given.duration_ms),
                num_turns=given.num_turns,
                cost_usd=cost_usd,
                totals=totals,
            )
        )
        if root.live is not None:
            root.live.stream_over()
        for state in root.messages.values():
            state.closed = True

    def _journal(self, entry: JournalEntry, out: list[RelayEvent]) -> None:
        context = self._contexts.by_agent.get(entry.agent_id or "")
        if context is not None:
            answer = entry.result if isinstance(entry.result, str) else None
            self._agents.end(context, True, "completed", answer, out=out)

    # --- sessions and agents ---

    def system(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `system` record."""
        subtype = record.subtype or ""
        if subtype.startswith("task_"):
            self._tasks.record(record, subtype, out)
        elif subtype == "init":
            self._init(record, out)
        elif subtype in ("api_retry", "api_error"):
            trouble = read_as(ErrorFields, record.raw)
            message = trouble.error if isinstance(trouble.error, str) else subtype
            out.append(Error("", self._clock.ts, message, code=subtype))
        elif subtype == "model_refusal_fallback":
            self._refused(read_as(ErrorFields, record.raw), out)
        elif subtype == "compact_boundary":
            self._compacted(record, out)
        elif subtype not in SILENT_SUBTYPES:
            out.append(Unrecognized("", self._clock.ts, sound(record.raw)))

    def _compacted(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        context = self._attribution.context_of(record, out)
        # Stdout and the transcript have the same record, and so has a session that is continued.
        if context is None or not newly(self._seen, hash(record.uuid or record.raw)):
            return
        given = read_as(CompactBoundary, record.raw)
        stored, printed = given.stored, given.printed
        out.append(
            Compacted(
                context.id,
                self._clock.ts,
                trigger=stored.trigger or printed.trigger,
                before_tokens=_whole(stored.before, printed.before),
                after_tokens=_whole(stored.after, printed.after),
            )
        )

    def _init(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        # Programs that print this dialect without ids may never print a result: a run of theirs
        # that ends with an answer has completed. The CLI itself would have printed one.
        self.has_stdout |= record.uuid is not None
        # The process prints this at the beginning of each turn: how the one before has ended says
        # nothing of a run that is killed now.
        self.outcome = None
        given = read_as(Init, record.raw)
        self._session(
            SessionMeta(
                "",
                self._clock.ts,
                session_id=record.session_id_stdout,
                model=given.model,
                tools=given.tools,
                cwd=given.cwd,
                version=given.claude_code_version,
            ),
            out,
        )

    def introduction(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an `unbraid.session` record."""
        given = read_as(SessionIntroduction, record.raw)
        self._session(
            SessionMeta(
                "",
                self._clock.ts,
                session_id=given.session_id,
                cwd=given.cwd,
                version=given.version,
            ),
            out,
        )
        self._continues |= given.continues
        self._usage.is_followed = True
        if given.prompt:
            self._prompts.announce(given.prompt, out)

    @property
    def _is_part(self) -> bool:
        """Whether accounts are about more than this run: the whole session, of which other runs
        have the rest, and what it was copied from.
        """
        return self._continues or bool(self._usage.copied)

    def _session(self, meta: SessionMeta, out: list[RelayEvent]) -> None:
        """Reports the session, unless the same was reported last."""
        self._agents.session_id = meta.session_id or self._agents.session_id
        facts = (meta.session_id, meta.model, meta.cwd, meta.version, meta.tools)
        if facts != self._contexts.root.meta:
            self._contexts.root.meta = facts
            out.append(meta)

    def cost_state(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `cost-state` record: what the session has cost, by its own account."""
        given = read_as(CostState, record.raw)
        totals = _totals(given)
        if given.total_cost_usd is None or given.has_unknown_model_cost or totals is None:
            return
        # Its process has ended: it is about all messages before it.
        for context in [self._contexts.root, *self._contexts.everyone()]:
            self._usage.settle(context, out)
        if self._is_part or is_about_more(totals, self._usage.counted):
            return
        out.append(
            SessionMeta(
                "",
                self._clock.ts,
                session_id=given.session_id,
                cost_usd=given.total_cost_usd,
                input_tokens=totals.input_tokens,
                output_tokens=totals.output_tokens,
                cache_read_tokens=totals.cache_read_tokens,
                cache_creation_tokens=totals.cache_creation_tokens,
            )
        )

    def copied(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an `unbraid.copied` record."""
        self._usage.copied.update(read_as(CopiedMessages, record.raw).messages)

    def titled(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a record that names the session."""
        before = self._titles.title
        said = self._contexts.root.messages or self._usage.counted
        has_begun = bool(said or self._prompts.count)
        self._titles.take(read_as(TitleRecord, record.raw), has_begun=has_begun)
        title = self._titles.title
        if title is not None and title != before:
            out.append(SessionMeta("", self._clock.ts, title=title))

    def agent_facts(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an `unbraid.agent` record."""
        facts = read_as(AgentFacts, record.raw)
        if facts.agent_id:
            self._spawns.learn(facts)
            self._attribution.retry(out)

    # --- trouble ---

    def _refused(self, trouble: ErrorFields, out: list[RelayEvent]) -> None:
        uuids = set(trouble.retracted_message_uuids or ())
        ids = [
            state.id
            for context in [self._contexts.root, *self._contexts.everyone()]
            for state in context.messages.values()
            if state.uuid in uuids
        ]
        out.append(Retracted("", self._clock.ts, ids))

    def error(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an `error` record."""
        trouble = read_as(ErrorFields, record.raw)
        said = trouble.error if trouble.error is not None else trouble.message
        message = said if isinstance(said, str) else msgspec.json.encode(said).decode()
        out.append(Error("", self._clock.ts, message))


def _whole(*numbers: float | None) -> int | None:
    """Returns the first number that is known."""
    return next((round(number) for number in numbers if number is not None), None)


def _totals(given: Result | CostState) -> TokenUsage | None:
    if not given.model_usage:
        return None
    totals = TokenUsage()
    for share in given.model_usage.values():
        add_tokens(totals, share)
    return totals
