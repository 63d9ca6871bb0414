"""One request: a run of the log, from `request_received` to `done`, whatever happens.

The request owns everything below its master. Its events go out through one journal, in the order in
which they happened. It can be steered while it lives: sent messages, interrupted, cancelled, its
agents stopped, their permission requests answered. Its master's conversation belongs to a
`MasterSession`, which may answer further requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec, Limits
from unbraid.agents.control_port import (
    VERBS,
    AnswerDetails,
    Controller,
    UnknownRequest,
    refuse_details,
)
from unbraid.agents.port import AgentConversation
from unbraid.errors import CallerError
from unbraid.fold.streams import Fleet
from unbraid.log.entry import Entry
from unbraid.orchestrate import replies
from unbraid.orchestrate.agent_stream import AgentStream, Journal
from unbraid.orchestrate.budget import AGENT_LIMITS, Account
from unbraid.orchestrate.commands import with_fleet_prompt
from unbraid.orchestrate.grammar import GivenMaterial
from unbraid.orchestrate.instance import MAX_CHILDREN, Instance, problem_of
from unbraid.orchestrate.replies import Reply, err
from unbraid.system.clock import now_ms
from unbraid.system.prices.loader import load_prices

if TYPE_CHECKING:
    from unbraid.orchestrate.orchestrator import Orchestrator

SOURCE = "orchestrate"
# The key of the master's conversation.
ROOT = ""


class Outcome(Struct, frozen=True):
    """How a request has ended: `reason` as in `stream_end`."""

    ok: bool
    reason: str
    problem: str | None = None


class Request(Controller):
    """A run that is being orchestrated. It is its run's Controller."""

    def __init__(
        self, orchestrator: Orchestrator, *, run: str, prompt: str, limits: Limits
    ) -> None:
        self.run, self.prompt, self.limits = run, prompt, limits
        self.roster, self.commands = orchestrator.roster, orchestrator.commands
        self.on_cancel: Callable[[], None] = lambda: None
        self._orchestrator = orchestrator
        self._account = Account(limits)
        self._fleet = Fleet(SOURCE, prices=load_prices().prices)
        self._delegations = 0
        self._journal = Journal(orchestrator.log, run)
        self._writing = asyncio.create_task(self._journal.run())
        self._inbox: asyncio.Queue[str] = asyncio.Queue()
        self._children: dict[int, Instance] = {}
        # The agents that wait for permission, by their permission requests.
        self._asking: dict[str, Instance] = {}
        master = self.roster.master
        self._journal.write(
            self._fleet.begin(
                master.name,
                prompt=prompt,
                cwd=orchestrator.cwd,
                model=master.model,
                now=now_ms(),
            )
        )
        self._master = self._instance(ROOT, master, depth=0)

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
        entries = self._orchestrator.log.follow(self.run)
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
        return self._fleet.done

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
            self._master.stream.say(e.Error(message=outcome.problem))
        self._master.stream.emit_usage()
        self._journal.write(self._fleet.finish(outcome.ok, outcome.reason, now_ms()))

    async def _work(self, conversation: AgentConversation, material: GivenMaterial) -> Outcome:
        self._master.material = material
        message = self.prompt
        try:
            async with asyncio.timeout(self.limits.seconds) as deadline:
                while True:
                    reply = await self._answer(conversation, message)
                    if reply is not None and not reply.ok:
                        return Outcome(False, "failed", reply.text)
                    if reply is not None and self._inbox.empty():
                        return Outcome(True, "completed")
                    message = await self._inbox.get()
                    self._master.stream.say(e.Prompt(text=message))
        except TimeoutError:
            if not deadline.expired():
                raise
            problem = f"the request was not done after {self.limits.seconds:g} s"
            return Outcome(False, "failed", problem)

    async def _answer(self, conversation: AgentConversation, message: str) -> Reply | None:
        """Returns the master's answer; None if it was interrupted."""
        master = self._master
        master.stopped = False
        master.task = asyncio.create_task(master.answer(conversation, message))
        try:
            return await master.task
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if master.stopped and task is not None and not task.cancelling():
                return None
            raise
        finally:
            master.task = None

    # --- for its instances ---

    @asynccontextmanager
    async def open(self, agent: AgentSpec, depth: int) -> AsyncIterator[AgentConversation]:
        """Opens a fresh conversation with an agent whose prompt explains the fleet."""
        if agent.model is None:
            agent = msgspec.structs.replace(agent, model=self._orchestrator.model)
        briefed = with_fleet_prompt(
            agent, self.roster, self.commands.usages, depth=depth, most=MAX_CHILDREN
        )
        backend = self._orchestrator.backends.of(agent.backend)
        leases = self._orchestrator.leases
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

    def begin(self, agent: AgentSpec, message: str, *, caller: Instance) -> Instance:
        """Begins the stream of an agent that another one asks, and returns the agent."""
        self._delegations += 1
        key = str(self._delegations)
        spawned = e.SubAgentSpawned(
            key,
            parent_context=caller.stream.key,
            subagent_type=agent.name,
            model=agent.model,
            prompt=message,
        )
        self._journal.write(self._fleet.apply((spawned,), now_ms()))
        return self._instance(key, agent, depth=caller.depth + 1)

    async def delegate(self, child: Instance, message: str) -> Reply:
        """Runs a delegation, from its conversation's opening to its end, and returns the reply.
        Raises nothing except CancelledError.
        """
        task = child.task = asyncio.current_task()
        assert task is not None
        stream = child.stream
        self._children[stream.stream_id] = child
        reason = "failed"
        try:
            reply = await self._ask(child, message)
            reason = "completed" if reply.ok else "failed"
        except asyncio.CancelledError:
            # Was this agent stopped, or is the whole request being ended?
            if not child.stopped or task.uncancel():
                stream.end(ok=False, reason="cancelled")
                raise
            reason = "cancelled"
            reply = err(f"{child.agent.name} was stopped by a person", "go on without it")
        finally:
            del self._children[stream.stream_id]
            for request_id, asker in list(self._asking.items()):
                if asker is child:
                    del self._asking[request_id]
        if reason == "failed":
            stream.say(e.Error(message=reply.text))
        stream.end(answer=reply.text, ok=reply.ok, reason=reason)
        return reply

    async def _ask(self, child: Instance, message: str) -> Reply:
        name, seconds = child.agent.name, child.stream.account.limits.seconds
        try:
            async with asyncio.timeout(seconds) as deadline:
                async with self.open(child.agent, child.depth) as conversation:
                    return await child.answer(conversation, message)
        except TimeoutError:
            if deadline.expired() and seconds is not None:
                problem = f"{name} was not done after {seconds:g} s"
                return err(problem, "ask for less, or go on without it")
            return replies.failed(name, "it timed out")
        except Exception as error:
            # One that fails, in whatever way, does not stop the others.
            return problem_of(name, error)

    def permission(self, asker: Instance, event: e.PermissionAsked | e.PermissionReplied) -> None:
        """Remembers who waits for permission."""
        if isinstance(event, e.PermissionReplied):
            self._asking.pop(event.request_id, None)
        else:
            self._asking[event.request_id] = asker

    def _instance(self, key: str, agent: AgentSpec, *, depth: int) -> Instance:
        stream = AgentStream(
            key,
            fleet=self._fleet,
            journal=self._journal,
            account=Account(agent.limits.filled(AGENT_LIMITS), self._account),
            on_draft=lambda draft: self._orchestrator.draft(self.run, draft),
        )
        return Instance(self, agent, stream, depth=depth)

    # --- Controller ---

    async def message(self, text: str) -> None:
        """Sends the master a further message; it is answered after the earlier ones."""
        self._check_live()
        self._inbox.put_nowait(text)

    async def interrupt(self) -> None:
        """Stops what the master does now; it then waits for the next message."""
        self._check_live()
        if self._master.task is not None:
            self._master.stopped = True
            self._master.task.cancel()

    async def cancel(self) -> None:
        """Ends the run, and every agent in it."""
        self.on_cancel()

    async def stop(self, stream_id: int) -> None:
        """Ends one agent; its caller gets an error as the answer."""
        child = self._children.get(stream_id)
        if child is None or child.task is None:
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
        answer = getattr(self._asking[request_id].conversation, "answer", None)
        if answer is None:
            raise CallerError("this agent cannot be answered")
        refuse_details(details)
        await answer(request_id, behavior, message)
        self._asking.pop(request_id, None)

    def _check_live(self) -> None:
        if self.over:
            raise CallerError(f"run {self.run} is over")


