"""The CLI's own account of its tasks: `system/task_*`, and notifications in conversations."""

from __future__ import annotations

from unbraid.agents.claude.dialect.attribution import Attribution
from unbraid.agents.claude.dialect.spawns import Spawns
from unbraid.agents.claude.records import ClaudeRecord, Task, TaskUsage
from unbraid.events import Progress, RelayEvent, Unrecognized
from unbraid.read.clock import Clock
from unbraid.read.lifecycle import Agents
from unbraid.read.record import read_as, sound
from unbraid.read.seen import newly

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


class Tasks:
    """Begins and ends agents as the CLI reports its tasks."""

    def __init__(
        self,
        *,
        clock: Clock,
        agents: Agents,
        spawns: Spawns,
        attribution: Attribution,
        seen: dict[int, None],
    ) -> None:
        self._clock = clock
        self._agents = agents
        self._spawns = spawns
        self._attribution = attribution
        self._seen = seen

    def record(self, record: ClaudeRecord, subtype: str, out: list[RelayEvent]) -> None:
        """Handles a `system/task_*` record."""
        if record.uuid is not None and not newly(self._seen, hash(record.uuid)):
            return
        task = read_as(Task, record.raw)
        self.settle_endings(task.task_id if subtype == "task_notification" else None, out)
        if subtype == "task_started":
            self._spawns.task_started(task, out)
            self._attribution.retry(out)
        elif subtype == "task_progress":
            self._progress(task, out)
        elif subtype == "task_updated":
            status = task.patch.status if task.patch is not None else None
            if status in REASONS:
                for context in self._spawns.of_task(task):
                    context.ending = (status == "completed", REASONS[status], None)
        elif subtype == "task_notification":
            self.over(task, out)
        else:
            out.append(Unrecognized("", self._clock.ts, sound(record.raw)))

    def _progress(self, task: Task, out: list[RelayEvent]) -> None:
        usage = task.usage or TaskUsage()
        out += [
            Progress(
                context.id,
                self._clock.ts,
                tool_uses=usage.tool_uses,
                total_tokens=usage.total_tokens,
                duration_ms=usage.duration_ms,
                last_tool=task.last_tool_name,
            )
            for context in self._spawns.of_task(task)
        ]

    def over(self, task: Task, out: list[RelayEvent]) -> None:
        """Handles the end of a task, as the CLI reports it or as its parent's conversation says."""
        reason = REASONS.get(task.status or "", "failed")
        for context in self._spawns.of_task(task):
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
