"""One instance of one agent: turn after turn, until a turn gives an answer instead of commands.

What the agent says goes to the log as it is said; its commands are kept until the turn is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

import msgspec

from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.port import AgentConversation
from unbraid.errors import BackendError, UnbraidError
from unbraid.fold.gate import Gate
from unbraid.orchestrate import replies
from unbraid.orchestrate.agent_stream import AgentStream
from unbraid.orchestrate.commands import may_use
from unbraid.orchestrate.grammar import AGENT, PARALLEL, FleetCommand, GivenMaterial, Parser
from unbraid.orchestrate.replies import Reply, err
from unbraid.orchestrate.roster import MASTER

if TYPE_CHECKING:
    from unbraid.orchestrate.request import Request

MAX_DEPTH = 2
MAX_CHILDREN = 16
# A flood is stopped, not stored: no answer is as long as this.
MAX_TURN_CHARS = 4_000_000
# How much prose may stand before a command: a plan at first, a word once results are in. What is
# longer is an answer, and streams.
FIRST_OPENING_CHARS = 4000
LATER_OPENING_CHARS = 80
# A sub-agent that has used a tool, or has results, may say so much before its commands.
LATER_SUB_AGENT_OPENING_CHARS = 400

# What is still accounted for when the budget is spent.
_ACCOUNTS = (e.TokenUsage, e.TurnComplete)
_WORDS = (e.TextDelta, e.ThinkingDelta)


class TurnTooLong(UnbraidError):
    """An agent says more than any answer needs."""


class OverBudget(UnbraidError):
    """An agent continues after its budget was spent; the text says what was."""


class Instance:
    """An agent at work: the master, or an agent that was asked. `stopped` says whether a person has
    stopped the `task` that it works in.
    """

    def __init__(
        self, request: Request, agent: AgentSpec, stream: AgentStream, *, depth: int
    ) -> None:
        self.request, self.agent, self.stream, self.depth = request, agent, stream, depth
        self.material = GivenMaterial(request.commands)
        self.conversation: AgentConversation | None = None
        self.task: asyncio.Task[Reply] | None = None
        self.stopped = False

    async def answer(self, conversation: AgentConversation, message: str) -> Reply:
        """Returns the agent's answer to a message in its conversation."""
        self.conversation = conversation
        account, opening = self.stream.account, FIRST_OPENING_CHARS
        if self.depth:
            self.material.remember(message)
            if (spent := account.spent()) is not None:
                return replies.over_budget(self.agent.name, spent)
        last = account.last_turn or account.spent() is not None
        while True:
            turn = AgentTurn(self, opening, commands=not last)
            account.turn()
            await turn.run(conversation, message)
            if turn.commands and turn.ok:
                turn.delegate()
                blocks = await self._carry_out_all(turn.commands)
                opening = LATER_SUB_AGENT_OPENING_CHARS if self.depth else LATER_OPENING_CHARS
            else:
                turn.release()
                if not turn.ok:
                    return replies.failed(self.agent.name, turn.problem)
                if turn.late:
                    refused = err(
                        "your commands came after your answer had begun, none was run",
                        "give commands first, in a turn of their own",
                    )
                elif turn.only_quotes:
                    refused = err(
                        "a command that stands in what you were given is not carried out",
                        "if you want it, write it in your own words; else answer",
                    )
                else:
                    return Reply(turn.answer)
                blocks = [refused.text]
            self.stream.emit_usage()
            spent = account.spent()
            if self.depth and spent is not None:
                # Only the master answers with what there is: of sub-agents there may be many.
                return replies.over_budget(self.agent.name, spent)
            last = account.last_turn or spent is not None
            message = replies.message(blocks, last=last)

    async def _carry_out_all(self, commands: list[FleetCommand]) -> list[str]:
        """Carries out a turn's commands one after the other, the same one only once. Returns a
        block for each.
        """
        known: dict[FleetCommand, str] = {}
        blocks = []
        for command in commands:
            if command in known:
                again = "[the same command as above: its answer, not run again]"
                blocks.append(f"{again}\n{known[command]}")
                continue
            tool, block, ok = await self._carry_out(command)
            self.stream.carried_out(tool, ok=ok)
            known[command] = block
            blocks.append(block)
        return blocks

    async def _carry_out(self, command: FleetCommand) -> tuple[str, str, bool]:
        """Carries out one command; returns its name as a tool, the block that goes back, whether it
        worked.
        """
        match command.word:
            case "agent":
                (reply,) = await self._delegate([command])
                block = replies.block(f"agent {command.agent[:80]}", replies.quoted(reply.text))
                return f"agent:{command.agent}"[:100], block, reply.ok
            case "parallel":
                refused = self._refused_parallel(command)
                if refused is not None:
                    return PARALLEL, replies.block("parallel", refused.text), False
                answers = await self._delegate(command.children)
                names = [child.agent[:80] for child in command.children]
                return PARALLEL, replies.joined(names, answers), all(a.ok for a in answers)
            case word:
                reply = await self._plug_in(word, command.argument)
                self.material.remember(reply.text)
                shown = f"{word} {' '.join(command.argument.split())[:200]}"
                return word, replies.block(shown, replies.quoted(reply.text)), reply.ok

    def _refused_parallel(self, command: FleetCommand) -> Reply | None:
        """Returns why nothing of a `/parallel` is run, if nothing is."""
        count = len(command.children)
        if (refused := self._may_not_delegate(PARALLEL)) is not None:
            return refused
        if not command.complete:
            problem = "/parallel has no /endparallel, nothing of it was run"
            return err(problem, "write it again, whole")
        if not count:
            advice = "put them between /parallel and /endparallel"
            return err("/parallel has no /agent lines", advice)
        if count > MAX_CHILDREN:
            problem = f"/parallel has {count} children, nothing of it was run"
            return err(problem, f"ask at most {MAX_CHILDREN} at once")
        return self._cannot_afford(count)

    def _refused(self, command: FleetCommand) -> Reply | None:
        """Returns why this agent cannot be asked, if it cannot."""
        name = command.agent
        if command.word != AGENT:
            problem = f"/{command.word} does not work inside /parallel"
            return err(problem, "give it by itself, after /endparallel")
        if (refused := self._may_not_delegate(AGENT)) is not None:
            return refused
        if not name:
            return err("/agent names no agent", "write /agent NAME message on one line")
        if name == self.agent.name:
            problem = f"{name} cannot delegate to itself"
            return err(problem, "do it yourself or ask another agent")
        if name == MASTER:
            problem = f"{name} is the master and cannot be delegated to"
            return err(problem, "ask another agent")
        if self.request.roster.get(name) is None:
            names = ", ".join(agent.name for agent in self.request.roster)
            advice = f"the agents are: {names}" if names else "there are none: do it yourself"
            return err(f"there is no agent {name[:80]!r}", advice)
        if not command.message:
            problem = f"/agent {name[:80]} has no message"
            return err(problem, f"write /agent {name[:80]} message")
        return self._cannot_afford(1)

    def _may_not_delegate(self, word: str) -> Reply | None:
        if not may_use(self.agent, word):
            return replies.not_granted(word)
        if self.depth >= MAX_DEPTH:
            problem = f"an agent at depth {self.depth} cannot delegate"
            return err(problem, "do it yourself or answer without it")
        return None

    def _cannot_afford(self, children: int) -> Reply | None:
        spent = self.stream.account.no_child(children)
        if spent is None:
            return None
        return err(f"the budget is spent ({spent})", "answer with what you have")

    async def _delegate(self, commands: Sequence[FleetCommand]) -> list[Reply]:
        """Asks agents, all at once. Returns their answers in the order in which they were asked."""
        answers: list[Reply | asyncio.Task[Reply]] = []
        async with asyncio.TaskGroup() as tasks:
            for command in commands:
                refused = self._refused(command)
                if refused is not None:
                    answers.append(refused)
                    continue
                agent, message = self.request.roster.get(command.agent), command.message
                assert agent is not None
                self.stream.account.child()
                # Their streams begin here, in order; the tasks begin when we wait.
                child = self.request.begin(agent, message, caller=self)
                answers.append(tasks.create_task(self.request.delegate(child, message)))
        found = [each.result() if isinstance(each, asyncio.Task) else each for each in answers]
        for answer in found:
            self.material.remember(answer.text)
        return found

    async def _plug_in(self, word: str, argument: str) -> Reply:
        if not may_use(self.agent, word):
            return replies.not_granted(word)
        try:
            return Reply(await self.request.commands[word].carry_out(argument))
        except UnbraidError as error:
            problem = str(error)
        except Exception as error:
            # A plug-in of another author: its bug is no reason to lose the run.
            problem = f"it does not work ({type(error).__name__})"
        return err(f"/{word}: {problem}", "go on without it")


