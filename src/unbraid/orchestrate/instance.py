"""One instance of one agent: turn after turn, until a turn gives an answer instead of commands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.backend_port import AgentConversation
from unbraid.errors import BackendError, UnbraidError
from unbraid.fold.gate import Gate
from unbraid.orchestrate import replies
from unbraid.orchestrate.agent_stream import AgentStream
from unbraid.orchestrate.commands import Commands
from unbraid.orchestrate.grammar import AGENT, PARALLEL, FleetCommand
from unbraid.orchestrate.grants import may_use
from unbraid.orchestrate.material import GivenMaterial
from unbraid.orchestrate.prompts import MASTER
from unbraid.orchestrate.replies import Reply
from unbraid.orchestrate.roster import Roster
from unbraid.orchestrate.turn import (
    LATER_HELPER_OPENING_CHARS,
    MAX_TURN_CHARS,
    AgentTurn,
    OverBudget,
    Permission,
    TurnTooLong,
)

MAX_DEPTH = 2
MAX_CHILDREN = 16
# How much prose may stand before a command: a plan at first, a word once results are in. What is
# longer is an answer, and streams.
FIRST_OPENING_CHARS = 4000
LATER_OPENING_CHARS = 80


class RequestContext(Protocol):
    """What an instance needs of its request."""

    roster: Roster
    commands: Commands

    def open(self, agent: AgentSpec, depth: int) -> AbstractAsyncContextManager[AgentConversation]:
        """Returns a fresh conversation."""
        ...

    def begin(self, caller: AgentStream, agent: AgentSpec, message: str) -> AgentStream:
        """Begins a delegation's stream, and returns it."""
        ...

    async def child(
        self, agent: AgentSpec, stream: AgentStream, *, depth: int, message: str
    ) -> Reply:
        """Runs a delegation, from its conversation's opening to its end, and returns the reply."""
        ...


