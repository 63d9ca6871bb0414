"""Messages without an id: the known one that a record extends, else a new one.

Where records name neither message nor agent, only what they say tells them apart. A record that
adds a block to a known message belongs to it. A text that goes on like a known one may be that
text, grown in place, or another agent's that begins with the same words:

- Whether texts grow in place at all is learned: from what can be nothing else, as words that the
  main agent says alone, or a text that was cut inside of a word.
- Where growth has not been seen, a whole sentence has not grown.
- Where it has, a text is taken for grown. If messages are missing when all agents have ended, the
  text that was extended was a message of its own, and is reported then.
- Of two texts that may have grown, the likelier one has. If the other turns out to be the one, it
  is what has been reported of both that counts, and they change places.
"""

from __future__ import annotations

from unbraid.agents.claude.dialect.open_messages import OpenMessage, OpenMessages
from unbraid.agents.claude.records import ClaudeRecord
from unbraid.events import EMPTY_OBJECT, RelayEvent, TextDelta, ThinkingDelta
from unbraid.translate.blocks import (
    STDOUT,
    Block,
    Fresh,
    MessageState,
    Repetition,
    digest_of,
    is_whole,
)
from unbraid.translate.clock import Clock
from unbraid.translate.contexts import Context
from unbraid.translate.lifecycle import Agents
from unbraid.translate.seen import forget_oldest

MAX_DOUBTFUL = 32
RECENT_CALLS = 1024
# A text shorter than this may be whole though it seems to be cut inside of a word.
WORD_LENGTH = 4


