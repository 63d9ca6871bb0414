"""What one transcript says about its agent, without translating it: who, where, when, how much.

Only the lines that can matter are decoded: the first ones, and those with a `usage`. The same usage
stands on every line of a message; the last one counts, once.
"""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import lru_cache

from msgspec import Struct, field

from unbraid.agents.claude.records import CostState
from unbraid.agents.claude.sessions.discovery import File
from unbraid.agents.claude.transcript import (
    SYNTHETIC,
    AnswerFacts,
    AnswerLine,
    PromptFacts,
    answer_line,
    opening_line,
)
from unbraid.fleet.prices import MessageTokens, Prices
from unbraid.fleet.shares import ShareCounter, UsageShare
from unbraid.system.files import open_regular
from unbraid.translate.blocks import MessageUsage
from unbraid.wire.record import BAD_JSON, milliseconds, read_as

HEAD_LINES = 40
TITLE_CHARS = 200
_NO_TITLE = ("<", "Caveat: ", "[Request interrupted")


class LastMessage(Struct, array_like=True):
    """The last message of a sub-agent whose usage is not final: when, of which model, how much."""

    ts: int
    model: str | None
    tokens: MessageTokens


class Account(Struct, array_like=True):
    """What a session has cost by its own `cost-state`, all agents together: the tokens that this
    covers, and the time up to which.
    """

    session_id: str | None
    cost_usd: float
    tokens: int
    until: int


class Facts(Struct, omit_defaults=True):
    """One transcript. `sidechains` are the sub-agents that 1.0 keeps in the session's own file.

    `messages` were counted, into `shares`; those of them that were `copied` from another transcript
    were not: `behind` are the files that have counted them. `reports` are the final usages that
    sub-agents' last messages had, as this conversation was given them.
    """

    size: int = 0
    mtime_ns: int = 0
    session_id: str | None = None
    agent_id: str | None = None
    cwd: str | None = None
    title: str | None = None
    version: str | None = None
    model: str | None = None
    started: int = 0
    updated: int = 0
    answered: bool = False
    sidechains: int = 0
    messages: int = 0
    copied: int = 0
    shares: list[UsageShare] = field(default_factory=list)
    unfinished: LastMessage | None = None
    reports: dict[str, MessageTokens] = field(default_factory=dict)
    account: Account | None = None
    behind: list[File] = field(default_factory=list)


_USAGE = b'"usage":{'
_COST_STATE = b'{"type":"cost-state"'
SIDECHAIN = "sidechain"
_SIDECHAIN = b'"parentUuid":null,"isSidechain":true'


def facts_of(
    path: str,
    *,
    head_only: bool = False,
    prices: Prices | None = None,
    skip: Collection[str] = frozenset(),
) -> Facts:
    """Read one transcript; messages whose ids are in `skip` are another's. Raises OSError; what is
    inside never raises.
    """
    with open_regular(path) as file:
        facts = Facts(size=file.seek(0, 2))
        if not facts.size:
            return facts
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _first_lines(data, facts)
            if head_only:
                return facts
            _answers(data, facts, prices, skip)
            _account(data, facts)
            facts.updated = max(facts.updated, _last_time(data))
            if facts.agent_id is None:
                facts.sidechains = _count(data, _SIDECHAIN)
    return facts


def _first_lines(data: mmap.mmap, facts: Facts) -> None:
    for line in _lines(data, HEAD_LINES):
        try:
            head = opening_line(line)
        except BAD_JSON:
            continue
        facts.cwd = facts.cwd or head.cwd
        facts.session_id = facts.session_id or head.session_id
        facts.agent_id = facts.agent_id or head.agent_id
        facts.version = facts.version or head.version
        facts.started = facts.started or milliseconds(head.timestamp)
        if facts.title is None and head.type == "user" and not head.is_meta:
            if head.is_sidechain and facts.agent_id is None:
                continue
            facts.title = _title(head.message)
        if facts.title is not None and facts.cwd is not None:
            return


def _title(message: PromptFacts | None) -> str | None:
    content = message.content if message is not None else None
    for block in content if isinstance(content, list) else [{"text": content}]:
        text = block.get("text")
        if isinstance(text, str) and text.strip() and not text.startswith(_NO_TITLE):
            return " ".join(text[: 4 * TITLE_CHARS].split())[:TITLE_CHARS]
    return None


