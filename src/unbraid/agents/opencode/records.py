"""OpenCode's records: parts, messages and sessions, however they arrive.

`/event` and `/global/event` carry them as properties, `run --format json` one part a line, the
database one row each, an export all at once. `rows_as_lines` and `export_as_lines` put the last two
into the form of the first, in the order in which things happened. A `Head` is the little of a line
that says where it belongs: its time, its session, and which call it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from unbraid.events import EMPTY_OBJECT
from unbraid.read.dialects import BlockEnd, Delta
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.read.record import BAD_JSON, MISSING, Record, milliseconds, read_as
from unbraid.read.sse import data_of
from unbraid.read.tracks import LineOrder

# In place of a row's content: how long it is. It was longer than anybody reads.
ROW_BYTES = "unbraid.row_bytes"
OUTCOME = ("output", "error", "attachments")

_ANSWER = re.compile(r"<task_result>\n(.*)\n</task_result>", re.DOTALL)


class OpenCodeRecord(Record):
    """An event of a server, or a line of `run --format json`."""

    kind = "opencode"

    timestamp: str | int | float | None = None
    session_id: str | None = field(default=None, name="sessionID")
    properties: Raw = MISSING
    payload: Raw = MISSING  # of `/global/event`: the event itself
    sync_event: Raw = field(default=MISSING, name="syncEvent")
    row_bytes: int | None = field(default=None, name=ROW_BYTES)

    @property
    def is_identified(self) -> bool:
        """Whether a record, beside its type, has what only OpenCode's have."""
        return (
            self.session_id is not None
            or self.properties is not MISSING
            or self.sync_event is not MISSING
        )


_decode = msgspec.json.Decoder(OpenCodeRecord).decode


def decode(line: bytes) -> OpenCodeRecord:
    """Returns a line as a record; raises one of `BAD_JSON` if it is not one, whole."""
    record = _decode(line)
    if record.row_bytes is not None:
        size, limit = record.row_bytes, DEFAULT_MAX_LINE_BYTES
        raise msgspec.DecodeError(f"a row of {size} bytes, over the limit of {limit}")
    if record.payload is not MISSING:
        inner = bytes(record.payload)
        if inner.startswith(b"{"):
            return decode(inner)
    record.raw = line
    return record


class Times(Struct, gc=False):
    """When something began, changed and ended, in milliseconds."""

    start: float | None = None
    end: float | None = None
    created: float | None = None
    updated: float | None = None
    completed: float | None = None

    @property
    def latest(self) -> int:
        """The last of them."""
        known = (self.start, self.end, self.created, self.updated, self.completed)
        return max(map(milliseconds, known))


class Cache(Struct, gc=False):
    """Cached tokens."""

    read: float | None = 0
    write: float | None = 0


class Tokens(Struct):
    """Token counts of one model step."""

    input: float | None = 0
    output: float | None = 0
    reasoning: float | None = 0
    cache: Cache | None = None


class TaskInput(Struct):
    """The arguments of a `task` call, which starts an agent."""

    prompt: str | None = None
    description: str | None = None
    subagent_type: str | None = None


class ToolState(Struct):
    """How far a tool call is: pending, running, completed or error."""

    status: str = ""
    input: Raw = EMPTY_OBJECT
    output: Any = None
    error: Any = None
    metadata: Any = None
    time: Times | None = None
    attachments: list[Any] | None = None


class Part(Struct):
    """One part of a message."""

    id: str = ""
    message_id: str = field(default="", name="messageID")
    session_id: str = field(default="", name="sessionID")
    type: str = ""
    text: str | None = None
    tool: str | None = None
    call_id: str | None = field(default=None, name="callID")
    state: ToolState | None = None
    time: Times | None = None
    tokens: Tokens | None = None
    cost: float | None = None
    synthetic: bool | None = None
    auto: bool | None = None
    metadata: Any = None

    @property
    def child_session(self) -> str | None:
        """The session a `task` call has started."""
        metadata = self.state.metadata if self.state is not None else None
        if not isinstance(metadata, dict):
            return None
        child = metadata.get("sessionId") or metadata.get("sessionID")
        return child if isinstance(child, str) else None


class Info(Struct):
    """A session's or a message's own facts."""

    id: str = ""
    session_id: str | None = field(default=None, name="sessionID")
    parent_id: str | None = field(default=None, name="parentID")
    role: str | None = None
    title: str | None = None
    directory: str | None = None
    version: str | None = None
    agent: str | None = None
    mode: str | None = None
    model_id: str | None = field(default=None, name="modelID")
    model: Any = None
    error: Any = None
    summary: Any = None  # True: this message replaces all that was said before it
    time: Times | None = None
    # Ours: what has begun it is part of an earlier run, and will not be read.
    continued: bool = False

    @property
    def model_name(self) -> str | None:
        """The model, in whichever of its places it stands."""
        if self.model_id is not None:
            return self.model_id
        if isinstance(self.model, dict):
            name = self.model.get("modelID") or self.model.get("id")
            return name if isinstance(name, str) else None
        return self.model if isinstance(self.model, str) else None


