"""One request: a run of the log, from `request_received` to `done`, whatever happens.

The request owns everything below its master. Its events go out through one journal, in the order in
which they happened. It can be steered while it lives: sent messages, interrupted, cancelled, its
agents stopped, their permission requests answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol

import msgspec
from msgspec import Struct

from unbraid.agents.agent_spec import AgentSpec, Limits
from unbraid.agents.backend_port import AgentConversation
from unbraid.agents.control_port import (
    VERBS,
    AnswerDetails,
    Controller,
    UnknownRequest,
    refuse_details,
)
from unbraid.errors import CallerError
from unbraid.events import Draft, PermissionReplied, Prompt
from unbraid.fold.delegation import ROOT, Delegation
from unbraid.log.entry import Entry
from unbraid.log.leases import Leases
from unbraid.log.port import Log
from unbraid.orchestrate import replies
from unbraid.orchestrate.agent_stream import AgentStream
from unbraid.orchestrate.backends import Backends
from unbraid.orchestrate.budget import AGENT_LIMITS, Account
from unbraid.orchestrate.commands import Commands
from unbraid.orchestrate.instance import MAX_CHILDREN, Instance, problem_of
from unbraid.orchestrate.journal import Journal
from unbraid.orchestrate.material import GivenMaterial
from unbraid.orchestrate.prompts import with_fleet_prompt
from unbraid.orchestrate.replies import Reply
from unbraid.orchestrate.roster import Roster
from unbraid.orchestrate.turn import Permission
from unbraid.system.clock import now_ms
from unbraid.system.prices.loader import load_prices

# How an agent that asks is answered, if it can be, and its stream.
_Asked = tuple[Callable[[str, str, str | None], Awaitable[None]] | None, AgentStream]


class Resources(Protocol):
    """What a request works with; its orchestrator has it."""

    commands: Commands
    backends: Backends
    leases: Leases | None
    cwd: str
    model: str | None

    @property
    def roster(self) -> Roster:
        """The agents there are."""
        ...

    def draft(self, run: str, draft: Draft) -> None:
        """Shows live viewers what is not in the log."""
        ...


class Outcome(Struct, frozen=True):
    """How a request has ended: `reason` as in `stream_end`."""

    ok: bool
    reason: str
    problem: str | None = None


class _Child(Struct):
    task: asyncio.Task[Reply]
    stopped: bool = False


class Request(Controller):
    """A run that is being orchestrated. It is its run's Controller."""

    def __init__(
        self, resources: Resources, log: Log, *, run: str, prompt: str, limits: Limits
    ) -> None:
        self.run, self.prompt = run, prompt
        self._log = log
        self.roster, self.commands = resources.roster, resources.commands
        self.limits = limits
        self.on_cancel: Callable[[], None] = lambda: None
        self._resources = resources
        self._account = Account(limits)
        self._delegation = Delegation(load_prices().prices)
        self._journal = Journal(log, run)
        self._writing = asyncio.create_task(self._journal.run())
        self._inbox: asyncio.Queue[str] = asyncio.Queue()
        self._children: dict[int, _Child] = {}
        self._asking: dict[str, _Asked] = {}
        self._current: asyncio.Task[Reply] | None = None
        self._interrupted = False
        master = self.roster.master
        self._journal.write(
            self._delegation.begin(
                master.name, prompt, cwd=resources.cwd, model=master.model, now=now_ms()
            )
        )
        self._stream = self._stream_of(ROOT, master)

    # --- its life ---

    async def begun(self) -> None:
        """Waits until the run is in the log. Raises LogError if it cannot be."""
        await self._journal.begun.wait()
        if self._writing.done():
            self._writing.result()

    async def ended(self) -> None:
        """Waits until `done` is in the log. Raises LogError if it cannot be."""
        await asyncio.shield(self._writing)

    async def follow(self) -> AsyncGenerator[list[Entry], None]:
        """Yields what is in the log of it, and what comes; LogError if its end cannot be
        written.
        """
        entries = self._log.follow(self.run)
        while True:
            batch = asyncio.ensure_future(_next(entries))
            try:
                waiting = {batch} if self._writing.done() else {batch, self._writing}
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if not batch.done():
                    self._writing.result()
                found = await batch
            finally:
                batch.cancel()
            if found is None:
                return
            yield found

    @property
    def over(self) -> bool:
        """Whether `done` was emitted."""
        return self._delegation.done

    async def perform(self, conversation: AgentConversation, material: GivenMaterial) -> Outcome:
        """Lets the master, which was given `material` before, answer the prompt and the messages
        that come meanwhile. Returns how that has ended; ends nothing itself.
        """
        working = asyncio.create_task(self._work(conversation, material))
        try:
            # A log that cannot be written ends the work: it would never be visible.
            await asyncio.wait({working, self._writing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not working.done():
                working.cancel()
                await asyncio.wait({working})
        if working.cancelled():
            return Outcome(False, "failed", "the log cannot be written")
        return working.result()

    def finish(self, outcome: Outcome) -> None:
        """Emits the end of every stream that is still open, of the master's, and of the run."""
        if self.over:
            return
        if outcome.problem is not None:
            self._stream.error(outcome.problem)
        self._stream.settle()
        self._journal.write(self._delegation.finish(outcome.ok, outcome.reason, now_ms()))

    async def _work(self, conversation: AgentConversation, material: GivenMaterial) -> Outcome:
        master = self.roster.master
        instance = self._instance(master, self._stream, conversation, depth=0, material=material)
        message = self.prompt
        try:
            async with asyncio.timeout(self.limits.seconds) as deadline:
                while True:
                    reply = await self._answer(instance, message)
                    if reply is not None and not reply.ok:
                        return Outcome(False, "failed", reply.text)
                    if reply is not None and self._inbox.empty():
                        return Outcome(True, "completed")
                    message = await self._inbox.get()
                    self._stream.say(Prompt(text=message))
        except TimeoutError:
            if not deadline.expired():
                raise
            problem = f"the request was not done after {self.limits.seconds:g} s"
            return Outcome(False, "failed", problem)

    def _instance(
        self,
        agent: AgentSpec,
        stream: AgentStream,
        conversation: AgentConversation,
        *,
        depth: int,
        material: GivenMaterial | None = None,
    ) -> Instance:
        return Instance(
            self,
            agent,
            stream=stream,
            conversation=conversation,
            depth=depth,
            material=material or GivenMaterial(self.commands),
            on_asked=self._asked(stream, conversation),
        )

    async def _answer(self, instance: Instance, message: str) -> Reply | None:
        """Returns the master's answer; None if it was interrupted."""
        self._interrupted = False
        self._current = asyncio.create_task(instance.answer(message))
        try:
            return await self._current
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._interrupted and task is not None and not task.cancelling():
                return None
            raise
        finally:
            self._current = None

    # --- for its instances ---

    @asynccontextmanager
    async def open(self, agent: AgentSpec, depth: int) -> AsyncIterator[AgentConversation]:
        """Opens a fresh conversation with an agent whose prompt explains the fleet."""
        if agent.model is None:
            agent = msgspec.structs.replace(agent, model=self._resources.model)
        briefed = with_fleet_prompt(
            agent, self.roster, self.commands.usages, depth=depth, most=MAX_CHILDREN
        )
        backend, leases = self._resources.backends.of(agent.backend), self._resources.leases
        if leases is None:
            async with backend.open(briefed) as conversation:
                yield conversation
            return
        # Marked from its first moment on, or a watch beside us would record it as a run of its own.
        starting, session = leases.acquire_unnamed(), None
        try:
            async with backend.open(briefed) as conversation:
                session = getattr(conversation, "session", None)
                if session is not None:
                    await leases.acquire(session)
                    leases.mark_part_of_other_run(session)
                await leases.release(starting)
                yield conversation
        finally:
            await leases.release(starting)
            if session is not None:
                await leases.release(session)

    def begin(self, caller: AgentStream, agent: AgentSpec, message: str) -> AgentStream:
        """Begins a delegation's stream, and returns it."""
        key, events = self._delegation.start(
            caller.key, agent.name, message, model=agent.model, now=now_ms()
        )
        self._journal.write(events)
        return self._stream_of(key, agent)

    async def child(
        self, agent: AgentSpec, stream: AgentStream, *, depth: int, message: str
    ) -> Reply:
        """Runs a delegation, from its conversation's opening to its end, and returns the reply.
        Raises nothing except CancelledError.
        """
        task = asyncio.current_task()
        assert task is not None
        child = self._children[stream.stream_id] = _Child(task)
        reason = "failed"
        try:
            reply = await self._ask(agent, stream, depth=depth, message=message)
            reason = "completed" if reply.ok else "failed"
        except asyncio.CancelledError:
            # Was this agent stopped, or is the whole request being ended?
            if not child.stopped or task.uncancel():
                stream.end(ok=False, reason="cancelled")
                raise
            reply, reason = replies.stopped(agent.name), "cancelled"
        finally:
            del self._children[stream.stream_id]
            self._forget(stream)
        if reason == "failed":
            stream.error(reply.text)
        stream.respond(reply.text)
        stream.end(ok=reply.ok, reason=reason)
        return reply

    async def _ask(
        self, agent: AgentSpec, stream: AgentStream, *, depth: int, message: str
    ) -> Reply:
        seconds = stream.account.limits.seconds
        try:
            async with asyncio.timeout(seconds) as deadline:
                async with self.open(agent, depth) as conversation:
                    instance = self._instance(agent, stream, conversation, depth=depth)
                    return await instance.answer(message)
        except TimeoutError:
            if deadline.expired() and seconds is not None:
                return replies.out_of_time(agent.name, seconds)
            return replies.failed(agent.name, "it timed out", "")
        except Exception as error:
            # One that fails, in whatever way, does not stop the others.
            return problem_of(agent.name, error)

    def _stream_of(self, key: str, agent: AgentSpec) -> AgentStream:
        limits = agent.limits.filled(AGENT_LIMITS)
        account = Account(limits, self._account)
        return AgentStream(
            key,
            delegation=self._delegation,
            journal=self._journal,
            account=account,
            on_draft=lambda draft: self._resources.draft(self.run, draft),
        )

    # --- Controller ---

    async def message(self, text: str) -> None:
        """Sends the master a further message; it is answered after the earlier ones."""
        self._check_live()
        self._inbox.put_nowait(text)

    async def interrupt(self) -> None:
        """Stops what the master does now; it then waits for the next message."""
        self._check_live()
        if self._current is not None:
            self._interrupted = True
            self._current.cancel()

    async def cancel(self) -> None:
        """Ends the run, and every agent in it."""
        self.on_cancel()

    async def stop(self, stream_id: int) -> None:
        """Ends one agent; its caller gets an error as the answer."""
        child = self._children.get(stream_id)
        if child is None:
            raise CallerError(f"stream {stream_id} is not an agent that can be stopped now")
        if not child.stopped:
            child.stopped = True
            child.task.cancel()

    def verbs(self) -> list[str]:
        """Returns all of them."""
        return list(VERBS)

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answers a permission request."""
        if request_id not in self._asking:
            raise UnknownRequest(request_id)
        answer, _ = self._asking[request_id]
        if answer is None:
            raise CallerError("this agent cannot be answered")
        refuse_details(details)
        await answer(request_id, behavior, message)
        self._asking.pop(request_id, None)

    def _asked(
        self, stream: AgentStream, conversation: AgentConversation
    ) -> Callable[[Permission], None]:
        def asked(event: Permission) -> None:
            if isinstance(event, PermissionReplied):
                self._asking.pop(event.request_id, None)
            else:
                answer = getattr(conversation, "answer", None)
                self._asking[event.request_id] = (answer, stream)

        return asked

    def _forget(self, stream: AgentStream) -> None:
        """Drops the pending permission requests of a stream."""
        for request_id, (_, asker) in list(self._asking.items()):
            if asker is stream:
                del self._asking[request_id]

    def _check_live(self) -> None:
        if self.over:
            raise CallerError(f"run {self.run} is over")


async def _next(entries: AsyncIterator[list[Entry]]) -> list[Entry] | None:
    return await anext(entries, None)