class UnnamedMessages:
    """Finds the message that a record without a message id belongs to."""

    def __init__(self, agents: Agents, clock: Clock) -> None:
        self._agents = agents
        self._clock = clock
        self._messages = OpenMessages(agents)
        # Who made a call, and whether its input was empty then.
        self._calls: dict[str, tuple[OpenMessage, bool]] = {}
        # Texts that have grown, unless they were whole; with what their message had said before.
        self._doubtful: list[tuple[list[int], Block]] = []
        # Texts that have grown, or else another message's has: what had been said before each, the
        # text as it was, and that message.
        self._swaps: list[tuple[list[int], str, OpenMessage]] = []
        self._grows = False

    def find(
        self,
        record: ClaudeRecord,
        context: Context,
        content: list[Block],
        *,
        source: int,
        repetition: Repetition,
    ) -> OpenMessage:
        """The message, and whose it is; `context` is what the record itself says of that."""
        calls = [block for block in content if block.id is not None]
        found = self._caller(calls, source)
        if found is not None:
            repetition.cumulative = True
            self._remember(calls, found)
            return found
        known = record.parent_tool_use_id is not None or record.session_id_stdout is not None
        owner = context if known else None
        found = self._extended(content, owner, source=source, skipped=record.skipped)
        if found is None:
            found = self._messages.begin(owner)
        elif owner is None:
            repetition.grows = True  # or adds: it is settled here which
        self._remember(calls, found)
        return found

    def end(
        self, context: Context, ending: tuple[bool, str, str | None], out: list[RelayEvent]
    ) -> None:
        """An agent has handed back its answer."""
        if not self._messages:
            self._agents.end(context, *ending, out=out)
        elif not context.ended and self._messages.defer(context, ending):
            self.settle(out)

    def settle(self, out: list[RelayEvent]) -> None:
        """No sub-agent will say more: report what was taken for growth wrongly, then the ends."""
        if self._doubtful:
            self._recover(out)
        self._swaps.clear()
        self._messages.settle(out)

    def _caller(self, calls: list[Block], source: int) -> OpenMessage | None:
        """The message that has made one of these calls already."""
        for call in calls:
            found = self._calls.get(call.id or "")
            if found is not None and found[0][1].said[source]:
                return found[0]
        return None

    def _remember(self, calls: list[Block], found: OpenMessage) -> None:
        """Remember who made these calls; one that gets its input only now is a sign of growth."""
        for call in calls:
            call_id = call.id or ""
            empty = call.input == EMPTY_OBJECT
            before = self._calls.get(call_id)
            if before is not None and before[1] and not empty:
                self._grows = True
            self._calls[call_id] = (found, empty)
        forget_oldest(self._calls, RECENT_CALLS)

    def _extended(
        self, content: list[Block], owner: Context | None, *, source: int, skipped: int
    ) -> OpenMessage | None:
        """The open message that these blocks extend; one of its owner's, where that is known."""
        if owner is None:
            candidates = self._messages.latest_first()
        else:
            candidates = [(owner, state) for state in reversed(owner.messages.values())]
        digests = [digest_of(block) for block in content]
        added: OpenMessage | None = None
        grown: OpenMessage | None = None
        other: OpenMessage | None = None
        equal: OpenMessage | None = None
        likeliest = (False, False, -1)
        for found in candidates:
            state = found[1]
            said = state.said[source]
            if state.closed or not said:
                continue
            if len(said) > 1 and said[0] not in digests[:1]:
                continue  # most do not even begin alike
            adds = state.extends(content, digests, source, skipped)
            if not adds:
                equal = found if adds is not None else equal
                continue
            place = len(said) - 1 - skipped
            if place < 0 or said[-1] == digests[place]:
                if added is None or len(said) > len(added[1].said[source]):
                    added = found
            elif state.growing is not None:
                before = state.growing[2]
                # It is less likely to have grown and got another block at once.
                last = place == len(content) - 1
                rank = (last, not is_whole(before, content[place].words), len(before))
                if rank > likeliest:
                    other, grown, likeliest = grown, found, rank
                else:
                    other = found
        if grown is not None and (likeliest[0] or added is None):
            state = grown[1]
            said = state.said[source]
            words = content[len(said) - 1 - skipped].words
            if owner is not None or self._has_grown(state.growing, said, words, added):
                if other is not None and state.growing is not None:
                    self._swaps.append((said[:-1], state.growing[2], other))
                    del self._swaps[:-MAX_DOUBTFUL]
                return grown
        if added is not None or owner is not None:
            return added
        # If nobody is to begin a message, two that began alike were taken for each other.
        if not self._grows or not self._messages.running() or self._messages.due() > 0:
            return None
        return equal or self._swapped(content, digests)

    def _swapped(self, content: list[Block], digests: list[int]) -> OpenMessage | None:
        """The message that has grown instead of another one, which goes on here from where it was.
        What this one says has been said there, so the two change places.
        """
        block = content[-1] if content else Block()
        for said, before, found in self._swaps:
            growing = found[1].growing
            if growing is None or growing[0].type != block.type or said != digests[:-1]:
                continue
            if block.words.startswith(before) and growing[2].startswith(block.words):
                content[-1] = growing[0]
                return found
        return None

    def _has_grown(
        self, growing: Fresh | None, said: list[int], words: str, added: OpenMessage | None
    ) -> bool:
        """Whether a known text has grown to these words. Else they are the next block of the
        message to which they might have been `added`, or begin a new one.
        """
        if growing is None:
            return False
        block, _, before = growing
        follows = words[len(before) :][:1]
        inside_word = len(before) >= WORD_LENGTH and before[-1].isalnum() and follows.isalnum()
        # A message's first line has one block: a later one begins like an earlier line of it.
        continues = len(said) > 1 and added is None
        if inside_word or continues or not self._messages.running():
            self._grows = True
            return True
        whole = is_whole(before, words)
        if whole and not self._grows:
            return False
        if whole and added is not None and not _is_unfinished(added[1]):
            return False
        if (whole or not self._grows) and (added is not None or self._messages.due() > 0):
            self._doubtful.append((said[:-1], Block(type=block.type, text=before)))
            del self._doubtful[:-MAX_DOUBTFUL]
        return True

    def _recover(self, out: list[RelayEvent]) -> None:
        """Report the texts that others have extended, as far as messages are missing."""
        missing = self._messages.due()
        ending = self._messages.ending()
        for said, block in self._doubtful:
            found = None
            if said:
                found = self._unfinished(said)
            elif missing > 0 and ending:
                missing -= 1
                found = self._messages.begin(
                    next((c for c in ending if not c.messages), ending[-1])
                )
            if found is None:
                continue
            context, state = found
            new = state.next(block, digest_of(block), STDOUT)
            if new is not None:
                event = TextDelta if block.type == "text" else ThinkingDelta
                out.append(event(context.id, self._clock.ts, state.id, new[1], new[2]))
                state.growing = new
        self._doubtful.clear()

    def _unfinished(self, said: list[int]) -> OpenMessage | None:
        """An open message that has said just this, and cannot be over."""
        for found in self._messages.latest_first():
            if found[1].said[STDOUT] == said and _is_unfinished(found[1]):
                return found
        return None


def _is_unfinished(state: MessageState) -> bool:
    """Whether a message has come no further than to a thought."""
    return state.growing is not None and state.growing[0].type == "thinking"