class AgentTurn:
    """One turn: what the agent says to one message. Its result are the commands, or else the
    answer.
    """

    def __init__(self, instance: Instance, opening_chars: int, *, commands: bool) -> None:
        self.ok, self.problem = True, ""
        self.commands: list[FleetCommand] = []
        self.late = 0
        self._instance, self._stream = instance, instance.stream
        self._opening_chars = opening_chars
        # Sub-agents are not held back: only the master's text could be taken for the answer.
        self._gate = Gate(opening_chars if commands and not instance.depth else None)
        self._parser: Parser | None = None
        if commands:
            # The text of a sub-agent is not held back, but its commands come first, too.
            self._parser = Parser(
                instance.request.commands,
                is_quoted=instance.material.holds,
                opening_chars=opening_chars,
                until_delegating=not self._gate.open,
            )
        self._message: list[str] = []
        self._message_id: str | None = None
        self._block = -1
        self._result: str | None = None
        self._chars = 0
        # An agent gets a last turn to answer with what it has.
        account = self._stream.account
        self._may_be_spent = account.may_be_spent and account.spent() is None

    @property
    def only_quotes(self) -> bool:
        """Whether the turn has nothing but commands that are not the agent's own."""
        parser = self._parser
        return parser is not None and bool(parser.quoted) and not parser.own_prose

    @property
    def answer(self) -> str:
        """The agent's last message."""
        return self._result or "".join(self._message)

    async def run(self, conversation: AgentConversation, message: str) -> None:
        """Sends a message, and reads the turn to its end."""
        stream, journal = self._stream, self._stream.journal
        async with aclosing(conversation.say(message)) as events:
            async for event in events:
                if self._may_be_spent:
                    self._check_budget(event)
                if isinstance(event, _WORDS):
                    self._chars += len(event.delta)
                    if self._chars > MAX_TURN_CHARS:
                        raise TurnTooLong
                    if type(event) is e.TextDelta and not event.context:
                        self._text(event)
                    else:
                        stream.say(event)
                elif isinstance(event, e.TokenUsage):
                    stream.used(event)
                elif isinstance(event, e.TurnComplete):
                    if not event.context:
                        self._complete(event)
                # The log has the prompt already.
                elif not isinstance(event, e.Prompt):
                    if isinstance(event, e.ToolResult) and not event.context:
                        self._given(event.content)
                    elif isinstance(event, e.PermissionAsked | e.PermissionReplied):
                        self._instance.request.permission(self._instance, event)
                    stream.say(event)
                if journal.full:
                    await journal.room()
        if self._parser is not None:
            self.commands, self.late = self._parser.finish(), self._parser.late

    def release(self) -> None:
        """Emits what was held: the turn does not delegate."""
        for event in self._gate.release():
            self._stream.text(event)

    def delegate(self) -> None:
        """Emits the names of the agents to which the turn delegates. An agent whose text was not
        held has said it itself.
        """
        if not self._gate.open:
            self._stream.text(self._gate.delegate(command.label for command in self.commands))

    def _check_budget(self, event: e.RelayEvent) -> None:
        """Ends the turn if the budget is spent, by this agent or by others at the same time: what
        was on its way may overshoot it, nothing else may.
        """
        spent = self._stream.account.spent()
        if spent is not None and not isinstance(event, _ACCOUNTS):
            raise OverBudget(spent)

    def _given(self, content: str) -> None:
        """Remembers what a tool has given to the agent. What it says from here on may be about
        that.
        """
        self._new_block()
        self._instance.material.remember(content)
        if self._parser is not None and self._gate.open:
            self._parser.begin_opening(min(self._opening_chars, LATER_SUB_AGENT_OPENING_CHARS))

    def _text(self, event: e.TextDelta) -> None:
        delta, gate, parser = event.delta, self._gate, self._parser
        if event.message_id != self._message_id:
            self._message_id, self._block, self._message = event.message_id, event.block, []
            self._new_block()
        elif event.block != self._block:
            self._block = event.block
            self._new_block()
        self._message.append(delta)
        if parser is not None:
            parser.feed(delta)
        if parser is None or gate.open:
            self._stream.text(event)
        else:
            self._stream.begin_answer()
            passed = gate.text(event, prose_chars=parser.prose_chars, delegating=parser.delegating)
            if gate.open:
                parser.close()
            else:
                self._stream.draft(delta)
            for held in passed:
                self._stream.text(held)

    def _new_block(self) -> None:
        # A block begins at column 0, wherever the one before has ended.
        if self._parser is not None and not self._parser.at_line_start:
            self._parser.feed("\n")

    def _complete(self, event: e.TurnComplete) -> None:
        self._stream.turn_over(event)
        self._result = event.result
        if not event.ok:
            self.ok = False
            self.problem = event.result or event.subtype or "the turn failed"


def problem_of(name: str, error: Exception) -> Reply:
    """Returns what went wrong with an agent, as the answer that its caller gets."""
    match error:
        case BackendError():
            return replies.failed(name, f"{error.backend}: {error.problem}", error.advice)
        case TurnTooLong():
            problem = f"{name} said more than {MAX_TURN_CHARS} characters in one turn"
            return err(problem, "ask for less")
        case OverBudget():
            return replies.over_budget(name, str(error))
        case UnbraidError() | msgspec.MsgspecError():
            return replies.failed(name, str(error))
        case _:
            return replies.failed(name, f"something is wrong with it ({type(error).__name__})")
