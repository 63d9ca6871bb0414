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
from contextlib import closing
from functools import lru_cache
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import Struct, field

from unbraid.agents.claude.dialect.usage import usage_event
from unbraid.agents.claude.heads import is_sidechain
from unbraid.agents.claude.records import (
    OTHER_SPAWNING_TOOLS,
    SPAWNING_TOOLS,
    TITLE_TYPES,
    ApiMessage,
    ClaudeRecord,
    decode,
)
from unbraid.agents.claude.sessions.copies import First, copied_messages, first_message
from unbraid.agents.claude.sessions.discovery import File, FoundSession, Scan
from unbraid.agents.claude.sessions.opening import opening_of_file
from unbraid.agents.claude.transcript import (
    COST_STATE,
    SYNTHETIC,
    agent_line,
    copied_line,
    counted_line,
    session_line,
)
from unbraid.agents.session_port import StoredSession, files_version, problem_of, translate_run
from unbraid.events import RelayEvent, TokenUsage
from unbraid.events.codec import msgpack_decoder
from unbraid.events.tokens import all_tokens
from unbraid.read.lines import Lines
from unbraid.read.reader import read_line
from unbraid.read.record import BAD_JSON, milliseconds
from unbraid.read.translator import Translator
from unbraid.system.atomic_file import write_atomically
from unbraid.system.files import HeadReader, chunks, line_blocks, open_regular, read_small

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


class Beginnings(Struct):
    """What never changes of files: with which messages sessions begin, and of which sessions the
    sub-agents of 2.0 are.
    """

    firsts: dict[str, First] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)


def stored_sessions(
    env: Mapping[str, str], *, since_ms: int, cache: Path | None, warn: Callable[[str], None]
) -> list[StoredSession]:
    """Returns the sessions that have changed since a time, newest first."""
    scan = Scan.of(env)
    for place, problem in scan.problems.items():
        warn(f"{place}: {problem}")
    known = _beginnings(scan, None if cache is None else cache / FILE_NAME)
    alike: dict[str, dict[str, First]] = {}
    for path, begun in known.firsts.items():
        alike.setdefault(begun[0], {})[path] = begun
    beside: dict[str, list[File]] = {}
    for file in scan.beside:
        beside.setdefault(known.owners.get(file.path, ""), []).append(file)
    found = []
    for session in scan.sessions:
        session_beside = beside.get(session.id, [])
        changed = max([session.mtime_ns, *(file.mtime_ns for file in session_beside)])
        if changed // 1_000_000 < since_ms:
            continue
        first = known.firsts.get(session.main.path)
        others = alike.get(first[0], {}) if first is not None and first[1] is None else {}
        found.append(_stored(session, session_beside, scan, changed, first, others))
    return sorted(found, key=lambda stored: stored.changed_ms, reverse=True)


def _stored(
    session: FoundSession,
    beside: list[File],
    scan: Scan,
    changed_ns: int,
    first: First | None,
    alike: Mapping[str, First],
) -> StoredSession:
    metas = {child.path: scan.meta(child) for child in session.children}
    files = [session.main, *session.children, *beside, *filter(None, metas.values())]
    if len(alike) > 1:
        files += [file for file in scan.mains if file.path in alike]
    transcripts = Transcripts(session, beside, metas, alike)
    return StoredSession(
        session_id=session.id,
        changed_ms=changed_ns // 1_000_000,
        version=files_version((file.size, file.mtime_ns) for file in files),
        translate=transcripts.translate,
        size=sum(file.size for file in files),
        is_copy=first is not None and (first[1] is not None or len(alike) > 1),
    )


