"""A prompt from the command line, sent over stdin, so that further messages can be sent there
later.

Claude Code takes a prompt as an argument, and then reads no further messages; or as a line of
stdin, and then waits for the next line until its stdin ends. Stdin is closed when the agent has
answered, none of its background agents is running, and it has printed nothing for a moment. Closing
stdin only ends further messages; it does not stop the agent. If a person interrupts the agent,
stdin stays open, because the person's next message is expected.
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
    """Sends the prompt of one run and the messages after it, and closes stdin in time."""

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
        """Writes one more line to stdin."""
        match process_head(data):
            case ProcessHead(type="user"):
                self._answered = self._interrupted = False
            case ProcessHead(request=ToolPermissionRequest(subtype="interrupt")):
                self._interrupted = True
        self.stop()
        self._process.write(data)

    def printed(self, line: ProcessHead) -> None:
        """Takes a line of stdout. After an answer, stdin is closed if no further line comes for a
        while.
        """
        self._note(line)
        self.stop()
        if self._answered and not self._interrupted:
            seconds = (
                STDIN_END_SILENCE_WITH_AGENTS_SECONDS if self._away else STDIN_END_SILENCE_SECONDS
            )
            loop = asyncio.get_running_loop()
            self._ending = loop.call_later(seconds, self._process.end_input)

    def stop(self) -> None:
        """Cancels the end of stdin that was planned."""
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
