"""Codex's records: lines of a rollout, of `codex exec --json`, and of `codex app-server`.

A rollout's line has a time and a payload but does not name its thread: the file does. A line of
`exec --json` has a type with a dot. A line of the app-server has a method, or the result of a
request.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from unbraid.read.dialects import BlockEnd, Delta
from unbraid.read.record import BAD_JSON, MISSING, Record, coerce, read_as

STORED = frozenset(
    {
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
        "token_usage_record",
        "inter_agent_communication_metadata",
    }
)
PRINTED = frozenset(
    {
        "thread.started",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "item.started",
        "item.updated",
        "item.completed",
    }
)
# Notifications of the app-server that stand alone; all others have a slash in their names.
SERVER_WORDS = frozenset({"error", "warning", "configWarning", "deprecationNotice"})

THREAD_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MAX_NAME_CHARS = 40
# Begins the name of a source with what has to be known of a rollout that is read from its middle.
ABOUT = "about-"


class CodexRecord(Record):
    """One line of any of the three."""

    kind = "codex"

    timestamp: str | int | float | None = None
    ordinal: int | None = None
    payload: Raw = MISSING
    thread_id: str | None = None
    item: Raw = MISSING
    usage: Raw = MISSING
    error: Raw = MISSING
    message: str | None = None
    method: str | None = None
    params: Raw = MISSING
    result: Raw = MISSING
    id: int | str | None = None
    jsonrpc: str | None = None
    emitted_ms: int | float | None = field(default=None, name="emittedAtMs")

    @property
    def is_stored(self) -> bool:
        """Whether it is a line of a rollout."""
        return self.payload is not MISSING and (self.type in STORED or self.ordinal is not None)

    @property
    def is_printed(self) -> bool:
        """Whether `codex exec --json` prints such a line."""
        if self.type in PRINTED:
            return True
        return self.type == "error" and self.message is not None

    @property
    def is_served(self) -> bool:
        """Whether the app-server writes such a line."""
        if self.type or self.jsonrpc is not None:
            return False
        if self.method is not None:
            known = "/" in self.method or self.method in SERVER_WORDS
            return known and self.params is not MISSING
        return self.id is not None and (self.result is not MISSING or self.error is not MISSING)

    @property
    def is_identified(self) -> bool:
        """Whether only Codex writes such a line."""
        if self.payload is not MISSING and (self.type in STORED or self.timestamp is not None):
            return self.is_stored
        return self.is_printed or self.is_served


_decode = msgspec.json.Decoder(CodexRecord).decode


def decode(line: bytes) -> CodexRecord:
    """Returns a line as a record; raises one of `BAD_JSON` if it is not one, whole."""
    record = _decode(line)
    record.raw = line
    return record


class SessionHead(Struct):
    """The first line of a rollout: which thread it is, and where that comes from."""

    id: str = ""
    parent_thread_id: str | None = None
    forked_from_id: str | None = None
    cwd: str | None = None
    cli_version: str | None = None
    source: Any = None
    agent_nickname: str | None = None
    agent_role: str | None = None
    agent_path: str | None = None
    history_mode: str | None = None
    start_ordinal: int | None = field(default=None, name="subagent_history_start_ordinal")

    @property
    def _spawn(self) -> dict[str, Any]:
        about = self.source.get("subagent") if isinstance(self.source, dict) else None
        spawn = about.get("thread_spawn") if isinstance(about, dict) else None
        return spawn if isinstance(spawn, dict) else {}

    @property
    def parent(self) -> str | None:
        """The thread that has started this one."""
        parent = self.parent_thread_id or self._spawn.get("parent_thread_id")
        return parent if isinstance(parent, str) and parent != self.id else None

    @property
    def is_child(self) -> bool:
        """Whether another thread has started this one."""
        return self.parent is not None or (
            isinstance(self.source, dict) and "subagent" in self.source
        )

    @property
    def is_spawned(self) -> bool:
        """Whether a call has started it: the CLI itself starts reviewers."""
        return bool(self._spawn) or not isinstance(self.source, dict)

    @property
    def path(self) -> str | None:
        """Its place in the tree, where agents have one: `/root/a`."""
        found = self.agent_path or self._spawn.get("agent_path")
        return found if isinstance(found, str) else None

    @property
    def release(self) -> tuple[int, ...]:
        """The version as numbers; empty if it names none."""
        return tuple(int(part) for part in re.findall(r"\d{1,6}", self.cli_version or "")[:3])


class StoredHead(Struct):
    """A line of a rollout, as far as it says that it is the first."""

    type: str = ""
    payload: SessionHead | None = None


def session_head(line: bytes) -> SessionHead | None:
    """Returns what the first line of a rollout says; None if it is not one."""
    if b'"session_meta"' not in line:
        return None
    head = read_as(StoredHead, line)
    return head.payload if head.type == "session_meta" and head.payload is not None else None


class Payload(Struct):
    """What stands in a rollout's line, in any of its types."""

    type: str = ""
    id: str | None = None
    role: str | None = None
    content: Any = None
    summary: Any = None
    name: str | None = None
    namespace: str | None = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    call_id: str | None = None
    output: Any = None
    status: str | None = None
    turn_id: str | None = None
    message: Any = None
    item: dict[str, Any] | None = None
    info: Any = None
    last_agent_message: str | None = None
    duration_ms: int | float | None = None
    error: Any = None
    model: str | None = None
    usage: Any = None
    response_id: str | None = None
    event_id: str | None = None
    agent_thread_id: str | None = None
    agent_path: str | None = None
    kind: str | None = None

    @property
    def tool(self) -> str:
        """The name of the tool that is called; one of an MCP server's has the server in it, as in
        older releases.
        """
        name, space = self.name or "", self.namespace or ""
        return f"{space.rstrip('_')}__{name}" if space.startswith("mcp__") else name