class Transcripts:
    """The transcripts of one session: its own, those of its sub-agents in the layout of 2.1, with
    what stands beside them, and in that of 2.0 (`beside`). `alike` are the sessions that begin with
    the same message.
    """

    def __init__(
        self,
        session: FoundSession,
        beside: Sequence[File],
        metas: Mapping[str, File | None],
        alike: Mapping[str, First],
    ) -> None:
        self._session, self._beside, self._metas, self._alike = session, beside, metas, alike

    def translate(
        self, translator: Translator, warn: Callable[[str], None]
    ) -> Iterator[list[RelayEvent]]:
        """Lets a translator read what can matter of them; yields what it returns."""
        main = self._session.main
        opening = opening_of_file(main.path)
        line = session_line(
            self._session.id,
            cwd=opening.cwd,
            version=opening.version,
            started_ms=opening.started,
        )
        yield translator.feed(line, "about")
        copied = copied_messages(main.path, self._alike) if len(self._alike) > 1 else []
        if copied:
            yield translator.feed(copied_line(copied), "copied")
        if _is_mixed(main.path, opening.version):
            # Its conversations can be told apart only by all of their records.
            from unbraid.agents.claude.sessions.file_formats import transcript_run

            yield from translate_run(transcript_run(Path(main.path)), translator, warn)
            return
        children = self._in_start_order()
        for child in children:
            yield translator.feed(self._agent(child), "agents")
        tracks = [_placed(_that_matter(main.path, "", skip=frozenset(copied)), 0)]
        for rank, child in enumerate(children, 1):
            of_workflow = _workflow(child) is not None
            tracks.append(_placed(_readable(child.path, warn), rank, of_workflow=of_workflow))
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

    def _in_start_order(self) -> list[File]:
        """Returns the sub-agents' files; a workflow's in the order in which its journal started
        them.
        """
        started: dict[str, int] = {}
        for file in self._session.children:
            if file.path.endswith("/journal.jsonl"):
                for record in chain.from_iterable(map(records_in, _lines(file.path))):
                    if record.type == "started":
                        started.setdefault(f"agent-{record.agent_id_transcript}", len(started))

        def order(file: File) -> tuple[int, str]:
            return started.get(_name(file.path), len(started)), file.path

        return [*sorted(self._session.children, key=order), *sorted(self._beside)]

    def _agent(self, child: File) -> bytes:
        """Returns what stands beside a sub-agent's transcript, as one line for the translator."""
        name, meta = _name(child.path), self._metas.get(child.path)
        workflow = _workflow(child)
        if not name.startswith("agent-") or (meta is None and workflow is None):
            return b""
        known = b"{}" if meta is None else read_small(meta.path)
        return agent_line(name.removeprefix("agent-"), known, workflow)


def _beginnings(scan: Scan, path: Path | None) -> Beginnings:
    """Returns how all files begin, and keeps it."""
    try:
        known = msgpack_decoder(Beginnings).decode(b"" if path is None else path.read_bytes())
    except (OSError, ValueError, msgspec.MsgspecError):
        known = Beginnings()
    firsts = {each.path: known.firsts.get(each.path) for each in scan.mains}
    owners = {each.path: known.owners.get(each.path) for each in scan.beside}
    with closing(HeadReader()) as heads:
        for name in [name for name, first in firsts.items() if first is None]:
            firsts[name] = first_message(name, heads.read)
    for name in [name for name, owner in owners.items() if owner is None]:
        owners[name] = opening_of_file(name).session_id
    now = Beginnings(
        {name: first for name, first in firsts.items() if first is not None},
        {name: owner for name, owner in owners.items() if owner is not None},
    )
    if path is not None and now != known:
        try:
            write_atomically(path, msgspec.msgpack.encode(now), durable=False, private_folder=True)
        except OSError:
            return now  # only the next start suffers
    return now


# --- records ---


def _lines(path: str) -> Iterator[bytes]:
    """Yields the lines of a file; not those past the limit."""
    lines = Lines()
    for chunk in chunks(Path(path)):
        yield from (line for line in lines.feed(chunk) if isinstance(line, bytes))
    yield from (line for line in lines.finish() if isinstance(line, bytes))


def records_in(line: bytes) -> Sequence[ClaudeRecord]:
    """Returns the records in a line of a transcript; of a damaged one, those that are left."""
    try:
        return (decode(line),)
    except BAD_JSON:
        return [item for item in read_line(line) if isinstance(item, ClaudeRecord)]


def _readable(path: str, warn: Callable[[str], None]) -> Iterator[ClaudeRecord | TokenUsage]:
    """Yields what can matter of a sub-agent's file, as far as it can be read."""
    try:
        yield from _that_matter(path, _name(path).removeprefix("agent-"))
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


def _name(path: str) -> str:
    # A history has thousands of them: this takes a tenth of the time of `Path`.
    return path.rpartition("/")[2].removesuffix(".jsonl")


def _workflow(child: File) -> str | None:
    above, _, folder = child.path.rpartition("/")[0].rpartition("/")
    return folder if above.endswith("/workflows") else None


def _is_mixed(path: str, version: str | None) -> bool:
    """Returns whether a file has conversations of sub-agents in it."""
    if version is not None and not version.startswith(_MIXED):
        return False
    return any(map(is_sidechain, _lines(path)))
