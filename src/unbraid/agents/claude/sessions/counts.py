"""What the messages of one transcript have used: each counted once, by the last line of it.

Only lines with a `usage` are decoded, and the session's own account (`cost-state`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache

from unbraid.agents.claude.records import SPAWNING_TOOLS, CostState
from unbraid.agents.claude.sessions.transcript_facts import (
    SIDECHAIN,
    Counts,
    First,
    LastMessage,
    SessionAccount,
)
from unbraid.agents.claude.transcript import SYNTHETIC, AnswerFacts, AnswerLine, answer_line
from unbraid.events.tokens import add_tokens
from unbraid.fleet.prices import MessageTokens, Prices
from unbraid.fleet.shares import MAIN, SLOT_MS, ShareCounter, UsageShare
from unbraid.system.files import line_blocks, open_regular, read_small
from unbraid.translate.blocks import MessageUsage
from unbraid.wire.record import BAD_JSON, MISSING, milliseconds, read_as

HEAD_BYTES = 1 << 14  # what mostly holds the first answer
_USAGE = b'"usage":{'
_TIME = b'"timestamp":"'
_NOTE = b'{"type":"'
COST_STATE = "cost-state"
# A transcript has one block on a line.
_SPAWN = re.compile(
    rb'\[\{"type":"tool_use","id":"([^"]+)","name":"(?:%s)",'
    % "|".join(sorted(SPAWNING_TOOLS)).encode()
).match
_RESUMES = b'"resume":"'


class MessageCounter:
    """Counts the messages of one transcript; those whose ids are in `skip` belong to another
    one.
    """

    def __init__(self, prices: Prices | None = None, skip: Collection[str] = frozenset()) -> None:
        self.last: AnswerFacts | None = None
        self._prices, self._skip = prices, skip
        self._messages: dict[str, AnswerLine] = {}
        self._counts = Counts()
        self._until = 0

    def read(self, block: bytes, notes: Mapping[str, int]) -> None:
        """Reads some lines, with the places of the notes that are among them."""
        for answer in _all_answer_lines(block):
            message = answer.message
            if message is not None and message.usage is not None and message.id is not None:
                # Behind the others again: those whose last line was long ago come first.
                before = self._messages.pop(message.id, None)
                if before is not None:
                    answer.timestamp = before.timestamp
                self._messages[message.id] = answer
                self.last = message
                spawn = _SPAWN(message.content)
                if spawn is not None and _RESUMES not in bytes(message.content):
                    self._counts.spawns.add(spawn[1].decode("utf-8", "replace"))
                message.content = MISSING  # it would keep the whole line
            elif answer.report is not None and answer.report.agent_id and answer.report.usage:
                self._counts.reports[answer.report.agent_id] = _tokens(answer.report.usage)
        self._account(block, notes.get(COST_STATE, -1))

    def counts(self, *, is_agent: bool) -> Counts:
        """Returns what was counted; `is_agent`: the whole transcript is a sub-agent's."""
        counts, counter = self._counts, ShareCounter(self._prices)
        for number, (name, answer) in enumerate(self._messages.items(), 1):
            message = answer.message
            assert message is not None and message.usage is not None
            if name in self._skip:
                counts.copied += 1
                continue
            counts.messages += 1
            if message.model == SYNTHETIC:
                continue
            tokens, ts = _tokens(message.usage), _minute(answer.timestamp)
            if is_agent and message.stop_reason is None and number == len(self._messages):
                counts.unfinished = LastMessage(ts, message.model, tokens)
                continue
            agent = SIDECHAIN if answer.is_sidechain and not is_agent else ""
            counter.add(tokens, ts=ts, agent=agent, model=message.model)
        counts.shares = counter.shares
        return counts

    def _account(self, block: bytes, at: int) -> None:
        """Notes the last `cost-state` of the session, and when the last line before it was
        written.
        """
        if at >= 0:
            end = block.find(b"\n", at)
            given = read_as(CostState, block[at : end if end >= 0 else len(block)])
            if not given.has_unknown_model_cost and given.total_cost_usd is not None:
                until = _last_time(block, at) or self._until
                models = given.model_usage or {}
                model = next(iter(models)) if len(models) == 1 else None
                tokens = UsageShare(until - until % SLOT_MS, MAIN, model)
                for each in models.values():
                    add_tokens(tokens, each)
                self._counts.account = SessionAccount(
                    given.session_id, given.total_cost_usd, tokens, until=until
                )
        self._until = _last_time(block, len(block)) or self._until


