"""Which agents there are in a run of Claude Code, and which of them a record belongs to.

The spawning call is the earliest sign of an agent, so it is announced there. A call's result is the
end of the agent only if the call did not merely launch it. The CLI's own account of its tasks
(`system/task_*`, and notifications in conversations), and the meta file beside an agent's
transcript, may come before or after the call: every sign of an agent is joined to one context.

On stdout a record names the call that spawned its agent. In transcripts it names the agent or, in
1.0, no agent at all. A transcript's record may come before anything that says what spawned its
agent: then it is held until that is known.
"""

from __future__ import annotations

from collections.abc import Callable

from unbraid.agents.claude.dialect.contexts import ClaudeAgents, ClaudeContext, OpenCall
from unbraid.agents.claude.dialect.unnamed_messages import UnnamedMessages
from unbraid.agents.claude.notes import agent_answer
from unbraid.agents.claude.records import (
    LAUNCHED,
    Block,
    ClaudeRecord,
    SpawnInput,
    SpawnResult,
    Task,
    TaskUsage,
)
from unbraid.agents.claude.transcript import INTERRUPTION, REJECTION, WARMUP, AgentFacts
from unbraid.events import Progress, RelayEvent, Unrecognized
from unbraid.read.content import extract_content
from unbraid.read.record import read_as, sound
from unbraid.read.seen import forget_oldest, newly

MAX_HELD_RECORDS = 100_000
RECENT_IDS = 8192

REASONS = {
    "completed": "completed",
    "failed": "failed",
    "error": "failed",
    "killed": "cancelled",
    "cancelled": "cancelled",
    "canceled": "cancelled",
    "stopped": "cancelled",
    "interrupted": "interrupted",
}