class Instance:
    """An agent at work."""

    def __init__(
        self,
        request: RequestContext,
        agent: AgentSpec,
        *,
        stream: AgentStream,
        conversation: AgentConversation,
        depth: int,
        material: GivenMaterial,
        on_asked: Callable[[Permission], None],
    ) -> None:
        self._request, self._agent, self._stream = request, agent, stream
        self._material = material
        self._conversation, self._depth, self._on_asked = conversation, depth, on_asked

    async def answer(self, message: str) -> Reply:
        """Returns the agent's answer."""
        account, opening = self._stream.account, FIRST_OPENING_CHARS
        if self._depth:
            self._material.note(message)
            if (spent := account.spent()) is not None:
                return replies.over_budget(self._agent.name, spent)
        while True:
            last = account.last_turn or account.spent() is not None
            turn = AgentTurn(
                self._stream,
                self._gate(opening, last=last),
                self._request.commands,
                material=self._material,
                opening_chars=opening,
                commands=not last,
            )
            account.turn()
            await turn.take(self._conversation, message, self._on_asked)
            if turn.commands and turn.ok:
                turn.delegate([label(command) for command in turn.commands])
                blocks = await self._carry_out_all(turn.commands)
                opening = LATER_HELPER_OPENING_CHARS if self._depth else LATER_OPENING_CHARS
            else:
                turn.release()
                if not turn.ok:
                    return replies.failed(self._agent.name, turn.problem, "")
                if not turn.late and not turn.only_quotes:
                    return Reply(turn.answer)
                blocks = [(replies.late() if turn.late else replies.quoted_command()).text]
            self._stream.settle()
            if self._depth and (spent := account.spent()) is not None:
                # Only the master answers with what there is: of sub-agents there may be many.
                return replies.over_budget(self._agent.name, spent)
            last = account.last_turn or account.spent() is not None
            message = replies.message(blocks, last=last)

    def _gate(self, opening: int, *, last: bool) -> Gate:
        # Sub-agents are not held back: only the master's text could be taken for the answer.
        return Gate(None if self._depth or last else opening)

    async def _carry_out_all(self, commands: list[FleetCommand]) -> list[str]:
        """Carries out a turn's commands one after the other, the same one only once. Returns a
        block for each.
        """
        known: dict[FleetCommand, str] = {}
        blocks = []
        for command in commands:
            if command in known:
                blocks.append(replies.again(known[command]))
                continue
            tool, block, ok = await self._carry_out(command)
            self._stream.carried_out(tool, ok=ok)
            known[command] = block
            blocks.append(block)
        return blocks

    async def _carry_out(self, command: FleetCommand) -> tuple[str, str, bool]:
        """Carries out one command; returns its name as a tool, the block that goes back, whether it
        worked.
        """
        match command.word:
            case "agent":
                name = name_of(command)
                (reply,) = await self._delegate([command])
                self._material.note(reply.text)
                return f"agent:{name}"[:100], replies.single(name[:80], reply), reply.ok
            case "parallel":
                refused = self._refused_parallel(command)
                if refused is not None:
                    return PARALLEL, replies.block("parallel", refused.text), False
                answers = await self._delegate(command.children)
                for answer in answers:
                    self._material.note(answer.text)
                names = [name_of(child)[:80] for child in command.children]
                return PARALLEL, replies.joined(names, answers), all(a.ok for a in answers)
            case word:
                reply = await self._plug_in(word, command.argument)
                self._material.note(reply.text)
                shown = f"{word} {' '.join(command.argument.split())[:200]}"
                return word, replies.block(shown, replies.quoted(reply.text)), reply.ok

    def _refused_parallel(self, command: FleetCommand) -> Reply | None:
        if not may_use(self._agent, PARALLEL):
            return replies.not_granted(PARALLEL)
        if self._depth >= MAX_DEPTH:
            return replies.too_deep(self._depth)
        if not command.complete:
            return replies.cut_off()
        if not command.children:
            return replies.empty_parallel()
        if len(command.children) > MAX_CHILDREN:
            return replies.too_many(len(command.children), MAX_CHILDREN)
        spent = self._stream.account.no_child(len(command.children))
        return None if spent is None else replies.spent(spent)

    def _refused(self, command: FleetCommand) -> Reply | None:
        """Returns why this one cannot be asked, if it cannot."""
        name, message = name_of(command), message_of(command)
        if command.word != AGENT:
            return replies.not_inside(command.word)
        if not may_use(self._agent, AGENT):
            return replies.not_granted(AGENT)
        if self._depth >= MAX_DEPTH:
            return replies.too_deep(self._depth)
        if not name:
            return replies.no_name()
        if name == self._agent.name:
            return replies.to_itself(name)
        if name == MASTER:
            return replies.to_master(name)
        if self._request.roster.get(name) is None:
            return replies.unknown_agent(name, [a.name for a in self._request.roster])
        if not message:
            return replies.no_message(name)
        spent = self._stream.account.no_child(1)
        return None if spent is None else replies.spent(spent)

    async def _delegate(self, commands: Sequence[FleetCommand]) -> list[Reply]:
        """Asks agents, all at once. Returns their answers in the order in which they were asked."""
        answers: list[Reply | asyncio.Task[Reply]] = []
        async with asyncio.TaskGroup() as tasks:
            for command in commands:
                refused = self._refused(command)
                if refused is not None:
                    answers.append(refused)
                    continue
                agent = self._request.roster.get(name_of(command))
                assert agent is not None
                message = message_of(command)
                self._stream.account.child()
                # Their streams begin here, in order; the tasks begin when we wait.
                stream = self._request.begin(self._stream, agent, message)
                asked = self._request.child(agent, stream, depth=self._depth + 1, message=message)
                answers.append(tasks.create_task(asked))
        return [each.result() if isinstance(each, asyncio.Task) else each for each in answers]

    async def _plug_in(self, word: str, argument: str) -> Reply:
        if not may_use(self._agent, word):
            return replies.not_granted(word)
        try:
            return Reply(await self._request.commands[word].carry_out(argument))
        except UnbraidError as error:
            return replies.plugin_failed(word, str(error))
        except Exception as error:
            # A plug-in of another author: its bug is no reason to lose the run.
            return replies.plugin_failed(word, f"it does not work ({type(error).__name__})")


def name_of(command: FleetCommand) -> str:
    """Returns the agent that an `/agent` command names."""
    return "".join(command.argument.split(maxsplit=1)[:1])


def message_of(command: FleetCommand) -> str:
    """Returns the message of an `/agent` command."""
    return "".join(command.argument.split(maxsplit=1)[1:])


def label(command: FleetCommand) -> str:
    """Returns a command for the line that names the agents to which a turn delegates."""
    if command.word == AGENT:
        return name_of(command)[:80] or "/agent"
    if command.word == PARALLEL:
        return ", ".join(map(label, command.children)) or "/parallel"
    return f"/{command.word} {command.argument[:80]}".strip()


def problem_of(name: str, error: Exception) -> Reply:
    """Returns what went wrong with an agent, as the answer that its caller gets."""
    match error:
        case BackendError():
            return replies.failed(name, f"{error.backend}: {error.problem}", error.advice)
        case TurnTooLong():
            return replies.too_much(name, MAX_TURN_CHARS)
        case OverBudget():
            return replies.over_budget(name, str(error))
        case UnbraidError() | msgspec.MsgspecError():
            return replies.failed(name, str(error), "")
        case _:
            return replies.failed(name, f"something is wrong with it ({type(error).__name__})", "")
