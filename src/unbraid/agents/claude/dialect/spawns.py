"""How Claude Code's agents come to be: calls, task records, meta files, workflows.

The spawning call is the earliest sign of an agent, so it is announced there. A call's result is the
end of the agent only if the call did not merely launch it. The CLI's own account of its tasks, and
the meta file beside an agent's transcript, may come before or after the call.
"""

from __future__ import annotations

from unbraid.agents.claude.dialect.unnamed_messages import UnnamedMessages
from unbraid.agents.claude.records import (
    LAUNCHED,
    SpawnInput,
    SpawnResult,
    Task,
    agent_answer,
)
from unbraid.agents.claude.transcript import INTERRUPTION, REJECTION, AgentFacts
from unbraid.events import RelayEvent
from unbraid.read.content import extract_content
from unbraid.read.contexts import Context, OpenCall
from unbraid.read.lifecycle import Agents


class Spawns:
    """Joins every sign of an agent to one context."""

    def __init__(self, agents: Agents, unnamed: UnnamedMessages) -> None:
        self._agents = agents
        self._unnamed = unnamed
        self._contexts = agents.contexts
        self._facts: dict[str, AgentFacts] = {}  # by agent
        self._finished: set[str | None] = set()  # agents whose meta file says so
        self._workflows: dict[str, tuple[Context, str]] = {}  # run id: the agent and call behind it
        self._workflow_tasks: dict[str, str] = {}  # task id: call
        self._early: dict[str, Task] = {}  # by call: tasks that were reported before the call was

    def call_made(
        self, call_id: str, parent: Context, given: SpawnInput, out: list[RelayEvent]
    ) -> Context:
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
            self.task_started(task, out)
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

    def identify(self, context: Context, agent_id: str, out: list[RelayEvent]) -> None:
        """Notes an agent's id, and with it the facts of its meta file."""
        if context.agent_id == agent_id or context is self._contexts.root:
            return
        self.describe(context, agent_id)
        self._agents.identify(context, agent_id, out)

    # --- meta files ---

    def learn(self, facts: AgentFacts) -> None:
        """Stores the facts of an agent's meta file."""
        self._facts.setdefault(facts.agent_id, facts)
        if facts.finished:
            self._finished.add(facts.agent_id)

    def has_finished(self, context: Context) -> bool:
        """Returns whether an agent's meta file says that the agent has finished."""
        return context.agent_id in self._finished

    def describe(self, context: Context, agent_id: str) -> AgentFacts | None:
        """Adds the facts of an agent's meta file to its context, and returns them."""
        facts = self._facts.get(agent_id)
        if facts is not None:
            context.subagent_type = context.subagent_type or facts.agent_type
            context.description = context.description or facts.description
        return facts

    def knows_call(self, agent_id: str) -> bool:
        """Returns whether an agent's meta file says what spawned it."""
        facts = self._facts.get(agent_id)
        return facts is not None and (facts.tool_use_id or facts.workflow) is not None

    def from_facts(
        self, agent_id: str, prompt: str | None, out: list[RelayEvent]
    ) -> Context | None:
        """Returns the context of an agent of which only its meta file is known; None if that does
        not say enough.
        """
        facts = self._facts.get(agent_id)
        if facts is None:
            return None
        contexts = self._contexts
        if facts.workflow is not None:
            known = self._workflows.get(facts.workflow)
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
                elif call in self._agents.calls:
                    parent = self._agents.calls[call].context
                elif facts.spawn_depth not in (None, 1):
                    return None
                existing = contexts.add(call, parent, call)
            context = existing
        self.describe(context, agent_id)
        context.prompt = context.prompt or prompt
        self.identify(context, agent_id, out)
        return context

    # --- the CLI's own account of its tasks ---

    def task_started(self, task: Task, out: list[RelayEvent]) -> None:
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
            elif above is None and call is not None and call not in self._early and self._running():
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

    def _running(self) -> bool:
        return any(c.spawned and not c.ended for c in self._contexts.by_call.values())

    def settle_early(self, out: list[RelayEvent], call: str | None = None) -> bool:
        """Starts the agents of tasks whose calls will not be seen: the main agent counts as their
        caller. Returns whether there were any.
        """
        found = False
        for each in [call] if call is not None else list(self._early):
            task = self._early.get(each)
            if task is not None:
                found = True
                self.task_started(task, out)
                del self._early[each]
        return found

    def of_task(self, task: Task) -> list[Context]:
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


def _trouble(context: Context, result: str) -> str:
    """Returns why an agent whose call has brought an error has ended: the CLI gives its caller the
    same kind of text for all reasons.
    """
    was_at_work = bool(context.messages) or context.ending is not None
    if context.interrupted or (was_at_work and result.startswith((INTERRUPTION, REJECTION))):
        return "interrupted"
    return "failed" if context.ending is None or context.ending[0] else context.ending[1]


def _launched(context: Context, given: SpawnResult, text: str | None, *, ok: bool) -> bool:
    """Returns whether a call has only started its agent."""
    if given.status is None and text is not None and not given.is_async:
        return ok and (bool(context.background) or text.startswith(LAUNCHED))
    return bool(given.is_async) or (given.status or "").endswith("launched")
