"""Claude Code's sessions for lists: which there are, and the records of each that can matter.

Most lines say nothing that a list shows but what their message has used: calls of plain tools,
their results, and words, once their agent has gone on to its next message. They are not translated.
What such a message has used is read from its last line by the dialect's own records, and the
results of its calls are not even decoded. Everything else is translated, put in order by its times
as in `unbraid.read.tracks`.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

from unbraid.agents.claude.dialect.usage import usage_event
from unbraid.agents.claude.records import (
    OTHER_SPAWNING_TOOLS,
    SPAWNING_TOOLS,
    TITLE_TYPES,
    ApiMessage,
    ClaudeRecord,
)
from unbraid.agents.claude.sessions.beginnings import (
    Beginnings,
    First,
    agent_facts,
    copied_messages,
    in_start_order,
    lines_of,
    opening_of_file,
    records_in,
)
from unbraid.agents.claude.sessions.layout import File, FoundSession, Scan, stem_of, workflow_of
from unbraid.agents.claude.transcript import (
    COST_STATE,
    SYNTHETIC,
    copied_line,
    counted_line,
    session_line,
)
from unbraid.agents.port import StoredSession, files_version, problem_of, translate_run
from unbraid.events import RelayEvent, TokenUsage
from unbraid.events.tokens import all_tokens
from unbraid.read.record import milliseconds
from unbraid.read.translator import Translator
from unbraid.system.files import line_blocks, open_regular, read_small

FILE_NAME = "claude-files.bin"
# What is said in these depends on what was counted before.
_AFTER_COUNTED = frozenset({COST_STATE, *TITLE_TYPES})
_SPAWNING = SPAWNING_TOOLS | OTHER_SPAWNING_TOOLS
RESULT = b'"tool_result"'
# Where a line with a result says so, and how near to that it names the call.
NEAR_BYTES, NEAR_CALL_BYTES = 1 << 10, 1 << 7
_ANSWERED = re.compile(
    rb'"tool_use_id":\s*"([^"]+)",\s*"type":\s*"tool_result"'
    rb'|"type":\s*"tool_result",\s*"tool_use_id":\s*"([^"]+)"'
).search
# So much may follow a message while it is not known whether its agent goes on.
MOST_HELD = 1000
# Versions that write sub-agents into the file of their session, conversations beside each other.
_MIXED = ("0.", "1.")


def stored_sessions(
    env: Mapping[str, str], *, since_ms: int, cache: Path | None, warn: Callable[[str], None]
) -> list[StoredSession]:
    """Returns the sessions that have changed since a time, newest first."""
    scan = Scan(env)
    for folder, problem in scan.problems.items():
        warn(f"{folder}: {problem}")
    beginnings = Beginnings(None if cache is None else cache / FILE_NAME)
    beginnings.read(file.path for file in scan.mains)
    beside: dict[str | None, list[File]] = {}
    for file in sorted(scan.beside):
        beside.setdefault(beginnings.owner(file.path), []).append(file)
    beginnings.save()
    mains = {file.path: file for file in scan.mains}
    found = []
    for session in scan.sessions:
        session_beside = beside.get(session.id, [])
        changed_ns = max([session.mtime_ns, *(file.mtime_ns for file in session_beside)])
        if changed_ns // 1_000_000 < since_ms:
            continue
        is_copy, alike = beginnings.alike(session.main.path)
        metas = {child.path: scan.meta(child) for child in session.children}
        files = [session.main, *session.children, *session_beside, *filter(None, metas.values())]
        if len(alike) > 1:
            files += [mains[path] for path in sorted(alike)]
        translate = partial(
            translate_session, session=session, beside=session_beside, metas=metas, alike=alike
        )
        stored = StoredSession(
            session_id=session.id,
            changed_ms=changed_ns // 1_000_000,
            version=files_version((file.size, file.mtime_ns) for file in files),
            translate=translate,
            size=sum(file.size for file in files),
            is_copy=is_copy or len(alike) > 1,
        )
        found.append(stored)
    return sorted(found, key=lambda stored: stored.changed_ms, reverse=True)


def translate_session(
    translator: Translator,
    warn: Callable[[str], None],
    *,
    session: FoundSession,
    beside: Sequence[File],
    metas: Mapping[str, File | None],
    alike: Mapping[str, First],
) -> Iterator[list[RelayEvent]]:
    """Lets a translator read what can matter of a session's transcripts: its own, and those of its
    sub-agents in the layouts of 2.1, with their `metas`, and of 2.0 (`beside`). `alike` are the
    sessions that begin with the same message. Yields what the translator returns.
    """
    main = session.main
    opening = opening_of_file(main.path)
    line = session_line(
        session.id,
        cwd=opening.cwd,
        version=opening.version,
        started_ms=opening.started,
    )
    yield translator.feed(line, "about")
    copied = copied_messages(main.path, alike) if len(alike) > 1 else []
    if copied:
        yield translator.feed(copied_line(copied), "copied")
    if _is_mixed(main.path, opening.version):
        # Its conversations can be told apart only by all of their records.
        from unbraid.agents.claude.sessions.file_formats import transcript_run

        yield from translate_run(transcript_run(Path(main.path)), translator, warn)
        return
    children = in_start_order(child.path for child in session.children)
    children += [file.path for file in beside]
    for child in children:
        meta = metas.get(child)
        facts = agent_facts(child, None if meta is None else read_small(meta.path))
        yield translator.feed(facts, "agents")
    tracks = [_placed(_that_matter(main.path, "", skip=frozenset(copied)), 0)]
    for rank, child in enumerate(children, 1):
        of_workflow = workflow_of(child) is not None
        tracks.append(_placed(_readable(child, warn), rank, of_workflow=of_workflow))
    counted, used = 0, list[RelayEvent]()
    for _, _, _, item in tracks[0] if len(tracks) == 1 else heapq.merge(*tracks):
        if isinstance(item, TokenUsage):
            counted += all_tokens(item)
            used.append(item)
            continue
        if item.type in _AFTER_COUNTED:
            yield translator.feed(counted_line(counted), "counted")
        used += translator.translate(item)
        yield used
        used = []
    yield used


# --- records ---


def _readable(path: str, warn: Callable[[str], None]) -> Iterator[ClaudeRecord | TokenUsage]:
    """Yields what can matter of a sub-agent's file, as far as it can be read."""
    try:
        yield from _that_matter(path, stem_of(path).removeprefix("agent-"))
    except OSError as error:
        warn(problem_of(error))


