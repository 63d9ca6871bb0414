"""Messages without an id: the known one that a record extends, else a new one.

Where records name neither message nor agent, only what they say tells them apart: a record that
repeats a known call, or adds to a known message, belongs to it. As long as only one agent speaks, a
text that begins with a known one is that text, grown in place.

While several agents speak, a line of text may be the first of a message, or an open message with
one more block, or one whose last text has grown. Often no line by itself decides it. What follows
does: messages can be counted (an agent begins one when it is spawned, and another one whenever all
calls of its last one are answered), an agent that hands back its answer has said it before, and
each line has to be a step of some message.

So all ways to read the lines are kept, as far as they are likely. A *reading* is the latest line of
each message that has called no tool: those are all that can be mistaken for each other, because
calls have ids. It costs something whenever it has to explain what is not likely. A line continues
whatever was reported so that the reading with the fewest messages stays possible: what was left out
can still be reported when all agents have ended, but nothing can be taken back. If several readings
are equally likely, nothing is lost in any of them.

Agents without names are interchangeable. If a record may belong to either of two messages that
begin alike, both choices lead to the same blocks, as long as no message counts as over that still
continues. So an agent's end waits until no other agent is left whose words might be its own.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator

from unbraid.agents.claude.dialect.contexts import (
    GROWING,
    STDOUT,
    ClaudeAgents,
    ClaudeContext,
    MessageState,
    Repetition,
    digest_of,
    is_whole,
)
from unbraid.agents.claude.records import Block, ClaudeRecord
from unbraid.events import EMPTY_OBJECT, RelayEvent, TextDelta, ThinkingDelta
from unbraid.read.seen import forget_oldest

# The messages that are being said, each with its agent.
OpenMessage = tuple[ClaudeContext, MessageState]

RECENT_CALLS = 1024
# Past this many open messages the oldest are forgotten: text that calls no tool is never answered.
MAX_OPEN = 256

Reading = tuple[int, ...]  # the numbers of lines, in order
# A line, the cost of continuing from it, and whether its message has no other continuation.
Step = tuple[int, int, bool]

# Every line is compared with all messages of all readings: a hostile stream must not take long.
MAX_READINGS = 64
MAX_MESSAGES = 64
RECENT_TEXTS = 4096

# What it costs a reading to explain something.
UNDUE = 6  # a message begins that nobody was to begin, or an agent ends that has said nothing
UNSEEN = 20  # a line was left out: a message begins with two blocks, or gets two at once
SENTENCE = 1  # a text that has grown had ended with a sentence
NEVER_GROWN = 4  # the same, and no text has grown so far
INSIDE_WORD = 10  # a text ends where another one is in the middle of a word,
BESIDE_WORD = 10  # or between a word and a comma,
AFTER_BLANK = 4  # or behind a blank,
BETWEEN_WORDS = 2  # or goes on with the next word
THOUGHT = 12  # a message ends with a thought
UNSPOKEN = 3  # an agent has not said a thing
# Readings that cost so much more than the best one are not possible any more.
IMPOSSIBLE = 6
# A text shorter than this may be whole though it seems to be cut inside of a word.
WORD_LENGTH = 4


class UnnamedMessages:
    """Finds the message that a record without a message id belongs to."""

    def __init__(self, agents: ClaudeAgents) -> None:
        self._agents = agents
        self._contexts = agents.contexts
        self._readings = Readings()
        # The message that made a call, and whether the call's input was empty then.
        self._callers: dict[str, tuple[OpenMessage, bool]] = {}
        self._open: list[OpenMessage] = []
        self._ending: list[ClaudeContext] = []  # agents whose end waits
        self._answered = 0  # messages whose calls were all answered
        self._over = 0  # invocations of agents that are over
        self._made_ids = 0

    def find(
        self,
        record: ClaudeRecord,
        context: ClaudeContext,
        content: list[Block],
        *,
        source: int,
        repetition: Repetition,
    ) -> OpenMessage:
        """Returns the message of a record, and its agent; `context` is what the record itself says
        of that.
        """
        calls = [block for block in content if block.id is not None]
        callers = (self._callers.get(call.id or "") for call in calls)
        found = next((each[0] for each in callers if each and each[0][1].said[source]), None)
        if found is not None:  # it has made one of these calls already
            repetition.cumulative = True
        elif record.parent_tool_use_id is not None or record.session_id_stdout is not None:
            candidates = [(context, state) for state in reversed(context.messages.values())]
            digests = [digest_of(block) for block in content]
            found = _extended(candidates, content, digests, source)
            found = found or (context, context.message(self._new_id()))
        else:
            found = self._any_agents(content, source, repetition, calls=bool(calls))
        for call in calls:
            call_id = call.id or ""
            empty = call.input == EMPTY_OBJECT
            before = self._callers.get(call_id)
            if before is not None and before[1] and not empty:
                self._readings.grows = True  # it gets its input only now
            self._callers[call_id] = (found, empty)
        forget_oldest(self._callers, RECENT_CALLS)
        return found

    def end(
        self,
        context: ClaudeContext,
        ending: tuple[bool, str, str | None],
        out: list[RelayEvent],
    ) -> None:
        """Handles an agent's answer, with which it ends; at the latest when no sub-agent is left
        that could say more.
        """
        if not self._open:
            self._agents.end(context, *ending, out=out)
        elif not context.ended:
            if ending[0]:
                self._readings.end()
            context.ending = ending
            self._ending.append(context)
            if not self._running():
                self.finish(out)

    def finish(self, out: list[RelayEvent]) -> None:
        """Reports what was left open, then the ends: no sub-agent will say more."""
        ending = self._still_ending()
        if self._readings:
            for known, line in self._readings.finish(self._allowed()):
                silent = (agent for agent in ending if not agent.messages)
                found = known or self._begin(next(silent, ending[-1] if ending else None))
                self._report(found, line, out)
            self._readings = Readings(self._readings)
        for context in ending:
            if context.ending is not None:
                self._agents.end(context, *context.ending, out=out)
        self._ending.clear()
        self._open = [found for found in self._open if found[0].parent is None]

    def _any_agents(
        self, content: list[Block], source: int, repetition: Repetition, *, calls: bool
    ) -> OpenMessage:
        """Returns the message of a record that any agent may have said."""
        digests = [digest_of(block) for block in content]
        readings = self._readings
        reads = content and self._running()
        if reads:
            if not readings:
                # Sub-agents begin to speak: count how many messages they may begin from here on.
                self._forget_answered()
                self._answered, self._over = 0, self._invocations() - len(self._running())
            line = Line(content, digests)
            found = readings.add(line, self._allowed(), calls=calls)
        else:
            found = _extended(self._open[::-1], content, digests, source)
            if found is not None:
                readings.grows |= found[1].said[source][-1] not in digests
        if found is not None:
            repetition.grows = True  # or adds: `absorb` finds out which
        else:
            found = self._begin(None)
        if reads:
            readings.report(found, calls=calls)
        return found

    def _report(self, found: OpenMessage, line: Line, out: list[RelayEvent]) -> None:
        """Reports how far a message has come."""
        context, state = found
        repetition = Repetition()
        repetition.cumulative = True
        for block, index, words in state.absorb(line.content, line.digests, STDOUT, repetition):
            event = TextDelta if block.type == "text" else ThinkingDelta
            out.append(event(context.id, self._agents.clock.ts, state.id, index, words))

    def _begin(self, context: ClaudeContext | None) -> OpenMessage:
        """Begins a new message, of an agent that is known or has to be guessed, and returns it."""
        message_id = self._new_id()
        if context is not None:
            return context, context.message(message_id)
        self._forget_answered()
        context = self._guess()
        found = context, context.message(message_id)
        self._open.append(found)
        del self._open[:-MAX_OPEN]
        return found

    def _new_id(self) -> str:
        self._made_ids += 1
        return f"message-{self._made_ids}"

    def _allowed(self) -> int:
        """Returns how many messages sub-agents may have begun by now: one when they were spawned,
        and another one whenever all calls of their last one were answered.
        """
        self._forget_answered()
        return self._invocations() - self._over + self._answered

    def _invocations(self) -> int:
        return sum(1 for c in self._contexts.by_call.values() if c.spawned and not c.background)

    def _running(self) -> list[ClaudeContext]:
        """Returns the sub-agents that have not handed back an answer."""
        return [
            c
            for c in self._contexts.by_call.values()
            if c.spawned and not c.ended and not c.background and c not in self._ending
        ]

    def _still_ending(self) -> list[ClaudeContext]:
        return [context for context in self._ending if not context.ended]

    def _forget_answered(self) -> None:
        waiting = {id(call.message) for call in self._agents.calls.values()}
        still = []
        for found in self._open:
            context, state = found
            if not state.closed or id(state) in waiting:
                still.append(found)
            elif context.parent is not None:
                self._answered += 1
        self._open = still

    def _guess(self) -> ClaudeContext:
        """Returns the agent that a new message most likely belongs to, if records name none.

        While sub-agents run the main agent waits for them. So it is one of theirs: the first
        that has not spoken yet, else one whose last calls have all been answered.
        """
        running = self._running()
        if not running:
            return self._contexts.root
        waiting = {id(call.context) for call in self._agents.calls.values()}
        # One that has ended is next if what it seemed to say was another one's.
        for group in (running, self._still_ending()):
            for context in group:
                if not context.messages:
                    return context
            for context in group:
                if id(context) not in waiting and next(reversed(context.messages.values())).closed:
                    return context
        return next((c for c in running if id(c) not in waiting), running[-1])


def _extended(
    candidates: list[OpenMessage], content: list[Block], digests: list[int], source: int
) -> OpenMessage | None:
    """Returns the open message that these blocks extend: one whose last text has grown, rather than
    one to which a block was added; a message for which both would be true at once is less likely.
    """
    added: OpenMessage | None = None
    grown: OpenMessage | None = None
    likeliest = (False, -1)
    for found in candidates:
        state = found[1]
        said = state.said[source]
        if state.closed or not said or not state.extends(content, digests, source):
            continue
        if said[-1] == digests[len(said) - 1]:
            if added is None or len(said) > len(added[1].said[source]):
                added = found
        elif state.growing is not None:
            rank = (len(said) == len(content), len(state.growing[2]))
            if rank > likeliest:
                grown, likeliest = found, rank
    return grown if grown is not None and (likeliest[0] or added is None) else added


class Line:
    """What one line says: its blocks, none of which is a call but perhaps the last."""

    __slots__ = ("content", "cut", "digests", "type", "words")

    def __init__(self, content: list[Block], digests: list[int]) -> None:
        self.content = content
        self.digests = digests
        self.type = content[-1].type
        self.words = content[-1].words
        self.cut = THOUGHT if self.type == "thinking" else 0  # how unlikely it is the last one

    def unlikeliness(self, whole: Container[int]) -> int:
        """Returns what it costs if a message ends with this; `whole` are texts that were said."""
        return 0 if self.cut <= INSIDE_WORD and self.digests[-1] in whole else self.cut

    def leads_to(self, later: Line) -> bool:
        """Returns whether a message that has said this may have come to say the other."""
        at = len(self.digests) - 1
        if at >= len(later.digests) or self.digests[:at] != later.digests[:at]:
            return False
        if self.digests[at] == later.digests[at]:
            return True
        block = later.content[at]
        return block.type == self.type in GROWING and block.words.startswith(self.words)


def _cut(before: str, words: str) -> int:
    """Returns how unlikely it is that a text is whole with which longer words begin."""
    last, follows = before[-1:], words[len(before) :][:1]
    if is_whole(before, words):
        return 0
    if last.isspace():
        return AFTER_BLANK
    if last.isalpha() and follows.isalpha() and len(before) >= WORD_LENGTH:
        return INSIDE_WORD
    is_word = last.isalnum() and follows.isalnum()
    return BETWEEN_WORDS if follows.isspace() or is_word else BESIDE_WORD


class Readings:
    """The readings of what sub-agents have said since none of them ran, and what was reported.

    `grows` is whether texts are known to grow in place. What the readings `before` have learned of
    the source remains.
    """

    def __init__(self, before: Readings | None = None) -> None:
        self.grows: bool = before is not None and before.grows
        # Texts that other blocks have followed.
        self._whole: dict[int, None] = before._whole if before is not None else {}
        self._costs: dict[Reading, int] = {(): 0}
        self._lines: dict[int, Line] = {}
        # Messages, and the line that each has come to.
        self._reported: list[tuple[OpenMessage, int]] = []
        self._ends: list[int] = []  # how many lines there were when each agent ended
        self._count = 0
        self._called = 0  # messages that have called a tool
        self._past = 0  # messages that are no longer in any reading

    def __bool__(self) -> bool:
        return self._count > 0

    def add(self, line: Line, allowed: int, *, calls: bool) -> OpenMessage | None:
        """Takes a line that is a step of some message; `calls` if that calls its first tool. So
        many messages may have been begun by now. Returns the reported message that it continues,
        None if it begins one: then `report` has to follow.
        """
        self._count += 1
        number = self._count
        self._lines[number] = line
        self._whole.update(dict.fromkeys(line.digests[:-1]))
        forget_oldest(self._whole, RECENT_TEXTS)
        allowed -= self._called + self._past
        self._called += calls
        costs: dict[Reading, int] = {}
        steps = self._steps(line, number)
        for reading, cost in self._costs.items():
            for rest, more in self._continued(reading, line, steps, allowed):
                after = rest if calls else (*rest, number)
                total = cost + more
                if costs.get(after, total) >= total:
                    costs[after] = total
        self._keep_likely(costs)
        return self._continues(number)

    def report(self, message: OpenMessage, *, calls: bool) -> None:
        """Notes that the latest line was reported as part of this message."""
        self._reported = [each for each in self._reported if each[0] is not message]
        if not calls:
            self._reported.append((message, self._count))

    def end(self) -> None:
        """Notes that an agent has handed back its answer: one more message is over."""
        self._ends.append(self._count)
        ended = len(self._ends) - self._past
        self._costs = {
            reading: cost + UNDUE * (len(reading) < ended) for reading, cost in self._costs.items()
        }

    def finish(self, allowed: int) -> Iterator[tuple[OpenMessage | None, Line]]:
        """Ends all readings: no sub-agent will say more. Yields messages that have come further
        than was reported, and lines with which unreported ones end.
        """
        allowed -= self._called + self._past
        costs = {
            reading: cost
            + sum(self._lines[number].unlikeliness(self._whole) for number in reading)
            + UNSPOKEN * max(allowed - len(reading), 0)
            for reading, cost in self._costs.items()
        }
        lowest = min(costs.values())
        likeliest = [reading for reading, cost in costs.items() if cost == lowest]
        reported = [self._lines[number] for _, number in self._reported]
        for index, number in self._paired(self._reported, likeliest[0]).items():
            if self._lines[number].digests != reported[index].digests:
                yield self._reported[index][0], self._lines[number]
            reported[index] = self._lines[number]
        said = [line.digests for line in reported]
        for reading in likeliest:
            known = list(said)
            for line in (self._lines[number] for number in reading):
                if line.digests in known:
                    known.remove(line.digests)
                else:
                    said.append(line.digests)
                    yield None, line

    @property
    def _undue(self) -> int:
        # Where texts do not grow, a message that nobody was to begin is likelier than growth.
        return UNDUE if self.grows else NEVER_GROWN - 1

    def _steps(self, line: Line, number: int) -> list[Step]:
        """Returns the lines which this one may come next to, those first that have said most; of
        two that have said the same, the later one: the earlier one has ended.
        """
        steps = []
        for before in sorted(self._lines, key=lambda each: (self._size(each), each), reverse=True):
            step = self._step(self._lines[before], line) if before != number else None
            if step is not None:
                steps.append((before, *step))
        return steps

    def _step(self, before: Line, line: Line) -> tuple[int, bool] | None:
        """Returns what it costs if a line comes next in the message of another, and whether that
        message could not do anything else; None if it cannot be.
        """
        if not before.leads_to(line):
            return None
        at = len(before.digests)
        more = len(line.digests) - at
        if before.digests[-1] == line.digests[at - 1]:
            return (UNSEEN * (more > 1), False) if more else None
        cut = _cut(before.words, line.content[at - 1].words)
        before.cut = max(before.cut, cut)
        self.grows = self.grows or cut == INSIDE_WORD
        cost = 0 if cut else SENTENCE if self.grows else NEVER_GROWN
        return cost + UNSEEN * (more > 0), cut >= AFTER_BLANK and not more

    def _continued(
        self, reading: Reading, line: Line, steps: list[Step], allowed: int
    ) -> Iterator[tuple[Reading, int]]:
        """Yields the messages that are left of a reading if a line comes next in one of them, or
        begins one, and what that costs.

        A text that was cut continues. If it does not continue with this line, a message that has
        said less can take its place, or one that begins later: these cases need not be
        distinguished.
        """
        seen: list[list[int]] = []
        for number, cost, is_cut in steps:
            if number not in reading or self._lines[number].digests in seen:
                continue
            seen.append(self._lines[number].digests)
            rest = tuple(n for n in reading if n != number)
            has_ended = self._has_ended(rest, number)
            yield rest, cost + UNDUE * has_ended
            if is_cut and not has_ended:
                return
        undue = self._undue * (len(reading) >= allowed)
        yield reading, undue + UNSEEN * (len(line.digests) > 1)

    def _has_ended(self, rest: Reading, number: int) -> bool:
        """Returns whether too few messages are over if the one that had come to this line is not:
        each agent that has ended had said its last one by then.
        """
        for index in range(bisect_left(self._ends, number), len(self._ends)):
            if bisect_right(rest, self._ends[index]) + self._past <= index:
                return True
        return False

    def _keep_likely(self, costs: dict[Reading, int]) -> None:
        if len(costs) > MAX_READINGS:
            # Of equal ones those are kept that take a line for the next one of a long message.
            costs = dict(sorted(costs.items(), key=lambda each: each[1])[:MAX_READINGS])
        lowest = min(costs.values())
        if lowest >= self._undue:
            self._past -= 1  # this message was not counted, whichever agent began it
        self._costs = {r: cost - lowest for r, cost in costs.items() if cost <= lowest + 2 * UNDUE}
        oldest = min((r[0] for r in self._costs if len(r) > MAX_MESSAGES), default=0)
        if oldest:
            self._forget(oldest)
        kept = {number for reading in self._costs for number in reading}
        kept.update(number for _, number in self._reported)
        kept.add(self._count)
        self._lines = {number: line for number, line in self._lines.items() if number in kept}

    def _forget(self, number: int) -> None:
        """Forgets the oldest line: its message is over."""
        self._past += 1
        costs: dict[Reading, int] = {}
        for reading, cost in self._costs.items():
            rest = tuple(n for n in reading if n != number) if number in reading else reading[1:]
            costs[rest] = min(cost, costs.get(rest, cost))
        self._costs = costs
        self._reported = [each for each in self._reported if each[1] != number]

    def _continues(self, number: int) -> OpenMessage | None:
        """Returns the reported message that a line continues in one of the readings that are
        preferred; None if all are others in them.
        """
        line = self._lines[number]
        reported = sorted(self._reported, key=lambda each: self._size(each[1]), reverse=True)
        before = [each for each in reported if self._lines[each[1]].leads_to(line)]
        begins = False
        for readings in self._by_preference():
            for reading in readings:
                rest = tuple(n for n in reading if n != number)
                if len(self._paired(reported, rest)) == len(reported):
                    begins = True
                    continue
                for each in before:
                    others = [other for other in reported if other is not each]
                    if len(self._paired(others, rest)) == len(others):
                        return each[0]
            if begins:
                return None
        return before[0][0] if before else None

    def _by_preference(self) -> list[list[Reading]]:
        """Returns the possible readings, those together that are equally preferred. Where texts
        grow, those with the fewest messages are: what is left out can be reported later.
        """
        groups: dict[int, list[Reading]] = {}
        for reading, cost in sorted(self._costs.items(), key=lambda each: each[1]):
            if cost < IMPOSSIBLE:
                groups.setdefault(len(reading) if self.grows else cost, []).append(reading)
        return [groups[key] for key in sorted(groups)]

    def _size(self, number: int) -> tuple[int, int]:
        line = self._lines[number]
        return len(line.digests), len(line.words)

    def _paired(self, reported: list[tuple[OpenMessage, int]], reading: Reading) -> dict[int, int]:
        """Returns, by index, the lines of a reading to which reported messages may have come, each
        another one, for as many of them as possible.
        """
        owners: dict[int, int] = {}  # by line
        left: list[int] = []
        wanted = set(reading)
        for index, (_, number) in enumerate(reported):
            if number in wanted:
                owners[number] = index
            else:
                left.append(index)
        fixed = set(owners)
        free = [number for number in reading if number not in fixed]

        def place(index: int, tried: set[int]) -> bool:
            before = self._lines[reported[index][1]]
            for number in free:
                if number in tried or not before.leads_to(self._lines[number]):
                    continue
                tried.add(number)
                if number not in owners or place(owners[number], tried):
                    owners[number] = index
                    return True
            return False

        for index in left:
            place(index, set())
        return {index: number for number, index in owners.items()}