class Attribution:
    """Joins every sign of an agent to one context, and finds the one that a record belongs to;
    holds records until their agent is known.

    `translate` takes held records in again when they are released. For reading: `held` has the
    records that wait, by agent; `direct`, by call, the agents of records on stdout that name only
    their call, once that is known; `finished`, the ids of agents whose meta file says so.
    """

    def __init__(
        self,
        agents: ClaudeAgents,
        unnamed: UnnamedMessages,
        translate: Callable[[ClaudeRecord, list[RelayEvent]], None],
    ) -> None:
        self._agents = agents
        self._clock = agents.clock
        self._contexts = agents.contexts
        self._unnamed = unnamed
        self._translate = translate
        self.direct: dict[str | None, ClaudeContext] = {None: self._contexts.root}
        self.held: dict[str, list[ClaudeRecord]] = {}
        self._held_count = 0
        self._known: dict[str, ClaudeContext] = {}  # by uuids of records and ids of messages
        self._chains: dict[str, str] = {}  # 1.0: the uuid of a sidechain's record: its first one's
        self._facts: dict[str, AgentFacts] = {}  # by agent
        self.finished: set[str | None] = set()
        self._workflows: dict[str, tuple[ClaudeContext, str]] = {}  # run id: its agent and call
        self._workflow_tasks: dict[str, str] = {}  # task id: call
        self._early: dict[str, Task] = {}  # by call: tasks that were reported before the call was

    def context_of(self, record: ClaudeRecord, out: list[RelayEvent]) -> ClaudeContext | None:
        """Returns the agent that a record belongs to, or None if the record has to wait for
        that.
        """
        call = record.parent_tool_use_id
        context = self.direct.get(call)
        if (
            context is not None
            and not record.is_sidechain
            and record.agent_id_stdout == context.agent_id
        ):
            return context
        contexts = self._contexts
        if call:
            context = contexts.by_call.get(call)
            if context is None and self._settle_early(out, call):
                context = contexts.by_call.get(call)
            if context is None:
                owner = self._agents.calls.get(call)
                parent = owner.context if owner is not None else contexts.root
                context = contexts.add(call, parent, call)
            if record.agent_id_stdout is not None and context.agent_id is None:
                self.identify(context, record.agent_id_stdout, out)
                self.retry(out)
            self._agents.announce(context, out)
            self.direct[call] = context
            return context
        if not record.is_sidechain:
            if record.agent_id_stdout is not None:
                return contexts.by_agent.get(record.agent_id_stdout, contexts.root)
            return contexts.root
        agent_id = record.agent_id_transcript or self._chain(record)
        context = contexts.by_agent.get(agent_id)
        if context is None:
            if agent_id not in self.held:
                context = self._join(agent_id, record, out)
            if context is None:
                self.held.setdefault(agent_id, []).append(record)
                self._held_count += 1
                if self._held_count > MAX_HELD_RECORDS:
                    # No call is known that spawned this agent. Rather than fill the memory with
                    # held records, give the agent a stream of its own.
                    self._release(agent_id, self._stray(agent_id, out), out)
                return None
        self._agents.announce(context, out)
        return context

    def learn(self, key: str, context: ClaudeContext, out: list[RelayEvent]) -> None:
        """Notes which agent a record of stdout belongs to, by its uuid, or a message, by its id: a
        transcript may have the same one.
        """
        self._known[key] = context
        forget_oldest(self._known, RECENT_IDS)
        self.retry(out)

    def retry(self, out: list[RelayEvent]) -> None:
        """Releases the records that need not wait any longer, after something was learned about
        ids.
        """
        if not self.held:
            return
        for agent_id in list(self.held):
            records = self.held.get(agent_id)
            if records is None:
                continue
            context = self._contexts.by_agent.get(agent_id)
            for record in records[:8]:
                context = context or self._join(agent_id, record, out)
            if context is not None:
                self._release(agent_id, context, out)

    def release_all(self, out: list[RelayEvent]) -> None:
        """Releases all held records: no call that spawned their agents will be found any more."""
        self._settle_early(out)
        self.retry(out)
        while self.held:
            # What is released may show whose the others are, and release them, too.
            agent_id = next(iter(self.held))
            self._release(agent_id, self._stray(agent_id, out), out)

    def _chain(self, record: ClaudeRecord) -> str:
        """Returns a name for the sub-agent of a record in 1.0, which writes sub-agents into the
        session's file as chains of records without an agent id.
        """
        uuid = record.uuid or ""
        first = self._chains[uuid] = self._chains.get(record.parent_uuid or "", uuid)
        return f"sidechain:{first}"

    def _join(
        self, agent_id: str, record: ClaudeRecord, out: list[RelayEvent]
    ) -> ClaudeContext | None:
        """Returns the context of an agent id, found by what its record has in common with known
        ones; None if nothing shows it.
        """
        context = self._known.get(record.uuid or "")
        message = record.message
        if context is None and message is not None:
            context = self._known.get(message.id or "")
            prompt = _plain(message.content) if record.type == "user" else None
            facts = self._facts.get(agent_id)
            if context is None and facts is not None:
                found = self._from_facts(agent_id, facts, prompt, out)
                if found is not None:
                    return found
            knows_call = facts is not None and (facts.tool_use_id or facts.workflow) is not None
            if context is None and prompt is not None and not knows_call:
                waiting = self._contexts.awaiting(prompt)
                if len(waiting) == 1:
                    context = waiting[0]
        if context is not None and context.agent_id is None:
            self.identify(context, agent_id, out)
        elif context is not None:
            self._contexts.by_agent[agent_id] = context
        return context

    def _stray(self, agent_id: str, out: list[RelayEvent]) -> ClaudeContext:
        """Returns a context for an agent that no call is known to have spawned."""
        contexts = self._contexts
        first = self.held[agent_id][0]
        prompt = _plain(first.message.content) if first.message is not None else None
        same = contexts.awaiting(prompt) if prompt is not None else []
        context = same[0] if same else contexts.add(agent_id, contexts.root, None)
        facts = self._facts.get(agent_id)
        if facts is not None:
            context.call = context.call or facts.tool_use_id
        context.prompt = context.prompt or prompt
        if context.call is None and prompt == WARMUP:
            context.description = prompt
        self.identify(context, agent_id, out)
        return context

    def _release(self, agent_id: str, context: ClaudeContext, out: list[RelayEvent]) -> None:
        records = self.held.pop(agent_id)
        self._held_count -= len(records)
        self._agents.announce(context, out)
        with self._clock.at(self._clock.ts):
            for record in records:
                self._translate(record, out)

    # --- calls ---

    def call_made(
        self, call_id: str, parent: ClaudeContext, given: SpawnInput, out: list[RelayEvent]
    ) -> ClaudeContext:
        """Handles a spawning call. Returns the context of its agent."""
        again = self._contexts.by_agent.get(given.resume) if given.resume else None
        if again is not None:
            if call_id not in again.calls:
                again.prompt = given.prompt or again.prompt
                self._agents.resume(again, call_id, out)
            return again
        context = self._contexts.by_call.get(call_id)
        if context is None:
            context = self._contexts.add(call_id, parent, call_id)
        elif context.parent is self._contexts.root:
            context.parent = parent
        if context.prompt is None:
            context.prompt = given.prompt
        context.description = context.description or given.description
        context.subagent_type = context.subagent_type or given.subagent_type
        context.model = context.model or given.model
        if context.background is None:
            context.background = given.run_in_background
        self._agents.announce(context, out)
        task = self._early.pop(call_id, None)
        if task is not None:
            self._task_started(task, out)
        return context

    def call_answered(
        self,
        call_id: str,
        call: OpenCall | None,
        given: SpawnResult,
        *,
        text: str | None,
        ok: bool,
        out: list[RelayEvent],
    ) -> None:
        """Handles the result of a call that started, launched or resumed an agent or a workflow:
        what is `given` beside it, and the text that its caller gets.
        """
        contexts = self._contexts
        context = call.spawns if call is not None else contexts.by_call.get(call_id)
        if given.run_id is not None and call is not None:
            self._workflows[given.run_id] = (call.context, call_id)
        again = contexts.by_agent.get(given.resumed_agent_id or "")
        if again is not None and call_id not in again.calls:
            self._agents.resume(again, call_id, out)
            again.background = True
            return
        if given.agent_id is not None and context is None and call is None:
            # The call itself was never seen: this result is all there is of the agent.
            context = contexts.by_agent.get(given.agent_id)
            if context is None:
                context = contexts.add(call_id, contexts.root, call_id)
        if context is None:
            return
        context.prompt = context.prompt or given.prompt
        if given.agent_id is not None:
            self.identify(context, given.agent_id, out)
        self._agents.announce(context, out)
        if _launched(context, given, text, ok=ok):
            context.background = True
            return
        due = context.usage_due
        if given.usage is not None and due is not None and not due.complete:
            # What its own transcript has not been given.
            due.usage, due.complete = given.usage, True
        if context.call == call_id:
            whole = text if given.content is None else extract_content(given.content)
            answer = agent_answer(whole) if whole is not None else None
            reason = "completed" if ok else _trouble(context, whole or "")
            self._unnamed.end(context, (ok, reason, answer), out)

    def identify(self, context: ClaudeContext, agent_id: str, out: list[RelayEvent]) -> None:
        """Notes an agent's id, and with it the facts of its meta file."""
        if context.agent_id == agent_id or context is self._contexts.root:
            return
        facts = self._facts.get(agent_id)
        if facts is not None:
            context.subagent_type = context.subagent_type or facts.agent_type
            context.description = context.description or facts.description
        self._agents.identify(context, agent_id, out)

    # --- meta files ---

    def agent_facts(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an `unbraid.agent` record."""
        facts = read_as(AgentFacts, record.raw)
        if facts.agent_id:
            self._facts.setdefault(facts.agent_id, facts)
            if facts.finished:
                self.finished.add(facts.agent_id)
            self.retry(out)

    def _from_facts(
        self, agent_id: str, facts: AgentFacts, prompt: str | None, out: list[RelayEvent]
    ) -> ClaudeContext | None:
        """Returns the context of an agent of which only its meta file is known; None if that does
        not say enough.
        """
        contexts, call = self._contexts, facts.tool_use_id
        if facts.workflow is not None:
            known = self._workflows.get(facts.workflow)
            if known is None:
                return None
            context = contexts.add(agent_id, known[0], None)
            context.call = known[1]
        elif call is None:
            return None
        else:
            parent: ClaudeContext | None = contexts.root
            if facts.parent_agent_id is not None:
                parent = contexts.by_agent.get(facts.parent_agent_id)
            elif call in self._agents.calls:
                parent = self._agents.calls[call].context
            elif facts.spawn_depth not in (None, 1):
                parent = None
            existing = contexts.by_call.get(call)
            if existing is None:
                if parent is None:
                    return None
                existing = contexts.add(call, parent, call)
            context = existing
        context.prompt = context.prompt or prompt
        self.identify(context, agent_id, out)
        return context

    # --- the CLI's own account of its tasks ---

    def _task_started(self, task: Task, out: list[RelayEvent]) -> None:
        """Handles `system/task_started`, which may come before, with, or after everything else."""
        if task.task_id is None:
            return
        if not task.is_agent:
            if task.tool_use_id is not None:
                self._workflow_tasks[task.task_id] = task.tool_use_id
            return
        contexts = self._contexts
        context = contexts.by_agent.get(task.task_id)
        if context is not None:
            if task.tool_use_id is not None and task.tool_use_id not in context.calls:
                context.prompt = task.prompt or context.prompt
                context.background = task.is_backgrounded
                self._agents.resume(context, task.tool_use_id, out)
            return
        call = task.tool_use_id
        context = contexts.by_call.get(call) if call is not None else None
        if context is None:
            above = contexts.by_agent.get(task.parent_task_id or "")
            if call is not None and call in self._agents.calls:
                above = self._agents.calls[call].context
            elif (
                above is None
                and call is not None
                and call not in self._early
                and any(c.spawned and not c.ended for c in contexts.by_call.values())
            ):
                # One of them may have made the call, which is not printed yet.
                self._early[call] = task
                return
            context = contexts.add(call or task.task_id, above or contexts.root, call)
        context.prompt = context.prompt or task.prompt
        context.description = context.description or task.description
        context.subagent_type = context.subagent_type or task.subagent_type
        if task.is_backgrounded is not None:
            context.background = task.is_backgrounded
        self.identify(context, task.task_id, out)
        self._agents.announce(context, out)

    def _settle_early(self, out: list[RelayEvent], call: str | None = None) -> bool:
        """Starts the agents of tasks whose calls will not be seen: the main agent counts as their
        caller. Returns whether there were any.
        """
        found = False
        for each in [call] if call is not None else list(self._early):
            task = self._early.get(each)
            if task is not None:
                found = True
                self._task_started(task, out)
                del self._early[each]
        return found

    def _of_task(self, task: Task) -> list[ClaudeContext]:
        """Returns the agents that a task record is about."""
        context = self._contexts.by_agent.get(task.task_id or "")
        if context is None and task.tool_use_id is not None:
            context = self._contexts.by_call.get(task.tool_use_id)
        if context is not None:
            return [context]
        call = self._workflow_tasks.get(task.task_id or "")
        if call is None:
            return []
        return [c for c in self._contexts.by_agent.values() if c.call == call]

    def task(self, record: ClaudeRecord, subtype: str, out: list[RelayEvent]) -> None:
        """Handles a `system/task_*` record."""
        if record.uuid is not None and not newly(self._agents.seen, hash(record.uuid)):
            return
        task = read_as(Task, record.raw)
        self.settle_endings(task.task_id if subtype == "task_notification" else None, out)
        if subtype == "task_started":
            self._task_started(task, out)
            self.retry(out)
        elif subtype == "task_progress":
            usage = task.usage or TaskUsage()
            for context in self._of_task(task):
                progress = Progress(
                    context.id,
                    self._clock.ts,
                    tool_uses=usage.tool_uses,
                    total_tokens=usage.total_tokens,
                    duration_ms=usage.duration_ms,
                    last_tool=task.last_tool_name,
                )
                out.append(progress)
        elif subtype == "task_updated":
            status = task.patch.status if task.patch is not None else None
            if status in REASONS:
                for context in self._of_task(task):
                    context.ending = (status == "completed", REASONS[status], None)
        elif subtype == "task_notification":
            self.task_over(task, out)
        else:
            out.append(Unrecognized("", self._clock.ts, sound(record.raw)))

    def task_over(self, task: Task, out: list[RelayEvent]) -> None:
        """Handles the end of a task, as the CLI reports it or as its parent's conversation says."""
        reason = REASONS.get(task.status or "", "failed")
        for context in self._of_task(task):
            if task.tool_use_id is not None and task.tool_use_id != context.call:
                continue  # an earlier invocation of an agent that was asked again since
            # Older versions sum up that it has ended, not what it said.
            summary = task.summary or ""
            answer = None if summary.startswith(f'Agent "{context.description}" ') else summary
            ending = (reason == "completed", reason, answer)
            call = self._agents.calls.get(context.call or "")
            if call is not None:
                # The parent still waits for the call: its result will bring the answer.
                context.ending = ending
            else:
                self._agents.end(context, *ending, out=out)

    def settle_endings(self, notified: str | None, out: list[RelayEvent]) -> None:
        """Ends agents for which `task_updated` was the only sign of their end; a notification right
        after it is better.
        """
        for context in self._agents.contexts.by_agent.values():
            if context.ending is None or context.ended or context.agent_id == notified:
                continue
            if self._agents.calls.get(context.call or "") is None:
                self._agents.end(context, *context.ending, out=out)


def _plain(content: list[Block] | str | None) -> str | None:
    if isinstance(content, str):
        return content
    if content and content[0].type == "text":
        return content[0].text
    return None


def _trouble(context: ClaudeContext, result: str) -> str:
    """Returns why an agent whose call has brought an error has ended: the CLI gives its caller the
    same kind of text for all reasons.
    """
    was_at_work = bool(context.messages) or context.ending is not None
    if context.interrupted or (was_at_work and result.startswith((INTERRUPTION, REJECTION))):
        return "interrupted"
    return "failed" if context.ending is None or context.ending[0] else context.ending[1]


def _launched(context: ClaudeContext, given: SpawnResult, text: str | None, *, ok: bool) -> bool:
    """Returns whether a call has only started its agent."""
    if given.status is None and text is not None and not given.is_async:
        return ok and (bool(context.background) or text.startswith(LAUNCHED))
    return bool(given.is_async) or (given.status or "").endswith("launched")
