"""What the main agent is asked, what the CLI reports of its session, and how its turns end.

At the end of a turn, stdout has a `result`. The transcript of an interactive session says how long
the turn was; transcripts of older versions do not, and those of newer ones not for every
interrupted turn. Its process publishes what it does (`sessions/<pid>.json`): the readers of the
files pass that on as records of type `unbraid.state`. Either may be first, and a turn ends once.

Records of four types name a session, each the latest of its type: a person's own title
(`/rename`), the name of the agent, a title that a model has made, and a summary. Summaries that
stand before everything else are those of other sessions.
"""

from __future__ import annotations

import msgspec

from unbraid.agents.claude.dialect.attribution import Attribution
from unbraid.agents.claude.dialect.calls import Permissions, ToolCalls
from unbraid.agents.claude.dialect.contexts import ClaudeAgents, ClaudeContext
from unbraid.agents.claude.dialect.usage import UsageReports
from unbraid.agents.claude.records import (
    SUMMARY,
    TITLE_TYPES,
    Block,
    ClaudeRecord,
    CompactBoundary,
    Compaction,
    CostState,
    ErrorFields,
    Init,
    Result,
    Task,
    TitleRecord,
    TurnDuration,
    parse_double_encoded,
)
from unbraid.agents.claude.transcript import (
    HOOK_STOP,
    INTERRUPTION,
    NOT_A_PROMPT,
    PublishedState,
    SessionFacts,
    WithAttachment,
    notification,
)
from unbraid.events import (
    Compacted,
    Error,
    Prompt,
    RelayEvent,
    Retracted,
    SessionMeta,
    TokenUsage,
    TurnComplete,
    Unrecognized,
)
from unbraid.events.tokens import add_tokens, all_tokens
from unbraid.read.record import read_as, sound
from unbraid.read.seen import newly

TURN_DURATION = "turn_duration"
SILENT_SUBTYPES = frozenset(
    """
    background_tasks_changed status thinking_tokens hook_started hook_progress hook_response
    stop_hook_summary local_command session_state_changed files_persisted
    """.split()
)
# How much more than was seen a session's account may hold, of requests that no transcript shows
# (titles, summaries), before it must be about more than this run.
MOST_OF_ACCOUNT_PERCENT, BESIDE_TOKENS = 150, 50_000
# The account of a process that continues a session may include what that has used before, as later
# versions have it; nearly all of its messages were seen.
WITH_EARLIER_PERCENT = 105