class EventProperties(Struct):
    """The properties of any event we read, or a line of `run --format json`."""

    session_id: str | None = field(default=None, name="sessionID")
    message_id: str | None = field(default=None, name="messageID")
    part_id: str | None = field(default=None, name="partID")
    field: str | None = None
    delta: str | None = None
    info: Info | None = None
    part: Part | None = None
    status: Any = None
    error: Any = None
    time: Any = None
    id: str | None = None
    request_id: str | None = msgspec.field(default=None, name="requestID")
    permission_id: str | None = msgspec.field(default=None, name="permissionID")
    # Ours: the person who has answered, if that was here.
    answered_by: str | None = msgspec.field(default=None, name="unbraidBy")
    answered_where: str | None = msgspec.field(default=None, name="unbraidWhere")
    permission: str | None = None
    kind: str | None = msgspec.field(default=None, name="type")
    reply: str | None = None
    response: str | None = None


# --- where a line belongs ---


class HeadSubject(Struct, gc=False):
    """The session, message or part that a line is about. Parts are numbered as the model made
    them.
    """

    id: str = ""
    session_id: str | None = field(default=None, name="sessionID")
    parent_id: str | None = field(default=None, name="parentID")
    time: Times | None = None
    state: HeadSubject | None = None

    @property
    def latest(self) -> int:
        """When it last changed, as far as it says."""
        own = self.time.latest if self.time is not None else 0
        return max(own, self.state.latest if self.state is not None else 0)


class HeadProperties(Struct, gc=False):
    """The session that an event is about, and the text in it as it is written."""

    session_id: str | None = field(default=None, name="sessionID")
    part_id: str = field(default="", name="partID")
    delta: Raw = MISSING
    info: HeadSubject | None = None
    part: HeadSubject | None = None


class Head(Struct, gc=False):
    """The head of an event (of the database's rows, too), or of a line of `run --format json`."""

    type: str = ""
    timestamp: str | int | float | None = None
    session_id: str | None = field(default=None, name="sessionID")
    part: HeadSubject | None = None
    properties: HeadProperties | None = None
    payload: Head | None = None  # of `/global/event`


_decode_head = msgspec.json.Decoder(Head).decode


def head_of(line: bytes) -> Head:
    """Returns the head of a line, as far as it can be read."""
    data = data_of(line)
    try:
        return _decode_head(data)
    except BAD_JSON:
        return read_as(Head, data)


def event_order(line: bytes) -> LineOrder:
    """Returns where an event belongs. It dates what it is about, and is repeated when that is over:
    only a time that is new dates the event itself.
    """
    head = head_of(line)
    head = head.payload or head
    given = head.properties or HeadProperties()
    about = max((each.latest for each in (given.info, given.part) if each is not None), default=0)
    return LineOrder(at=milliseconds(head.timestamp), about=about)


def printed_order(line: bytes) -> LineOrder:
    """Returns where a printed line belongs. Parallel calls are printed as they end; each names its
    part, by which they can be put back as the model made them.
    """
    head = head_of(line)
    part_id = head.part.id if head.part is not None else ""
    turn = part_id if head.type == "tool_use" else None
    return LineOrder(at=milliseconds(head.timestamp), turn=turn)


class SessionTree:
    """Sessions and their parents, as far as they are known."""

    def __init__(self, parents: Mapping[str, str | None] | None = None) -> None:
        self.parents = dict(parents or {})

    def add(self, session: str, parent: str | None) -> None:
        """Adds a session; its parent is one too, even if nothing is known of that yet."""
        self.parents[session] = parent
        if parent is not None:
            self.parents.setdefault(parent, None)

    def root(self, session: str) -> str:
        """Returns the session at the top of this one's tree."""
        seen = {session}
        above = self.parents.get(session)
        while above is not None and above in self.parents and above not in seen:
            seen.add(above)
            session, above = above, self.parents[above]
        return session

    def root_of(self, line: bytes) -> str | None:
        """Returns the root session that an event belongs to, if any; adds the session that it
        reports.
        """
        head = head_of(line)
        given = head.properties
        if given is None:
            return None
        info = given.info
        if head.type.startswith("session.") and info is not None and info.id:
            self.add(info.id, info.parent_id)
            return self.root(info.id)
        for subject in (given, info, given.part):
            if subject is not None and subject.session_id is not None:
                return self.root(subject.session_id)
        return None


# --- what records say ---


def agent_answer(output: str) -> str:
    """Returns what an agent answered, out of what a `task` call puts around it."""
    found = _ANSWER.search(output)
    return found[1] if found is not None else output


def error_text(error: Any) -> str:
    """Returns what an error object says, in one line."""
    if isinstance(error, str):
        return error
    if isinstance(error, dict):
        data = error.get("data")
        if isinstance(data, dict) and isinstance(data.get("message"), str):
            return str(data["message"])
        for name in ("message", "name"):
            if isinstance(error.get(name), str):
                return str(error[name])
    return msgspec.json.encode(error).decode()


# --- rows and exports as lines ---


