"""A prompt from the command line, said over stdin, so that more can be said there later.

Claude Code takes a prompt as an argument, and then it listens to nobody; or as a line of stdin, and
then it waits for the next line until its stdin ends. We end it when the agent has answered, nobody
it has sent out is still away, and it has been silent for a moment. That is only the end of what can
be said: what it does after that is what it would have done anyway. A person who
interrupts it has more to say: then its stdin stays open for that.
"""

from __future__ import annotations

import asyncio

from unbraid.agents.claude.heads import ProcessHead, process_head
from unbraid.agents.claude.process import stdin as claude_input
from unbraid.agents.claude.records import ToolPermissionRequest
from unbraid.agents.process_port import AgentProcess
from unbraid.timings import STDIN_END_SILENCE_SECONDS, STDIN_END_SILENCE_WITH_AGENTS_SECONDS

_ENDED = ("completed", "failed", "killed", "stopped", "cancelled")


class StdinPrompt:
    """Says the prompt of one run and what comes after it, and ends what can be said in time."""

    def __init__(self, process: AgentProcess, prompt: str) -> None:
        self._process = process
        self._answered = self._interrupted = False
        self._away: set[str] = set()
        self._ending: asyncio.TimerHandle | None = None
        self.write(claude_input.prompt(prompt))

    @property
    def listens(self) -> bool:
        """Whether anything can still be said to it."""
        return self._process.listens

    def write(self, data: bytes) -> None:
        """One line more."""
        match process_head(data):
            case ProcessHead(type="user"):
                self._answered = self._interrupted = False
            case ProcessHead(request=ToolPermissionRequest(subtype="interrupt")):
                self._interrupted = True
        self.stop()
        self._process.write(data)

    def printed(self, line: ProcessHead) -> None:
        """A line of its stdout."""
        self._note(line)
        self.stop()
        if self._answered and not self._interrupted:
            seconds = (
                STDIN_END_SILENCE_WITH_AGENTS_SECONDS if self._away else STDIN_END_SILENCE_SECONDS
            )
            loop = asyncio.get_running_loop()
            self._ending = loop.call_later(seconds, self._process.end_input)

    def stop(self) -> None:
        """End nothing any more."""
        if self._ending is not None:
            self._ending.cancel()

    def _note(self, line: ProcessHead) -> None:
        match line:
            case ProcessHead(type="result"):
                self._answered = True
            case ProcessHead(type="control_request"):
                self._answered = False  # it waits for an answer
            case ProcessHead(type="system", subtype="init"):
                self._answered = False
            case ProcessHead(type="system", subtype="task_started", task_id=str(task)):
                if line.subagent_type is not None:
                    self._away.add(task)
            case ProcessHead(type="system", subtype="task_notification", task_id=str(task)):
                self._away.discard(task)
            case ProcessHead(type="system", subtype="task_updated", task_id=str(task)):
                if line.patch is not None and line.patch.status in _ENDED:
                    self._away.discard(task)
