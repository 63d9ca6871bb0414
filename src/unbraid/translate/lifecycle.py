"""The life of sub-agents: spawned, joined to their ids, asked again, ended.

The spawning call is the earliest sign of an agent, so it is announced there; its id and model come
later and are told as `session_meta`. A call's result is the end of the agent only if the call did
not merely launch it. An agent that is asked again is the same context in a new invocation.
"""

from __future__ import annotations

from collections.abc import Callable

from unbraid.agents.claude.records import (
    LAUNCHED,
    SpawnInput,
    SpawnResult,
    Task,
    extract_content,
    handed_back,
)
from unbraid.agents.claude.transcript import AgentFacts
from unbraid.events import RelayEvent, SessionMeta, SubAgentEnded, SubAgentSpawned
from unbraid.translate.contexts import Call, Context, Contexts
from unbraid.wire.record import read_as

SPAWNING_TOOLS = frozenset({"Task", "Agent"})
OTHER_SPAWNING_TOOLS = frozenset({"Workflow", "SendMessage"})

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


class Agents:
    """Who there is, who spawned whom, and who has ended."""

    def __init__(self) -> None:
        self.contexts = Contexts()
        self.calls: dict[str, Call] = {}
        self.facts: dict[str, AgentFacts] = {}
        self.workflows: dict[str, tuple[Context, str]] = {}  # run id: the agent and call behind it
        self.workflow_tasks: dict[str, str] = {}  # task id: call
        self.early: dict[str, Task] = {}  # by call: tasks told before the call was
        self.session_id: str | None = None
        self.ts = 0
        self.before_end: Callable[[Context, list[RelayEvent]], None] | None = None

    # --- beginnings ---

    def announce(self, context: Context, out: list[RelayEvent], *, resumes: bool = False) -> None:
        """Tell that an agent was started; its parent's start is told first."""
        if context.spawned and not resumes:
            return
        parent = context.parent
        if parent is not None and not parent.spawned:
            self.announce(parent, out)
        context.spawned = True
        out.append(
            SubAgentSpawned(
                context.id,
                self.ts,
                parent.id if parent is not None else "",
                context.agent_id,
                context.session_id or self.session_id,
                context.prompt,
                context.subagent_type,
                context.call,
                context.description,
                context.model,
                context.background,
                resumes,
            )
        )

    def call_spawns(
        self, call_id: str, parent: Context, given: SpawnInput, out: list[RelayEvent]
    ) -> Context:
        """A spawning call was made."""
        again = self.contexts.by_agent.get(given.resume) if given.resume else None
        if again is not None:
            if call_id not in again.calls:
                again.prompt = given.prompt or again.prompt
                self.resume(again, call_id, out)
            return again
        context = self.contexts.by_call.get(call_id)
        if context is None:
            context = self.contexts.add(call_id, parent, call_id)
        elif context.parent is self.contexts.root:
            context.parent = parent
        if context.prompt is None:
            context.prompt = given.prompt
        context.description = context.description or given.description
        context.subagent_type = context.subagent_type or given.subagent_type
        context.model = context.model or given.model
        if context.background is None:
            context.background = given.run_in_background
        self.announce(context, out)
        task = self.early.pop(call_id, None)
        if task is not None:
            self.task_started(task, out)
        return context

    def resume(self, context: Context, call_id: str | None, out: list[RelayEvent]) -> None:
        """An agent is asked again: a new invocation of the same context."""
        if not context.ended:
            self.end(context, *(context.ending or (True, "completed", None)), out=out)
        context.call = call_id
        if call_id is not None:
            context.calls.add(call_id)
            self.contexts.by_call.setdefault(call_id, context)
        context.ended = False
        context.ending = None
        self.announce(context, out, resumes=True)

    def identify(self, context: Context, agent_id: str, out: list[RelayEvent]) -> None:
        """Learn an agent's id; tell it if the agent was announced without."""
        if context.agent_id == agent_id or context is self.contexts.root:
            return
        self.contexts.bind(context, agent_id)
        facts = self.facts.get(agent_id)
        if facts is not None:
            context.subagent_type = context.subagent_type or facts.agent_type
            context.description = context.description or facts.description
        if context.spawned:
            out.append(SessionMeta(context.id, self.ts, agent_id=agent_id))

    def knows_call(self, agent_id: str) -> bool:
        """Whether an agent's meta file says what spawned it."""
        facts = self.facts.get(agent_id)
        return facts is not None and (facts.tool_use_id or facts.workflow) is not None

    def from_facts(
        self, agent_id: str, prompt: str | None, out: list[RelayEvent]
    ) -> Context | None:
        """The context of an agent of which only its meta file is known, if that says enough."""
        facts = self.facts.get(agent_id)
        if facts is None:
            return None
        contexts = self.contexts
        if facts.workflow is not None:
            known = self.workflows.get(facts.workflow)
            if known is None:
                return None
            context = contexts.add(agent_id, known[0], None)
            context.call = known[1]
        elif facts.tool_use_id is None:
            return None
        else:
            call = facts.tool_use_id
            existing = contexts.by_call.get(call)
            if existing is None:
                parent = contexts.root
                if facts.parent_agent_id is not None:
                    above = contexts.by_agent.get(facts.parent_agent_id)
                    if above is None:
                        return None
                    parent = above
                elif call in self.calls:
                    parent = self.calls[call].context
                elif facts.spawn_depth not in (None, 1):
                    return None
                existing = contexts.add(call, parent, call)
            context = existing
        context.subagent_type = context.subagent_type or facts.agent_type
        context.description = context.description or facts.description
        context.prompt = context.prompt or prompt
        self.identify(context, agent_id, out)
        return context

    # --- the CLI's own account of its tasks ---

    def task_started(self, task: Task, out: list[RelayEvent]) -> None:
        """`system/task_started`, which may come before, with, or after everything else."""
        if task.task_id is None:
            return
        if not task.is_agent:
            if task.tool_use_id is not None:
                self.workflow_tasks[task.task_id] = task.tool_use_id
            return
        contexts = self.contexts
        context = contexts.by_agent.get(task.task_id)
        if context is not None:
            if task.tool_use_id is not None and task.tool_use_id not in context.calls:
                context.prompt = task.prompt or context.prompt
                context.background = task.is_backgrounded
                self.resume(context, task.tool_use_id, out)
            return
        call = task.tool_use_id
        context = contexts.by_call.get(call) if call is not None else None
        if context is None:
            above = contexts.by_agent.get(task.parent_task_id or "")
            if call is not None and call in self.calls:
                above = self.calls[call].context
            elif above is None and call is not None and call not in self.early and self._running():
                # One of them may have made the call, which is not printed yet.
                self.early[call] = task
                return
            context = contexts.add(call or task.task_id, above or contexts.root, call)
        context.prompt = context.prompt or task.prompt
        context.description = context.description or task.description
        context.subagent_type = context.subagent_type or task.subagent_type
        if task.is_backgrounded is not None:
            context.background = task.is_backgrounded
        self.identify(context, task.task_id, out)
        self.announce(context, out)

    def _running(self) -> bool:
        return any(c.spawned and not c.ended for c in self.contexts.by_call.values())

    def settle_early(self, out: list[RelayEvent], call: str | None = None) -> None:
        """The calls of these tasks will not be seen: the main agent stands in for who made them."""
        for each in [call] if call is not None else list(self.early):
            task = self.early.get(each)
            if task is not None:
                self.task_started(task, out)
                del self.early[each]

    def of_task(self, task: Task) -> list[Context]:
        """The agents that a task line speaks of."""
        context = self.contexts.by_agent.get(task.task_id or "")
        if context is None and task.tool_use_id is not None:
            context = self.contexts.by_call.get(task.tool_use_id)
        if context is not None:
            return [context]
        call = self.workflow_tasks.get(task.task_id or "")
        if call is None:
            return []
        return [c for c in self.contexts.by_agent.values() if c.call == call]

    # --- ends ---

    def call_answered(
        self,
        call_id: str,
        call: Call | None,
        given: SpawnResult,
        told: str | None,
        ok: bool,
        out: list[RelayEvent],
    ) -> None:
        """A call that started, launched or resumed an agent or a workflow has its result: what is
        `given` beside it, and the text that its caller is `told`.
        """
        contexts = self.contexts
        context = call.spawns if call is not None else contexts.by_call.get(call_id)
        if given.run_id is not None and call is not None:
            self.workflows[given.run_id] = (call.context, call_id)
        again = contexts.by_agent.get(given.resumed_agent_id or "")
        if again is not None and call_id not in again.calls:
            self.resume(again, call_id, out)
            again.background = True
            return
        if given.agent_id is not None and context is None and call is None:
            # The call itself was never seen: this result is all that tells of the agent.
            context = contexts.by_agent.get(given.agent_id)
            if context is None:
                context = contexts.add(call_id, contexts.root, call_id)
        if context is None:
            return
        context.prompt = context.prompt or given.prompt
        if given.agent_id is not None:
            self.identify(context, given.agent_id, out)
        self.announce(context, out)
        if _launched(context, given, told, ok):
            context.background = True
            return
        if context.call == call_id:
            text = told if given.content is None else extract_content(given.content)
            answer = handed_back(text) if text is not None else None
            self.end(context, ok, "completed" if ok else "failed", answer, out=out)

    def end(
        self,
        context: Context,
        ok: bool,
        reason: str,
        content: str | None,
        *,
        out: list[RelayEvent],
    ) -> None:
        """An agent's invocation is over."""
        if context.ended or context is self.contexts.root:
            return
        if self.before_end is not None:
            self.before_end(context, out)
        context.ended = True
        context.ending = None
        out.append(
            SubAgentEnded(context.id, self.ts, context.agent_id, context.call, ok, reason, content)
        )


def _launched(context: Context, given: SpawnResult, told: str | None, ok: bool) -> bool:
    """Whether a call has only started its agent."""
    if given.status is None and told is not None and not given.is_async:
        return ok and (bool(context.background) or told.startswith(LAUNCHED))
    return bool(given.is_async) or (given.status or "").endswith("launched")


def spawn_input(raw: bytes) -> SpawnInput:
    """A spawning call's arguments, as far as they have the right types."""
    return read_as(SpawnInput, raw)
