"""An app-server that works in place of `codex exec`: it is given the prompt, and listens until it
has answered.

A message that comes while it works goes into the running turn, or, where Codex does not take it
there, begins the next one. When a turn is over and nothing more is to be said, sub-agents that are
still at work are broken off, as `exec` does it, its stdin is closed, and the server ends. If a
person interrupts it, it stays open, because the person's next message is expected.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import Any

from unbraid.agents.codex.app_server import ServerClient, ServerMessage, text_input, text_of
from unbraid.agents.codex.exec import ServedExec
from unbraid.agents.control_port import (
    VERBS,
    AnswerDetails,
    Controller,
    allows,
    refuse_details,
    require_agent_id,
)
from unbraid.agents.port import AgentProcess, RunReference
from unbraid.errors import CallerError
from unbraid.timings import AGENT_INTERRUPT_TIMEOUT_SECONDS


class CodexController(Controller):
    """The controller of one app-server."""

    def __init__(self, process: AgentProcess, run: RunReference, served: ServedExec) -> None:
        self._process, self._run, self._served = process, run, served
        self._thread = ""
        self._turns: dict[str, str] = {}  # thread: the turn that it is in
        self._images = list(served.images)
        self._next = [served.prompt]  # what is to be said when no turn runs
        self._interrupted = self._is_starting = self._is_cancelled = False
        self._ending: asyncio.TimerHandle | None = None
        self._server = ServerClient(process.write)
        self._server.introduce(self._introduced)

    def verbs(self) -> list[str]:
        """Returns all verbs while it listens."""
        return list(VERBS) if self._process.listens else ["cancel"]

    async def message(self, text: str) -> None:
        """Says something more: in the running turn, or in one of its own."""
        self._require_listening()
        self._interrupted = False
        if self._ending is not None and not self._is_cancelled:
            self._ending.cancel()
            self._ending = None
        turn = self._turns.get(self._thread)
        if turn is None:
            self._next.append(text)
            self._continue()
        else:
            self._steer(self._thread, turn, text, otherwise=self._next.append)

    async def message_agent(self, stream_id: int, text: str) -> None:
        """Says something to one sub-agent. Raises CallerError where Codex does not take it."""
        thread = await self._thread_of(stream_id)
        turn = self._turns.get(thread)
        given: dict[str, Any] = {"threadId": thread, "input": text_input(text)}
        replied: asyncio.Future[ServerMessage] = asyncio.get_running_loop().create_future()

        def answered(reply: ServerMessage) -> None:
            if not replied.done():
                replied.set_result(reply)
            self._continue()

        if turn is None:
            self._server.request("turn/start", given, answered)
        else:
            self._server.request("turn/steer", {**given, "expectedTurnId": turn}, answered)
        try:
            async with asyncio.timeout(AGENT_INTERRUPT_TIMEOUT_SECONDS):
                reply = await replied
        except TimeoutError:
            raise CallerError("Codex did not say whether it accepted the message") from None
        if reply.problem is not None:
            raise CallerError(f"Codex did not accept this message: {reply.problem}")

    async def interrupt(self) -> None:
        """Breaks off the turn of the main agent; it then waits for a message."""
        self._require_listening()
        turn = self._turns.get(self._thread)
        if turn is None:
            raise CallerError("the main agent is not working")
        self._interrupted = True
        self._interrupt(self._thread, turn)

    async def cancel(self) -> None:
        """Breaks off the turns of all agents, which ends the run; a server that does not end soon
        is ended by a signal, and so is one that was asked before.
        """
        self._interrupted, self._is_cancelled = False, True
        self._next.clear()
        if not self._turns or not self._process.listens or self._ending is not None:
            self._end()
            return
        self._break_off()

    async def stop(self, stream_id: int) -> None:
        """Breaks off the turn of one sub-agent."""
        thread = await self._thread_of(stream_id)
        if thread not in self._turns:
            raise CallerError(f"the agent of stream {stream_id} is not working")
        self._interrupt(thread, self._turns[thread])

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answers a permission request. Codex takes no reason with a refusal: the agent that asked
        gets it as a message.
        """
        refuse_details(details)
        allow = allows(behavior)
        thread = self._server.answer(request_id, allow=allow)
        turn = self._turns.get(thread)
        if not allow and message and turn is not None:
            self._steer(thread, turn, message, otherwise=lambda text: None)

    def printed(self, line: bytes) -> None:
        """Reads a line of its stdout."""
        message = self._server.read(line)
        if message is None:
            return
        thread, turn = message.thread_id, text_of(message.params, "turn", "id")
        if message.method == "turn/started" and thread is not None and turn is not None:
            self._turns[thread] = turn
            self._is_starting &= thread != self._thread
            if self._ending is not None:
                self._interrupt(thread, turn)
        elif message.method == "turn/completed" and thread is not None:
            self._turns.pop(thread, None)
            self._is_starting &= thread != self._thread
            if thread == self._thread or self._ending is not None:
                self._continue()

    def close(self) -> None:
        """Notes that the process is gone."""
        if self._ending is not None:
            self._ending.cancel()

    # --- the conversation ---

    def _introduced(self, reply: ServerMessage) -> None:
        if self._failed(reply):
            return
        wanted = self._served.thread
        if self._served.resumed is None:
            self._server.request("thread/start", wanted, self._begun)
        else:
            resumed = {"threadId": self._served.resumed, "excludeTurns": True}
            self._server.request("thread/resume", wanted | resumed, self._begun)

    def _begun(self, reply: ServerMessage) -> None:
        self._thread = text_of(reply.result, "thread", "id") or ""
        if not self._failed(reply):
            self._continue()

    def _continue(self) -> None:
        """Says what is to be said next, if no turn runs; ends it if there is nothing."""
        if not self._thread or self._is_starting or self._thread in self._turns:
            return
        if self._next:
            self._is_starting = True
            given: dict[str, Any] = {"threadId": self._thread}
            given["input"] = self._input(self._next.pop(0))
            if self._served.schema is not None:
                given["outputSchema"] = self._served.schema
            self._server.request("turn/start", given, self._failed)
        elif self._interrupted or self._server.waits:
            return
        elif self._turns:
            self._break_off()
        else:
            self._process.end_input()

    def _input(self, text: str) -> list[dict[str, str]]:
        """Returns a prompt, the first one with its images."""
        images, self._images = self._images, []
        return [*({"type": "localImage", "path": path} for path in images), *text_input(text)]

    def _break_off(self) -> None:
        """Ends the turns of all agents, once; a server that does not end soon is ended by a
        signal.
        """
        if self._ending is None:
            for thread, turn in self._turns.items():
                self._interrupt(thread, turn)
            loop = asyncio.get_running_loop()
            self._ending = loop.call_later(AGENT_INTERRUPT_TIMEOUT_SECONDS, self._end)

    def _steer(self, thread: str, turn: str, text: str, otherwise: Callable[[str], None]) -> None:
        def answered(reply: ServerMessage) -> None:
            # It does not take it now: the turn is just over, or of a sort that takes nothing.
            if reply.problem is not None:
                otherwise(text)
            self._continue()

        given = {"threadId": thread, "expectedTurnId": turn, "input": text_input(text)}
        self._server.request("turn/steer", given, answered)

    def _interrupt(self, thread: str, turn: str) -> None:
        given = {"threadId": thread, "turnId": turn}
        self._server.request("turn/interrupt", given, lambda reply: self._continue())

    def _end(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.end_input()

    def _failed(self, reply: ServerMessage) -> bool:
        """Returns whether a request has failed. If it has, ends the server's input: there is
        nothing to wait for.
        """
        if reply.problem is not None:
            self._process.end_input()
        return reply.problem is not None

    async def _thread_of(self, stream_id: int) -> str:
        self._require_listening()
        return await require_agent_id(self._run.agent_id, stream_id)

    def _require_listening(self) -> None:
        if not self._process.listens:
            raise CallerError("this run has answered, and accepts no more messages")