def line_starts(block: bytes) -> list[int]:
    """Returns where each of some lines begins. For what stands there this is the fastest search."""
    starts, at = [0], 0
    while at := block.find(b"\n", at) + 1:
        starts.append(at)
    return starts


def last_notes(block: bytes, starts: Iterable[int]) -> dict[str, int]:
    """Returns where some lines have the last note of each type. Notes are what the CLI writes for
    itself: they begin with their type, as no line of a conversation does.
    """
    found: dict[str, int] = {}
    for at in starts:
        if block.startswith(_NOTE, at):
            name = at + len(_NOTE)
            kind = block[name : block.find(b'"', name)]
            found[kind.decode("utf-8", "replace")] = at
    return found


def message_ids(path: str) -> Iterator[First]:
    """Yields the ids of a transcript's messages, and the session that each is marked to be copied
    from. Raises OSError.
    """
    with open_regular(path) as file:
        for block in line_blocks(file):
            yield from _ids(block)


def first_message(path: str, read: Callable[[str, int], bytes] = read_small) -> First | None:
    """Returns the first of a transcript's `message_ids`; None if it cannot be read, too."""
    try:
        # A history has thousands of transcripts: most need no more than one small read. A line that
        # is cut off by it is no JSON.
        head = read(path, HEAD_BYTES)
        return next(_ids(head), None) or next(message_ids(path), None)
    except (OSError, ValueError):
        return None  # reading it will report the error


def _ids(block: bytes) -> Iterator[First]:
    for _, answer in _answer_lines(block):
        if answer.message is not None and answer.message.id is not None:
            source = answer.forked_from
            yield answer.message.id, None if source is None else str(source.get("sessionId"))


def message_lines(path: str) -> dict[str, int]:
    """Returns in which line of a transcript each message begins. Raises OSError."""
    found: dict[str, int] = {}
    before = 0
    with open_regular(path) as file:
        for block in line_blocks(file):
            for start, answer in _answer_lines(block):
                if answer.message is not None and answer.message.id is not None:
                    found.setdefault(answer.message.id, before + block.count(b"\n", 0, start))
            before += block.count(b"\n")
    return found


def _all_answer_lines(block: bytes) -> list[AnswerLine]:
    """Returns what `_answer_lines` yields. Searching backwards takes half the time."""
    found: list[AnswerLine] = []
    end = len(block)
    while (at := block.rfind(_USAGE, 0, end)) >= 0:
        stop = block.find(b"\n", at, end)
        start = block.rfind(b"\n", 0, at) + 1
        line, end = block[start : stop if stop >= 0 else end], start
        try:
            answer = answer_line(line)
        except BAD_JSON:
            continue
        found.append(answer)
    found.reverse()
    return found


def _answer_lines(block: bytes) -> Iterator[tuple[int, AnswerLine]]:
    """Yields the lines with a usage, and where each begins."""
    at = block.find(_USAGE)
    while at >= 0:
        start = block.rfind(b"\n", 0, at) + 1
        end = block.find(b"\n", at)
        if end < 0:
            end = len(block)
        with suppress(*BAD_JSON):
            yield start, answer_line(block[start:end])
        at = block.find(_USAGE, end)


def _tokens(usage: MessageUsage) -> MessageTokens:
    return MessageTokens(
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cache_read_tokens=usage.cache_read_input_tokens or 0,
        cache_creation_tokens=usage.cache_creation_input_tokens or 0,
        cache_1h_tokens=usage.cache_1h_tokens,
    )


def _minute(timestamp: str | float | None) -> int:
    """Returns when a line was written, to the minute: most messages share theirs with others."""
    return _parsed(timestamp[:16]) if isinstance(timestamp, str) else milliseconds(timestamp)


@lru_cache(4096)
def _parsed(minute: str) -> int:
    return milliseconds(f"{minute}Z")


def _last_time(block: bytes, before: int) -> int:
    at = block.rfind(_TIME, 0, before)
    if at < 0:
        return 0
    begin = at + len(_TIME)
    return milliseconds(block[begin : begin + 24].decode("ascii", "replace"))