class Reports:
    """Turns `user`, `system`, `result` and `error` records into events, and the records that are
    made of what is stored beside a transcript. `prompt_count` of the user records were prompts.

    `outcome` is how the latest turn of the main agent has ended, `answer` its result;
    `has_stdout` is whether the process's own output is read, not its files alone.
    """

    def __init__(
        self,
        agents: ClaudeAgents,
        attribution: Attribution,
        tools: ToolCalls,
        permissions: Permissions,
        usage: UsageReports,
    ) -> None:
        self._agents = agents
        self._clock = agents.clock
        self._contexts = agents.contexts
        self._root = agents.contexts.root
        self._attribution = attribution
        self._tools = tools
        self._permissions = permissions
        self._usage = usage
        self._continues = False
        self._titles: dict[str, str | None] = {}
        self._announced: str | None = None
        self.prompt_count = 0
        self._turn_ended_at: object = self._done_so_far()
        self._is_new = True
        self.outcome: tuple[bool, str] | None = None
        self.answer: str | None = None
        self.has_stdout = False

    # --- prompts ---

    def user(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a user record: prompts, and results of calls."""
        message = record.message
        if message is None:
            out.append(Unrecognized("", self._clock.ts, sound(record.raw)))
            return
        context = self._attribution.context_of(record, out)
        if context is None:
            return
        content = message.content
        uuid = record.uuid
        if isinstance(content, str):
            content = [Block(type="text", text=content)]
        for block in content or ():
            if block.tool_use_id is not None:
                self._tools.result(context, record, block, out)
            elif block.type == "text":
                # Results are reported once for their call; words, once for their record.
                if uuid is not None:
                    if not newly(self._agents.seen, hash(uuid)):
                        return
                    if record.is_sidechain is None and context.parent is not None:
                        self._attribution.learn(uuid, context, out)
                    uuid = None
                self._words(record, context, block.text or "", out)

    def attachment(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an attachment: what the CLI has added for the model, which no one has said, or
        that a hook has stopped the agent.
        """
        if HOOK_STOP.encode() in record.raw:  # seldom, and most attachments are long
            attached = read_as(WithAttachment, record.raw).attachment
            if attached is not None and attached.type == HOOK_STOP:
                context = self._attribution.context_of(record, out)
                if context is not None:
                    context.interrupted = True

    def _words(
        self, record: ClaudeRecord, context: ClaudeContext, text: str, out: list[RelayEvent]
    ) -> None:
        if text.startswith(INTERRUPTION):
            context.interrupted = True
            others = (each for each in self._contexts.everyone() if each.spawned)
            # While others work for it, its process stays busy: nothing else says that the turn of a
            # main agent is over.
            if context is self._root and any(not each.ended for each in others):
                self._end_turn(out, None)
            return
        notified = notification(text, certain=record.is_notification)
        if notified is not None:
            task = Task(
                task_id=notified.get("task-id"),
                tool_use_id=notified.get("tool-use-id"),
                status=notified.get("status"),
                summary=notified.get("result"),
            )
            self._attribution.task_over(task, out)
            return
        if not text or record.is_meta or text.startswith(NOT_A_PROMPT):
            return
        if context.parent is not None:
            if context.prompt is None:
                context.prompt = text
            if text == context.prompt or text.endswith(context.prompt):
                return
        elif record.is_sidechain is None and record.is_synthetic:
            return
        elif self._announced is not None:
            announced, self._announced = self._announced, None
            if text.strip() == announced:
                return
        context.interrupted = False
        context.asked_after = context.said_last
        self.prompt_count += 1
        out.append(Prompt(context.id, self._clock.ts, text))

    # --- turns ---

    def result(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `result` record: a turn is over, or, in the journal of a workflow, one of its
        agents is.
        """
        given = read_as(Result, record.raw)
        if record.agent_id_transcript is not None:
            context = self._contexts.by_agent.get(record.agent_id_transcript)
            if context is not None:
                answer = given.result if isinstance(given.result, str) else None
                self._agents.end(context, True, "completed", answer, out=out)
            return
        if record.uuid is not None and not newly(self._agents.seen, hash(record.uuid)):
            return
        self._tools.fill_all(out)
        self._attribution.settle_endings(None, out)
        root = self._root
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
        # By whole numbers: a transcript may claim more tokens than a float can hold.
        most = self._usage.counted * WITH_EARLIER_PERCENT // 100
        if totals is not None and self._is_part and all_tokens(totals) > most:
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
            root.live.streaming = None
        for state in root.messages.values():
            state.closed = True

    def _lasted(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `system/turn_duration` record of a transcript."""
        if record.is_sidechain or (record.uuid and not newly(self._agents.seen, hash(record.uuid))):
            return
        lasted = read_as(TurnDuration, record.raw).duration_ms
        self._end_turn(out, None if lasted is None else round(lasted))

    def published(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an `unbraid.state` record."""
        state = read_as(PublishedState, record.raw)
        if state.status == "waiting":
            self._permissions.awaited(f"{record.session_id}.{self._clock.ts}", out)
            return
        self._permissions.dismissed(out)
        if state.status == "idle":
            self._end_turn(out, None, is_idle=True)

    def _end_turn(
        self, out: list[RelayEvent], duration_ms: int | None, *, is_idle: bool = False
    ) -> None:
        """Ends a turn. A session that is idle before anyone has asked anything (after `/clear`, or
        with commands of the terminal alone) has had none, and waits for a prompt all the same.
        """
        done, is_new = self._done_so_far(), self._is_new
        if self.has_stdout or (done == self._turn_ended_at and not (is_idle and is_new)):
            return  # the process's own output says it, or it was said already
        has_turn = done != self._turn_ended_at
        self._turn_ended_at, self._is_new = done, False
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
        return self.prompt_count, self._root.said_last, self._root.interrupted

    # --- sessions and agents ---

    def system(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `system` record."""
        subtype = record.subtype or ""
        if subtype == TURN_DURATION:
            self._lasted(record, out)
        elif subtype.startswith("task_"):
            self._attribution.task(record, subtype, out)
        elif subtype == "init":
            self._init(record, out)
        elif subtype in ("api_retry", "api_error"):
            trouble = read_as(ErrorFields, record.raw)
            message = trouble.error if isinstance(trouble.error, str) else subtype
            out.append(Error("", self._clock.ts, message, code=subtype))
        elif subtype == "model_refusal_fallback":
            withdrawn = set(read_as(ErrorFields, record.raw).retracted_message_uuids or ())
            agents = [self._root, *self._contexts.everyone()]
            messages = (state for agent in agents for state in agent.messages.values())
            ids = [state.id for state in messages if state.uuid in withdrawn]
            out.append(Retracted("", self._clock.ts, ids))
        elif subtype == "compact_boundary":
            self._compacted(record, out)
        elif subtype not in SILENT_SUBTYPES:
            out.append(Unrecognized("", self._clock.ts, sound(record.raw)))

    def _compacted(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        context = self._attribution.context_of(record, out)
        # Stdout and the transcript have the same record, and so has a session that is continued.
        if context is None or not newly(self._agents.seen, hash(record.uuid or record.raw)):
            return
        boundary = read_as(CompactBoundary, record.raw)
        given = boundary.stored or boundary.printed or Compaction()
        out.append(
            Compacted(
                context.id,
                self._clock.ts,
                trigger=given.trigger,
                before_tokens=_whole(given.stored_before, given.printed_before),
                after_tokens=_whole(given.stored_after, given.printed_after),
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
        given = read_as(SessionFacts, record.raw)
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
            # Before there is a record of it.
            self._announced = given.prompt.strip()
            self.prompt_count += 1
            out.append(Prompt("", self._clock.ts, given.prompt))

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
        if facts != self._root.meta:
            self._root.meta = facts
            out.append(meta)

    def cost_state(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `cost-state` record: what the session has cost, by its own account."""
        given = read_as(CostState, record.raw)
        totals = _totals(given)
        if given.total_cost_usd is None or given.has_unknown_model_cost or totals is None:
            return
        # Its process has ended: it is about all messages before it.
        for context in [self._root, *self._contexts.everyone()]:
            self._usage.finish(context, out)
        counted = self._usage.counted
        most = counted * MOST_OF_ACCOUNT_PERCENT // 100 + BESIDE_TOKENS
        if self._is_part or not counted or all_tokens(totals) > most:
            return  # much of it is not in this run, but in others
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
        self._usage.copied.update(read_as(SessionFacts, record.raw).messages)

    def titled(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a record that names the session."""
        before = self._title
        given = read_as(TitleRecord, record.raw)
        has_begun = self._root.messages or self._usage.counted or self.prompt_count
        if has_begun or given.type != SUMMARY:
            self._titles[given.type] = given.title
        title = self._title
        if title is not None and title != before:
            out.append(SessionMeta("", self._clock.ts, title=title))

    @property
    def _title(self) -> str | None:
        given = (self._titles.get(kind) for kind in TITLE_TYPES)
        return next((title for title in given if title is not None), None)

    # --- trouble ---

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