def _line(kind: str, properties: dict[str, Any], at: float) -> bytes:
    event = {"type": kind, "timestamp": int(at), "properties": properties}
    for row in properties.values():
        if isinstance(row, Mapping) and isinstance(row.get(ROW_BYTES), int):
            event[ROW_BYTES] = row[ROW_BYTES]
    return msgspec.json.encode(event) + b"\n"


def _number(value: Any) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return value if known and -1e15 < value < 1e15 else 0


def time_of(holder: Any, name: str) -> float:
    """Returns when something happened, as its `time` says; 0 if that is missing or no time."""
    time = holder.get("time") if isinstance(holder, Mapping) else None
    return _number(time.get(name)) if isinstance(time, Mapping) else 0


def _id(holder: Mapping[str, Any]) -> str:
    value = holder.get("id")
    return value if isinstance(value, str) else ""


# How a message ends after which the same turn continues: its calls are made, and then answered.
GOES_ON = ("tool-calls", "tool_calls", "unknown")


def _moments(
    sessions: Iterable[Mapping[str, Any]],
    messages: Iterable[Mapping[str, Any]],
    parts: Iterable[Mapping[str, Any]],
) -> Iterator[tuple[float, int, str, str, dict[str, Any]]]:
    """Yields each record at the moment it happened: (when, rank within it, id, event,
    properties).
    """
    for info in sessions:
        yield time_of(info, "created"), 0, _id(info), "session.created", {"info": info}
    for info in messages:
        begun = {name: info[name] for name in info if name not in ("error", "time")}
        begun["time"] = {"created": time_of(info, "created")}
        yield time_of(info, "created"), 1, _id(info), "message.updated", {"info": begun}
        completed = time_of(info, "completed")
        if completed or info.get("error") is not None:
            at = completed or time_of(info, "created")
            yield at, 4, _id(info), "message.updated", {"info": info}
            how = info.get("finish") or info.get("error")
            if info.get("role") == "assistant" and how and how not in GOES_ON:
                session = {"sessionID": info.get("sessionID")}
                yield at, 5, _id(info), "session.idle", session
    for part in parts:
        began = _number(part.get("began"))
        state = part.get("state")
        if isinstance(state, dict) and state.get("status") in ("completed", "error"):
            # A finished call is one row, but two moments: its child is in between.
            running = {name: state[name] for name in state if name not in OUTCOME}
            started = {**part, "state": running | {"status": "running"}}
            yield began, 2, _id(part), "message.part.updated", {"part": started}
            ended = max(time_of(state, "end"), began)
            yield ended, 3, _id(part), "message.part.updated", {"part": part}
        else:
            yield began, 2, _id(part), "message.part.updated", {"part": part}


def began_at(row: Mapping[str, Any]) -> float:
    """Returns when a message or a part of the database began; 0 if it does not say."""
    return _number(row.get("began")) or time_of(row, "created")


def ended_at(row: Mapping[str, Any]) -> float | None:
    """Returns when a message or a part of the database came to its end; None if it has not, or says
    nothing of it.
    """
    if row.get("role") == "user":
        return time_of(row, "created") or None
    ends = (time_of(row, "completed"), time_of(row, "end"), time_of(row.get("state"), "end"))
    return next((at for at in ends if at), None)


def rows_as_lines(
    sessions: Iterable[Mapping[str, Any]],
    messages: Iterable[Mapping[str, Any]],
    parts: Iterable[Mapping[str, Any]],
) -> list[bytes]:
    """Returns rows of the database as `/event` lines, in the order in which things happened."""
    moments = sorted(_moments(sessions, messages, parts), key=lambda m: m[:3])
    return [_line(kind, properties, at) for at, _, _, kind, properties in moments]


def export_as_lines(exported: Mapping[str, Any]) -> list[bytes]:
    """Returns an `opencode export` file as `/event` lines."""
    info = exported.get("info")
    sessions = [info] if isinstance(info, dict) else []
    messages: list[Mapping[str, Any]] = []
    parts: list[Mapping[str, Any]] = []
    given = exported.get("messages")
    for message in given if isinstance(given, list) else []:
        if not isinstance(message, dict) or not isinstance(message.get("info"), dict):
            continue
        about = message["info"]
        messages.append(about)
        began = time_of(about, "created")
        inside = message.get("parts")
        for part in inside if isinstance(inside, list) else []:
            if isinstance(part, dict):
                began = max(began, time_of(part, "start"), time_of(part.get("state"), "start"))
                parts.append({**part, "began": began})
    return rows_as_lines(sessions, messages, parts)


def delta_in(line: bytes) -> Delta | BlockEnd | None:
    """Returns what a line of the event stream says about blocks, which are parts of messages."""
    if b'"properties"' not in line:
        return None
    head = head_of(line)  # a capture of the stream has the prefix of server-sent events
    if (properties := head.properties) is None:
        return None
    session = properties.session_id or ""
    if head.type == "message.part.delta":
        text = bytes(properties.delta)
        if text.startswith(b'"'):
            return Delta(session, properties.part_id, text)
    if (part := properties.part) is not None:
        return BlockEnd(part.session_id or session, part.id)
    # Other agents of the run may be in the middle of a word.
    return BlockEnd(session) if head.type == "session.idle" else None
