"""Claude Code's lines to relay events: stdout and transcripts, in every dialect.

`Speakers` finds whose a line is, `Told` and `Said` what is new of what agents are told and say;
here are the lines in which the CLI speaks for itself, and the order of it all.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from unbraid.agents.claude.messages import Said
from unbraid.agents.claude.records import (
    Control,
    Init,
    Result,
    Task,
    TaskUsage,
    Trouble,
    parse_double_encoded,
)
from unbraid.agents.claude.transcript import AGENT_FACTS, AgentFacts, JournalEntry
from unbraid.events import (
    Error,
    PermissionAsked,
    PermissionReplied,
    Progress,
    RelayEvent,
    Retracted,
    SessionMeta,
    TextDelta,
    TokenUsage,
    TurnComplete,
)
from unbraid.translate.blocks import STDOUT, TRANSCRIPT
from unbraid.translate.contexts import Context
from unbraid.translate.lifecycle import REASONS
from unbraid.translate.seen import newly
from unbraid.wire.record import Record, milliseconds, read_as

# Lines that keep the CLI's own books: they tell nothing that an agent said or did.
SILENT_TYPES = frozenset(
    """
    control_response keep_alive tool_progress rate_limit_event prompt_suggestion streamlined_text
    attachment queue-operation last-prompt atis-latch api-request api-request-blob
    api-request-shape tools-used cost-state file-history-snapshot summary ai-title custom-title
    agent-name mode permission-mode progress started launched
    """.split()
)
SILENT_SUBTYPES = frozenset(
    """
    background_tasks_changed status thinking_tokens hook_started hook_progress hook_response
    turn_duration stop_hook_summary local_command session_state_changed files_persisted
    """.split()
)


class Claude(Said):
    """The translator of Claude Code's lines."""

    def __init__(self) -> None:
        super().__init__()
        self.outcome: tuple[bool, str] | None = None
        self._answer: str | None = None
        self._has_stdout = False
        self._second = ("", 0)
        self._handlers: dict[str, Callable[[Record, list[RelayEvent]], None]] = {
            "assistant": self._assistant,
            "user": self._user,
            "stream_event": self._stream_event,
            "system": self._system,
            "result": self._result,
            "control_request": self._control_request,
            "control_cancel_request": self._control_cancel,
            "error": self._error,
            AGENT_FACTS: self._agent_facts,
        }

    def translate(self, record: Record, out: list[RelayEvent]) -> None:
        """Append what is new in a record."""
        stamp = record.timestamp
        if stamp is not None:
            if type(stamp) is str and len(stamp) == 24:
                # Neighbouring lines share their second: parse that once.
                if stamp[:19] != self._second[0]:
                    self._second = (stamp[:19], milliseconds(stamp[:19] + "Z"))
                millis = stamp[20:23]
                self.ts = self._second[1] + (int(millis) if millis.isdecimal() else 0)
            else:
                self.ts = milliseconds(stamp) or self.ts
            self.agents.ts = self.ts
        self.source = STDOUT if record.is_sidechain is None else TRANSCRIPT
        handler = self._handlers.get(record.type)
        if handler is not None:
            handler(record, out)
        elif record.type not in SILENT_TYPES:
            self._unknown(record, out)

    def finish(self, out: list[RelayEvent]) -> None:
        """The sources are over: settle what was waiting, orphan what was running."""
        self._release_all(out)
        self._fill_all(out)
        root = self.contexts.root
        if self._answer and not root.messages:
            # All there is of a run that was asked for its result alone (`--output-format json`).
            out.append(TextDelta("", self.ts, "result", 0, self._answer))
        everyone = self.contexts.everyone()
        for context in [root, *everyone]:
            self._usage_due(context, None, out)
        for context in reversed(everyone):
            if context.spawned and not context.ended:
                self.agents.end(context, *(context.ending or self._fate(context)), out=out)
        if self.outcome is None:
            ok, reason, _ = self._fate(root)
            self.outcome = (ok, reason)

    def _fate(self, context: Context) -> tuple[bool, str, str | None]:
        """How an agent that nobody saw ending has ended, by the last thing it did."""
        if context.interrupted:
            return False, "interrupted", None
        waits = any(call.context is context for call in self.agents.calls.values())
        spoke_last = any(context.latest) and not waits and bool(context.last_text)
        # Nobody asked for a warm-up (2.0), so nobody is told of its end.
        unasked = context.parent is not None and context.call is None
        if spoke_last and (unasked or not self._has_stdout):
            return True, "completed", None
        return False, "orphaned", None

    # --- the CLI's own lines ---

    def _result(self, record: Record, out: list[RelayEvent]) -> None:
        if record.agent_id_transcript is not None:  # a line of a workflow's journal
            entry = read_as(JournalEntry, record.raw)
            context = self.contexts.by_agent.get(entry.agent_id or "")
            if context is not None:
                answer = entry.result if isinstance(entry.result, str) else None
                self.agents.end(context, True, "completed", answer, out=out)
            return
        if record.uuid is not None and not newly(self.seen, hash(record.uuid)):
            return
        self._fill_all(out)
        self._settle_endings(None, out)
        given = read_as(Result, record.raw)
        root = self.contexts.root
        self._usage_due(root, None, out)
        ok = not given.is_error and not given.subtype.startswith("error")
        reason = "completed" if ok else "interrupted" if root.interrupted else "failed"
        root.interrupted = False
        self.outcome = (ok, reason)
        result = given.result
        if isinstance(result, str) and result == root.last_text:
            text: str | None = result  # a text that is itself JSON, not JSON inside JSON
        else:
            text = None if result is None else parse_double_encoded(result)
        self._answer = text if ok else None
        totals = None
        if given.model_usage:
            totals = TokenUsage()
            for share in given.model_usage.values():
                totals.input_tokens += share.input_tokens
                totals.output_tokens += share.output_tokens
                totals.cache_read_tokens += share.cache_read_tokens
                totals.cache_creation_tokens += share.cache_creation_tokens
        out.append(
            TurnComplete(
                "",
                self.ts,
                ok,
                given.subtype,
                text,
                None if given.duration_ms is None else round(given.duration_ms),
                given.num_turns,
                given.total_cost_usd,
                totals,
            )
        )
        if root.live is not None:
            root.live.stream_over()
        for state in root.messages.values():
            state.closed = True

    def _system(self, record: Record, out: list[RelayEvent]) -> None:
        subtype = record.subtype or ""
        if subtype.startswith("task_"):
            return self._task(record, subtype, out)
        if subtype == "init":
            # Whoever follows transcripts may introduce them by a line of its own, without a uuid.
            self._has_stdout |= record.uuid is not None
            given = read_as(Init, record.raw)
            self.agents.session_id = record.session_id or self.agents.session_id
            meta = SessionMeta(
                "",
                self.ts,
                record.session_id,
                given.model,
                given.tools,
                given.cwd,
                given.claude_code_version,
            )
            facts = (meta.session_id, meta.model, meta.cwd, meta.version, meta.tools)
            if facts != self.contexts.root.meta:
                self.contexts.root.meta = facts
                out.append(meta)
            return None
        if subtype in ("api_retry", "api_error"):
            trouble = read_as(Trouble, record.raw)
            message = trouble.error if isinstance(trouble.error, str) else subtype
            out.append(Error("", self.ts, message, subtype))
        elif subtype == "model_refusal_fallback":
            trouble = read_as(Trouble, record.raw)
            uuids = set(trouble.retracted_message_uuids or ())
            ids = [
                state.id
                for context in [self.contexts.root, *self.contexts.everyone()]
                for state in context.messages.values()
                if state.uuid in uuids
            ]
            out.append(Retracted("", self.ts, ids))
        elif subtype not in SILENT_SUBTYPES:
            self._unknown(record, out)
        return None

    def _task(self, record: Record, subtype: str, out: list[RelayEvent]) -> None:
        if record.uuid is not None and not newly(self.seen, hash(record.uuid)):
            return
        task = read_as(Task, record.raw)
        self._settle_endings(task.task_id if subtype == "task_notification" else None, out)
        if subtype == "task_started":
            self.agents.task_started(task, out)
            self._retry(out)
        elif subtype == "task_progress":
            usage = task.usage or TaskUsage()
            out += [
                Progress(
                    context.id,
                    self.ts,
                    usage.tool_uses,
                    usage.total_tokens,
                    usage.duration_ms,
                    task.last_tool_name,
                )
                for context in self.agents.of_task(task)
            ]
        elif subtype == "task_updated":
            status = task.patch.status if task.patch is not None else None
            if status in REASONS:
                for context in self.agents.of_task(task):
                    context.ending = (status == "completed", REASONS[status], None)
        elif subtype == "task_notification":
            self._task_over(task, out)
        else:
            self._unknown(record, out)

    def _task_over(self, task: Task, out: list[RelayEvent]) -> None:
        reason = REASONS.get(task.status or "", "failed")
        for context in self.agents.of_task(task):
            if task.tool_use_id is not None and task.tool_use_id != context.call:
                continue  # an earlier invocation of an agent that was asked again since
            # Older versions sum up that it has ended, not what it said.
            summary = task.summary or ""
            answer = None if summary.startswith(f'Agent "{context.description}" ') else summary
            ending = (reason == "completed", reason, answer)
            call = self.agents.calls.get(context.call or "")
            if call is not None:
                # The parent still waits for the call: its result will bring the answer.
                context.ending = ending
            else:
                self.agents.end(context, *ending, out=out)

    def _settle_endings(self, notified: str | None, out: list[RelayEvent]) -> None:
        """`task_updated` may be the only sign of an end; a notification right after is better."""
        for context in self.contexts.by_agent.values():
            if context.ending is None or context.ended or context.agent_id == notified:
                continue
            if self.agents.calls.get(context.call or "") is None:
                self.agents.end(context, *context.ending, out=out)

    def _agent_facts(self, record: Record, out: list[RelayEvent]) -> None:
        facts = read_as(AgentFacts, record.raw)
        if facts.agent_id:
            self.agents.facts.setdefault(facts.agent_id, facts)
            self._retry(out)

    def _control_request(self, record: Record, out: list[RelayEvent]) -> None:
        control = read_as(Control, record.raw)
        request = control.request
        if request is None or request.subtype != "can_use_tool":
            return
        call_id = request.tool_use_id
        if call_id is None:  # 1.0 does not say which call it is about
            open_calls = self.agents.calls.items()
            call_id = next((i for i, c in open_calls if c.tool == request.tool_name), None)
        call = self.agents.calls.get(call_id or "")
        context = call.context if call is not None else self.contexts.root
        if call_id is not None:
            self._asked[call_id] = control.request_id
        out.append(
            PermissionAsked(
                context.id,
                self.ts,
                control.request_id,
                request.tool_name,
                call_id,
                request.input,
            )
        )

    def _control_cancel(self, record: Record, out: list[RelayEvent]) -> None:
        request_id = read_as(Control, record.raw).request_id
        for call_id, asked in list(self._asked.items()):
            if asked == request_id:
                del self._asked[call_id]
        out.append(PermissionReplied("", self.ts, request_id, "cancelled"))

    def _error(self, record: Record, out: list[RelayEvent]) -> None:
        trouble = read_as(Trouble, record.raw)
        told = trouble.error if trouble.error is not None else trouble.message
        message = told if isinstance(told, str) else msgspec.json.encode(told).decode()
        out.append(Error("", self.ts, message))