class MasterSession:
    """A master's conversation and the requests that it answers, one after the other.

    All of it happens in one task, so that the task which opened the conversation also closes it.
    After its answer the master stays for a while, and a further request finds it where it was.
    """

    def __init__(self, first: Request, *, keep_seconds: float) -> None:
        self._request = first
        self._keep_seconds = keep_seconds
        self._waiting: asyncio.Future[Request] | None = None
        self._end_reason: str | None = None
        self._task = asyncio.create_task(self._run())
        first.on_cancel = self.end

    @property
    def idle(self) -> bool:
        """Whether its master waits for a further request."""
        return self._waiting is not None and not self._waiting.done()

    @property
    def over(self) -> bool:
        """Whether its master is gone."""
        return self._task.done()

    def go_on(self, request: Request) -> None:
        """Gives an idle master its next request."""
        if self._waiting is None or not self.idle:
            raise CallerError("this master is not waiting for a message")
        request.on_cancel = self.end
        self._request = request
        self._waiting.set_result(request)

    def end(self, reason: str = "cancelled") -> None:
        """Ends what it does, and its master."""
        # Once: a second time would break off the ending itself, and leave something behind.
        if self._end_reason is None:
            self._end_reason = reason
            self._task.cancel()

    async def gone(self) -> None:
        """Waits until its master is gone."""
        await asyncio.wait({self._task})

    async def ended(self) -> None:
        """Waits until its master is gone and its last request is completely in the log."""
        await self.gone()
        await self._request.ended()

    async def _run(self) -> None:
        outcome = Outcome(False, "failed", "it never began")
        try:
            material = GivenMaterial(self._request.commands)
            async with self._request.open(self._request.roster.master, 0) as conversation:
                while True:
                    outcome = await self._request.perform(conversation, material)
                    if not outcome.ok:
                        break
                    self._request.finish(outcome)
                    if not await self._next():
                        break
        except asyncio.CancelledError:
            outcome = Outcome(False, self._end_reason or "cancelled")
        except Exception as error:
            name = self._request.roster.master.name
            outcome = Outcome(False, "failed", problem_of(name, error).text)
        finally:
            # Only now, so that no process is left when the end becomes visible.
            self._request.finish(outcome)

    async def _next(self) -> bool:
        """Waits for a further request, and returns whether there is one."""
        if not self._keep_seconds:
            return False
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._keep_seconds):
                await self._waiting
        except TimeoutError:
            return False
        return True


async def _next(entries: AsyncIterator[list[Entry]]) -> list[Entry] | None:
    return await anext(entries, None)