class ServerTurn(Struct, rename="camel"):
    """A turn as the app-server describes it."""

    id: str | None = None
    status: str | None = None
    error: Any = None
    duration_ms: int | float | None = None
    items: list[dict[str, Any]] = []


class ServerThread(Struct, rename="camel"):
    """A thread as the app-server describes it."""

    id: str | None = None
    parent_thread_id: str | None = None
    forked_from_id: str | None = None
    model: str | None = None
    cwd: str | None = None
    cli_version: str | None = None
    turns: list[ServerTurn] = []


class ServerParams(Struct, rename="camel"):
    """What a notification of the app-server carries."""

    thread_id: str | None = None
    item_id: str | None = None
    delta: str | None = None
    summary_index: int = 0
    item: dict[str, Any] | None = None
    turn: ServerTurn = field(default_factory=ServerTurn)
    thread: ServerThread | None = None
    token_usage: dict[str, Any] | None = None
    error: Any = None
    will_retry: bool | None = None


class ServerResult(Struct):
    """What the app-server answers to a request for a thread."""

    thread: ServerThread | None = None
    model: str | None = None


class Item(Struct):
    """Something that an agent said or did. A rollout, `exec --json` and the app-server describe it
    alike, but for the spelling of names: here as `exec --json` spells them.
    """

    id: str = ""
    type: str = ""
    text: str | None = None
    message: str | None = None
    content: Any = None
    summary: Any = None
    status: str | None = None
    command: Any = None
    aggregated_output: str | None = None
    exit_code: int | None = None
    duration_ms: int | float | None = None
    changes: Any = None
    stdout: str | None = None
    stderr: str | None = None
    server: str | None = None
    tool: str | None = None
    arguments: Any = None
    result: Any = None
    error: Any = None
    query: str | None = None
    items: Any = None
    prompt: str | None = None
    receiver_thread_ids: Any = None
    receiver_agents: Any = None
    agents_states: Any = None
    kind: str | None = None
    agent_thread_id: str | None = None
    agent_path: str | None = None

    @property
    def receivers(self) -> list[str]:
        """The threads that a call to other agents reaches."""
        given = self.receiver_thread_ids
        return [each for each in given if isinstance(each, str)] if isinstance(given, list) else []

    @property
    def is_ok(self) -> bool:
        """Whether a call has gone well."""
        return self.status in (None, "completed") and not (self.exit_code or self.error)

    @property
    def output(self) -> Any:
        """What a call gave."""
        given = (self.aggregated_output, self.stdout, self.stderr, self.result, self.error)
        return next((each for each in given if each), "")

    def call(self) -> tuple[str, dict[str, Any]] | None:
        """Returns the name and the input of a call, in the words of the agents' own calls; None if
        it is not a call, or one to other agents.
        """
        match self.type:
            case "command_execution":
                return "exec_command", {"command": self.command}
            case "file_change":
                return "apply_patch", {"changes": self.changes}
            case "mcp_tool_call" | "dynamic_tool_call":
                return self.tool or "", {"server": self.server, "arguments": self.arguments}
            case "web_search":
                return "web_search", {"query": self.query}
            case "todo_list":
                return "update_plan", {"plan": self.items}
        return None