def _answers(data: mmap.mmap, facts: Facts, prices: Prices | None, skip: Collection[str]) -> None:
    messages: dict[str, AnswerLine] = {}
    last: AnswerFacts | None = None
    for answer in _answer_lines(data):
        message = answer.message
        if message is not None and message.usage is not None and message.id is not None:
            before = messages.get(message.id)
            if before is not None:
                answer.timestamp = before.timestamp
            messages[message.id] = answer
            last = message
        elif answer.report is not None and answer.report.agent_id and answer.report.usage:
            facts.reports[answer.report.agent_id] = _counts(answer.report.usage)
    _count_messages(messages, facts, prices, skip)
    if last is not None:
        facts.model = last.model
        facts.answered = last.stop_reason != "tool_use"


def _count_messages(
    messages: dict[str, AnswerLine], facts: Facts, prices: Prices | None, skip: Collection[str]
) -> None:
    counter = ShareCounter(prices)
    unfinished: AnswerLine | None = None
    for number, (name, answer) in enumerate(messages.items(), 1):
        message = answer.message
        assert message is not None and message.usage is not None
        if name in skip:
            facts.copied += 1
            continue
        facts.messages += 1
        if message.model == SYNTHETIC:
            continue
        if number == len(messages) and message.stop_reason is None and facts.agent_id is not None:
            unfinished = answer
            continue
        own = facts.agent_id is not None or not answer.is_sidechain
        counter.add(
            _counts(message.usage),
            ts=_slot(answer.timestamp),
            agent="" if own else SIDECHAIN,
            model=message.model,
        )
    facts.shares = counter.shares
    if unfinished is not None and unfinished.message is not None:
        message = unfinished.message
        assert message.usage is not None
        facts.unfinished = LastMessage(
            _slot(unfinished.timestamp), message.model, _counts(message.usage)
        )


def _counts(usage: MessageUsage) -> MessageTokens:
    return MessageTokens(
        usage.input_tokens or 0,
        usage.output_tokens or 0,
        usage.cache_read_input_tokens or 0,
        usage.cache_creation_input_tokens or 0,
        usage.cache_1h_tokens,
    )


@lru_cache(4096)
def _minute(text: str) -> int:
    return milliseconds(f"{text}Z")


def _slot(timestamp: str | float | None) -> int:
    """When a line was written, to the minute: most messages share theirs with others."""
    return _minute(timestamp[:16]) if isinstance(timestamp, str) else milliseconds(timestamp)


def _account(data: mmap.mmap, facts: Facts) -> None:
    """The last `cost-state` of the session, and when the last line before it was written."""
    at = data.rfind(_COST_STATE)
    if at < 0:
        return
    start = data.rfind(b"\n", 0, at) + 1
    end = data.find(b"\n", at)
    given = read_as(CostState, data[start : end if end >= 0 else len(data)])
    if given.total_cost_usd is None or given.has_unknown_model_cost or not given.model_usage:
        return
    tokens = sum(
        each.input_tokens + each.output_tokens + each.cache_read_tokens + each.cache_creation_tokens
        for each in given.model_usage.values()
    )
    before = data.rfind(b'"timestamp":"', 0, start)
    until = data[before + 13 : before + 37].decode("ascii", "replace") if before >= 0 else None
    facts.account = Account(given.session_id, given.total_cost_usd, tokens, milliseconds(until))


def _answer_lines(data: mmap.mmap) -> Iterator[AnswerLine]:
    at = data.find(_USAGE)
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        if end < 0:
            end = len(data)
        with suppress(*BAD_JSON):
            yield answer_line(data[start:end])
        at = data.find(_USAGE, end)


def message_ids(path: str, *, most: int | None = None) -> list[tuple[str, str | None]]:
    """Returns the ids of a transcript's messages, or of the first ones, and the session that they
    are marked to be copied from. Raises OSError.
    """
    found: list[tuple[str, str | None]] = []
    with open_regular(path) as file:
        if not file.seek(0, 2):
            return found
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for answer in _answer_lines(data):
                if answer.message is not None and answer.message.id is not None:
                    source = answer.forked_from
                    copied = None if source is None else str(source.get("sessionId"))
                    found.append((answer.message.id, copied))
                    if len(found) == most:
                        break
    return found


def _last_time(data: mmap.mmap) -> int:
    at = data.rfind(b'"timestamp":"')
    return milliseconds(data[at + 13 : at + 37].decode("ascii", "replace")) if at >= 0 else 0


def _lines(data: mmap.mmap, count: int) -> Iterator[bytes]:
    at = 0
    for _ in range(count):
        end = data.find(b"\n", at)
        if end < 0:
            return
        yield data[at:end]
        at = end + 1


def _count(data: mmap.mmap, what: bytes) -> int:
    count, at = 0, data.find(what)
    while at >= 0:
        count += 1
        at = data.find(what, at + 1)
    return count