def _that_matter(
    path: str, agent: str, *, skip: Collection[str] = ()
) -> Iterator[ClaudeRecord | TokenUsage]:
    """Yields the records of one agent's file that can change what a list shows, and what its plain
    messages have used: those that call no agent, and after which the agent has gone on to another
    message. The messages in `skip` were copied.
    """
    message: _Message | None = None
    done: set[str] = set(skip)
    with open_regular(path) as file:
        for block in line_blocks(file):
            start, size = 0, len(block)
            while start < size:
                end = block.find(b"\n", start)
                if end < 0:
                    end = size
                begin, start = start, end + 1
                if message is not None:
                    at = block.find(RESULT, begin, min(begin + NEAR_BYTES, end))
                    if at >= 0 and message.is_answered(block, at):
                        message.rest.append((block, begin, end))
                        continue
                for record in records_in(block[begin:end]):
                    about = record.message
                    if record.type == "assistant" and about is not None and about.id:
                        if message is None or message.id != about.id:
                            if message is not None:
                                yield from message.passed(agent, done)
                            message = _Message(about.id)
                        message.add(record, about)
                    elif message is None:
                        yield record
                    else:
                        message.rest.append(record)
                        message.others.append(record)
                        if len(message.others) > MOST_HELD:
                            yield from message.records(done)
                            message = None
    if message is not None:
        yield from message.records(done)


class _Message:
    """A message whose agent may go on to another one, and what its file has after it: `others` of
    that matter in any case, `rest` has all of it.
    """

    __slots__ = ("_calls", "_is_plain", "_last", "id", "others", "rest")

    def __init__(self, message_id: str) -> None:
        self.id = message_id
        self.rest: list[ClaudeRecord | tuple[bytes, int, int]] = []
        self.others: list[ClaudeRecord] = []
        self._calls: set[bytes] = set()
        self._is_plain = True
        self._last: ClaudeRecord | None = None

    def add(self, record: ClaudeRecord, message: ApiMessage) -> None:
        """Adds one of its records."""
        self.rest.append(record)
        self._last = record
        if message.usage is None or message.model == SYNTHETIC:
            self._is_plain = False
        if isinstance(message.content, list):
            for block in message.content:
                if block.type == "tool_use":
                    self._calls.add((block.id or "").encode())
                    if block.name in _SPAWNING:
                        self._is_plain = False

    def is_answered(self, block: bytes, at: int) -> bool:
        """Returns whether a line is the result of one of its calls, by the place in it where that
        is named.
        """
        found = _ANSWERED(block, max(at - NEAR_CALL_BYTES, 0), at + NEAR_CALL_BYTES)
        return self._is_plain and found is not None and (found[1] or found[2]) in self._calls

    def passed(self, agent: str, done: set[str]) -> Iterator[ClaudeRecord | TokenUsage]:
        """Yields what matters of it, now that its agent has gone on; messages that are `done` are
        not counted again.
        """
        last = self._last
        if not self._is_plain or last is None or last.message is None:
            yield from self.records(done)
            return
        if self.id not in done and last.forked_from is None and last.message.usage is not None:
            done.add(self.id)
            usage = usage_event(last.message.usage)
            usage.context, usage.ts = agent, _minute(last.timestamp)
            usage.message_id, usage.model = self.id, last.message.model
            yield usage
        yield from self.others

    def records(self, done: set[str]) -> Iterator[ClaudeRecord]:
        """Yields all records of it, and those after it."""
        is_done = self.id in done
        done.add(self.id)
        for item in self.rest:
            if not isinstance(item, ClaudeRecord):
                block, begin, end = item
                yield from records_in(block[begin:end])
                continue
            if is_done and item.message is not None:
                item.message.usage = None
            yield item


def _placed(
    items: Iterable[ClaudeRecord | TokenUsage], rank: int, *, of_workflow: bool = False
) -> Iterator[tuple[int, int, int, ClaudeRecord | TokenUsage]]:
    """Yields items with their times, which never go back within a file. An answer of a workflow's
    agent counts from when it was asked for: see `heads.workflow_line_order`.
    """
    at = 0
    for number, item in enumerate(items):
        if isinstance(item, TokenUsage):
            at = max(at, 0 if of_workflow else item.ts)
        elif not (of_workflow and item.type == "assistant"):
            at = max(at, milliseconds(item.timestamp))
        yield at, rank, number, item


def _minute(timestamp: str | float | None) -> int:
    """Returns a time to the minute: most messages share theirs with others."""
    return _minutes(timestamp[:16]) if isinstance(timestamp, str) else milliseconds(timestamp)


@lru_cache(1024)
def _minutes(text: str) -> int:
    return milliseconds(f"{text}Z")


def _is_mixed(path: str, version: str | None) -> bool:
    """Returns whether a file has conversations of sub-agents in it."""
    if version is not None and not version.startswith(_MIXED):
        return False
    # Here, because hardly any session is read for it.
    from unbraid.agents.claude.heads import is_sidechain

    return any(map(is_sidechain, lines_of(path)))