def item_of(value: dict[str, Any]) -> Item:
    """Returns an item in any of its spellings."""
    named = {snake(name): part for name, part in value.items()}
    try:
        item = msgspec.convert(named, Item)
    except BAD_JSON:
        item = coerce(Item, named)[0]
    item.type = snake(item.type)
    return item


def snake(name: str) -> str:
    """Returns a name that is written in camel case in snake case; no name is longer than these."""
    return name if len(name) > MAX_NAME_CHARS else _snake(name)


@lru_cache(maxsize=256)
def _snake(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name).lstrip("_")


def texts(content: Any) -> str:
    """Returns the text of a message's parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(
        part["text"]
        for part in content
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def parts_of_thinking(summary: Any) -> list[str]:
    """Returns the parts of a summary of thinking, in any of its spellings."""
    if not isinstance(summary, list):
        return []
    found = [part.get("text") if isinstance(part, dict) else part for part in summary]
    return [part for part in found if isinstance(part, str) and part]


def error_message(error: Any) -> str:
    """Returns what an error says; the API's own is JSON in a string."""
    if isinstance(error, dict):
        error = error.get("message") or error
    if not isinstance(error, str):
        return msgspec.json.encode(error).decode()
    try:
        inner = msgspec.json.decode(error)
    except BAD_JSON:
        return error
    about = inner.get("error") if isinstance(inner, dict) else None
    said = about.get("message") if isinstance(about, dict) else None
    return said if isinstance(said, str) else error


def json_value(raw: Raw) -> Any:
    """Returns the value of a field; None if it has none that can be read."""
    try:
        return msgspec.json.decode(raw) if bytes(raw) else None
    except BAD_JSON:
        return None


def object_in(text: Any) -> dict[str, Any]:
    """Returns the JSON object in a string; an empty one if there is none."""
    if not isinstance(text, str) or not text.startswith("{"):
        return {}
    try:
        value = msgspec.json.decode(text)
    except BAD_JSON:
        return {}
    return value if isinstance(value, dict) else {}


# --- text in small parts, from an app-server ---


class _DeltaItem(Struct, gc=False):
    id: str = ""


class _DeltaParams(Struct, gc=False, rename="camel"):
    thread_id: str = ""
    item_id: str = ""
    delta: Raw = MISSING
    item: _DeltaItem | None = None


class _DeltaNotification(Struct, gc=False):
    method: str = ""
    params: _DeltaParams | None = None


_decode_delta = msgspec.json.Decoder(_DeltaNotification).decode


def delta_in(line: bytes) -> Delta | BlockEnd | None:
    """Returns what a line says about blocks, which are items of a thread."""
    if b'"method"' not in line[:300]:
        return None
    try:
        read = _decode_delta(line)
    except BAD_JSON:
        return None
    given = read.params
    if given is None or not given.thread_id:
        return None
    text = bytes(given.delta)
    if text.startswith(b'"') and given.item_id:
        return Delta(given.thread_id, given.item_id, text)
    if read.method == "item/completed" and given.item is not None:
        return BlockEnd(given.thread_id, given.item.id)
    return BlockEnd(given.thread_id) if read.method == "turn/completed" else None
