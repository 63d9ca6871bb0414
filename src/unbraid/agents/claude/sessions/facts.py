"""What one transcript says about its agent, without translating it: ids, folder, times, usage.

Only the lines that can matter are decoded: the first ones, and those with a `usage`. The same usage
stands on every line of a message; the last one counts, once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from unbraid.agents.claude.agent_facts import AgentFacts
from unbraid.agents.claude.sessions.counts import MessageCounter, last_notes, line_starts
from unbraid.agents.claude.sessions.discovery import File
from unbraid.agents.claude.sessions.ending import ending_of
from unbraid.agents.claude.sessions.transcript_facts import Facts
from unbraid.agents.claude.titles import TITLE_TYPES, TitleRecord, Titles
from unbraid.agents.claude.transcript import PromptFacts, opening_line
from unbraid.fleet.prices import Prices
from unbraid.fleet.title import prompt_title
from unbraid.system.files import line_blocks, open_regular, read_small
from unbraid.wire.record import BAD_JSON, milliseconds, read_as

HEAD_LINES = 40
MAX_HEAD_BYTES = 16 << 20
_NO_TITLE = ("<", "Caveat: ", "[Request interrupted")


_USER = b'"type":"user"'
_SIDECHAIN = b'{"parentUuid":null,"isSidechain":true'


def facts_of(
    path: str,
    *,
    head_only: bool = False,
    prices: Prices | None = None,
    skip: Collection[str] = frozenset(),
) -> Facts:
    """Returns the facts of one transcript, without the messages whose ids are in `skip`: they
    belong to another. Raises OSError; the content never raises.
    """
    with open_regular(path) as file:
        facts = Facts(size=file.seek(0, 2))
        answers = MessageCounter(prices, skip)
        lines_left, read = HEAD_LINES, 0
        titles = Titles()
        for block in line_blocks(file):
            read += len(block)
            if lines_left:
                lines_left = _first_lines(block, lines_left, facts)
                if head_only and (not lines_left or read > MAX_HEAD_BYTES):
                    break
            if not head_only:
                starts = line_starts(block)
                notes = last_notes(block, starts)
                answers.read(block, notes)
                _take_titles(titles, block, notes, is_first=read == len(block))
                facts.updated = last_time(block)[0] or facts.updated
                if facts.agent_id is None:
                    facts.sidechains += sum(block.startswith(_SIDECHAIN, at) for at in starts)
        if not head_only:
            facts.ending = ending_of(file, sidechain=facts.agent_id is not None)
    facts.title = titles.title or facts.title
    facts.counts = answers.counts(is_agent=facts.agent_id is not None)
    if answers.last is not None:
        facts.model = answers.last.model
        facts.answered = answers.last.stop_reason != "tool_use"
    if facts.agent_id is not None:
        facts.sidechains = 0
    return facts


def head_facts(main: Path) -> Facts:
    """Returns what the first lines of a transcript say; nothing if it cannot be read."""
    try:
        return facts_of(str(main), head_only=True)
    except (OSError, ValueError):
        return Facts()


def take_agent(facts: Facts, beside: File | None) -> bool:
    """Takes what another file beside a sub-agent's transcript says than before, or None; returns
    whether it could be read.
    """
    before = facts.agent_file
    facts.agent, facts.agent_file = AgentFacts(), None
    if beside is not None:
        with suppress(OSError):  # it is tried again the next time
            facts.agent = read_as(AgentFacts, read_small(beside.path))
            facts.agent_file = beside
    return facts.agent_file != before


def opening_facts(lines: Iterable[bytes]) -> Facts:
    """Returns what the first of some lines say."""
    facts, left = Facts(), HEAD_LINES
    for line in lines:
        left = _first_lines(line, left, facts)
        if not left:
            break
    return facts


def _first_lines(block: bytes, count: int, facts: Facts) -> int:
    """Reads up to so many lines that have a time; returns how many more should be read. Notes of
    the CLI have none, and any number of them may come first.
    """
    at = 0
    while count:
        end = block.find(b"\n", at)
        if end < 0:
            return count
        line, at = block[at:end], end + 1
        try:
            head = opening_line(line)
        except BAD_JSON:
            count -= 1
            continue
        count -= head.timestamp is not None
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
            return 0
    return 0


def _take_titles(titles: Titles, block: bytes, notes: Mapping[str, int], *, is_first: bool) -> None:
    """Takes what the CLI calls its session, by the notes among some lines."""
    for kind in TITLE_TYPES:
        at = notes.get(kind)
        if at is not None:
            end = block.find(b"\n", at)
            record = read_as(TitleRecord, block[at : end if end >= 0 else len(block)])
            has_begun = not is_first or block.find(_USER, 0, at) >= 0
            titles.take(record, has_begun=has_begun)


def _title(message: PromptFacts | None) -> str | None:
    content = message.content if message is not None else None
    for block in content if isinstance(content, list) else [{"text": content}]:
        text = block.get("text")
        if isinstance(text, str) and text.strip() and not text.startswith(_NO_TITLE):
            return prompt_title(text)
    return None


def last_time(block: bytes) -> tuple[int, int]:
    """Returns the last time that some lines say, and where the line that says it ends; zeros if
    none does.
    """
    at = block.rfind(b'"timestamp":"')
    if at < 0:
        return 0, 0
    time = milliseconds(block[at + 13 : at + 37].decode("ascii", "replace"))
    return time, block.find(b"\n", at) + 1 or len(block)
