"""A Claude Code process that we started, and that may listen (`--input-format stream-json`).

What comes in on our stdin reaches it as before; what others send is inserted in between, in whole
lines. The input of a permission request that it prints is kept until that is answered.
"""

from __future__ import annotations

import asyncio
import signal
from typing import Any

from unbraid.agents.claude.heads import ProcessHead, process_head
from unbraid.agents.claude.hooks.decisions import allowed_input
from unbraid.agents.claude.process import stdin as claude_input
from unbraid.agents.claude.records import ToolPermissionRequest
from unbraid.agents.control_port import (
    VERBS,
    AnswerDetails,
    Controller,
    UnknownRequest,
    allows,
    require_agent_id,
)
from unbraid.agents.port import AgentProcess, RunReference
from unbraid.errors import CallerError
from unbraid.events.parts import decoded

# An agent's stdin is closed this long after its answer: more messages may be on their way.
STDIN_END_SILENCE_SECONDS = 0.5
# Not every version reports of every sub-agent that it has ended.
STDIN_END_SILENCE_WITH_AGENTS_SECONDS = 30.0

_ENDED = ("completed", "failed", "killed", "stopped", "cancelled")


class StdinPrompt:
    """Sends a prompt from the command line and the messages after it, and closes stdin in time.

    Claude Code takes a prompt as an argument, and then reads no further messages; or as a line of
    stdin, and then waits for the next line until its stdin ends. Stdin is closed when the agent has
    answered, none of its background agents is running, and it has printed nothing for a moment.
    Closing stdin only ends further messages; it does not stop the agent. If a person interrupts the
    agent, stdin stays open, because the person's next message is expected.
    """

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
        self._update(line)
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

    def _update(self, line: ProcessHead) -> None:
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


class ClaudeController(Controller):
    """The controller of one process: `reads_stdin` if we may write to its stdin, with a `prompt` if
    that is to be sent there first.
    """

    def __init__(
        self, process: AgentProcess, run: RunReference, *, reads_stdin: bool, prompt: str | None
    ) -> None:
        self._process, self._run = process, run
        self._prompt = None if prompt is None else StdinPrompt(process, prompt)
        self._stdin = self._prompt or (process if reads_stdin else None)
        self._asked: dict[str, tuple[str, Any]] = {}  # tool and input, by request

    def close(self) -> None:
        if self._prompt is not None:
            self._prompt.stop()

    def printed(self, line: bytes) -> None:
        """Handles a line of stdout: it may ask for permission."""
        # Without a prompt of ours, few lines matter: the rest is not read.
        if self._prompt is None and b'"control_' not in line:
            return
        read = process_head(line)
        if read is None:
            return
        if self._prompt is not None:
            self._prompt.printed(read)
        if read.type == "control_request" and read.request is not None:
            if read.request.subtype == "can_use_tool":
                given = decoded(bytes(read.request.input))
                # The first of a name is shown, so it is the one that is answered.
                self._asked.setdefault(read.request_id, (read.request.tool_name, given))
        elif read.type == "control_cancel_request":
            self._asked.pop(read.request_id, None)

    def passed(self, data: bytes) -> None:
        for line in data.split(b"\n") if b'"control_response"' in data else ():
            read = process_head(line)
            if read is not None and read.response is not None:
                self._asked.pop(read.response.request_id, None)

    def verbs(self) -> list[str]:
        """Returns what can be done: without a stdin of ours, it can only be ended."""
        listens = self._stdin is not None and self._stdin.listens
        return list(VERBS) if listens else ["cancel"]

    async def message(self, text: str) -> None:
        self._say(claude_input.prompt(text))

    async def interrupt(self) -> None:
        self._say(claude_input.interrupt(claude_input.new_request_id()))

    async def cancel(self) -> None:
        self._process.send_signal(signal.SIGTERM)

    async def stop(self, stream_id: int) -> None:
        agent = await require_agent_id(self._run.agent_id, stream_id)
        self._say(claude_input.stop_task(claude_input.new_request_id(), agent))

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        if request_id not in self._asked:
            raise UnknownRequest(request_id)
        if allows(behavior):
            given = allowed_input(*self._asked[request_id], details)
            self._say(claude_input.allow(request_id, given))
        else:
            self._say(claude_input.deny(request_id, message or "Not allowed."))
        del self._asked[request_id]

    def _say(self, line: bytes) -> None:
        if self._stdin is None:
            raise CallerError(
                "this run does not accept messages: start it with `unbraid run --steer`, or with "
                "--input-format stream-json, to send it messages"
            )
        if not self._stdin.listens:
            raise CallerError("this run has answered, and accepts no more messages")
        self._stdin.write(line)
