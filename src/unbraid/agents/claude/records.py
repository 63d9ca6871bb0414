"""Claude Code's records, from stdout and transcripts, and the protocol's gotchas by name."""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct, field

from unbraid.events import EMPTY_OBJECT
from unbraid.fold.title import title_of
from unbraid.read.chunk import Chunk, DecodedChunk
from unbraid.read.dialects import BlockEnd, Delta
from unbraid.read.record import BAD_JSON, MISSING, Record, read_as

# Below this size, looking for what need not be read takes longer than reading it.
WORTH_CUTTING = 1500
NEAR_BYTES = 256
STDOUT_COPY, TRANSCRIPT_COPY = b',"tool_use_result":', b',"toolUseResult":'


class CacheLifetimes(Struct, gc=False):
    """For how long what was written to the cache is kept."""

    ephemeral_1h_input_tokens: int | None = 0


class MessageUsage(Struct, gc=False):
    """Token counts of one model message."""

    # In the order real lines have them, here and below: the decoder looks for the next field first.
    input_tokens: int | None = 0
    cache_creation_input_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0
    output_tokens: int | None = 0
    cache_creation: CacheLifetimes | None = None

    @property
    def cache_1h_tokens(self) -> int:
        """Tokens that are kept in the cache for an hour."""
        kept = self.cache_creation
        return 0 if kept is None else kept.ephemeral_1h_input_tokens or 0


class Block(Struct, gc=False):
    """One content block of any type; what its type does not use stays at its default."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = EMPTY_OBJECT
    tool_use_id: str | None = None
    content: Raw = MISSING
    is_error: bool | None = None

    @property
    def words(self) -> str:
        """What a text or thinking block says; thinking sits in either field."""
        return (self.text if self.thinking is None else self.thinking) or ""

    @classmethod
    def of_bare(cls, item: Any) -> Block:
        """Returns the block that something stands for which is no object where a block is
        wanted.
        """
        return cls(type="text", text=item if isinstance(item, str) else json.dumps(item))


class ApiMessage(Struct, gc=False):
    """The `message` of an assistant or user line."""

    id: str | None = None
    model: str | None = None
    content: list[Block] | str | None = None
    stop_reason: str | None = None
    usage: MessageUsage | None = None


class UnreadBlocks(Struct, gc=False):
    """A message's blocks, unread."""

    content: list[Raw] = field(default_factory=list)


class UnreadMessage(Struct, gc=False):
    """A record with the blocks of its message, unread."""

    message: UnreadBlocks = field(default_factory=UnreadBlocks)


class ApiDelta(Struct, gc=False):
    """The `delta` of a raw API event."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None


class ApiEvent(Struct, gc=False):
    """A raw API event inside a `stream_event` line."""

    type: str = ""
    index: int = 0
    message: ApiMessage | None = None
    content_block: Block | None = None
    delta: ApiDelta | None = None
    usage: MessageUsage | None = None


# What the `origin` of a user record is called if it notifies of the end of a task.
NOTIFICATION_ORIGIN = "task-notification"


class RecordOrigin(Struct):
    """The writer of a user record."""

    kind: str | None = None


class ClaudeRecord(Record):
    """A record of any type, with the messages and streamed events in it."""

    kind = "claude"

    # In the order real lines have them: the decoder looks for the next field first.
    subtype: str | None = None
    parent_uuid: str | None = field(default=None, name="parentUuid")
    is_sidechain: bool | None = field(default=None, name="isSidechain")
    agent_id_transcript: str | None = field(default=None, name="agentId")
    message: ApiMessage | None = None
    event: ApiEvent | None = None
    parent_tool_use_id: str | None = None
    agent_id_stdout: str | None = field(default=None, name="agent_id")
    session_id_stdout: str | None = field(default=None, name="session_id")
    uuid: str | None = None
    timestamp: str | int | float | None = None
    is_meta: bool | None = field(default=None, name="isMeta")
    # Of any type: what is wrong in them is no reason not to read the rest.
    synthetic: Raw = field(default=MISSING, name="isSynthetic")
    origin: Raw = MISSING
    session_id_transcript: str | None = field(default=None, name="sessionId")
    # Of a record that was copied from another session, which has counted it.
    forked_from: dict[str, Any] | None = field(default=None, name="forkedFrom")
    # Ours, not the wire's: how many of its blocks were known and left unread.
    skipped: Annotated[int, Meta(ge=0, le=0)] = field(default=0, name="unbraid.skipped")

    @property
    def agent_id(self) -> str | None:
        """The sub-agent's id, in whichever spelling the line has it."""
        return self.agent_id_stdout or self.agent_id_transcript

    @property
    def session_id(self) -> str | None:
        """The session's id, in whichever spelling the line has it."""
        return self.session_id_stdout or self.session_id_transcript

    @property
    def is_notification(self) -> bool:
        """Whether a record says of itself that it notifies of the end of a task."""
        origin = bytes(self.origin)
        return bool(origin) and read_as(RecordOrigin, origin).kind == NOTIFICATION_ORIGIN

    @property
    def is_synthetic(self) -> bool:
        """Whether the CLI has made a user record, and no person."""
        return bytes(self.synthetic) == b"true"

    @property
    def is_identified(self) -> bool:
        """Whether a record, beside its type, names its session: its blocks do not."""
        return bool(self.uuid or self.session_id) or self.message is not None


decode_plain = msgspec.json.Decoder(ClaudeRecord).decode


def decode(line: bytes) -> ClaudeRecord:
    """Returns a line as a record; raises one of `BAD_JSON` if it is not one, whole."""
    if len(line) > WORTH_CUTTING:
        return decode_long(line)
    record = decode_plain(line)
    record.raw = line
    return record


def decode_printed(chunk: Chunk) -> tuple[ClaudeRecord, Chunk]:
    """Returns a line of stdout as a record, and as a chunk that has this record. Of a line that is
    wrong in some places, the record is the rest, and the chunk has none.
    """
    line = chunk.data.removesuffix(b"\n")
    try:
        record = decode(line)
    except BAD_JSON:
        return read_as(ClaudeRecord, line), chunk
    decoded = DecodedChunk(*chunk)
    decoded.records = (record,)
    return record, decoded


def decode_long(line: bytes) -> ClaudeRecord:
    """Returns a line as a record; reads it only up to the second copy of its tool's result, if it
    has one.

    That copy is only wanted for spawning calls, which read it from `raw`. If the cut went wrong the
    decoding fails, or the `uuid` is missing, and the whole line is read.
    """
    key = STDOUT_COPY if line.startswith(b'{"type":') else TRANSCRIPT_COPY
    # The same again begins in the middle, more or less, and most often right behind it.
    middle, reach = len(line) >> 1, len(line) >> 3
    cut = line.find(key, middle - NEAR_BYTES, middle + reach)
    if cut < 0:
        cut = line.find(key)
    try:
        record = decode_plain(line[:cut] + b"}") if cut >= 0 else None
    except BAD_JSON:
        record = None
    if record is None or record.uuid is None:
        record = decode_plain(line)
    record.raw = line
    return record


SPAWNING_TOOLS = frozenset({"Task", "Agent"})
# These continue an agent, or start a workflow, which starts agents.
OTHER_SPAWNING_TOOLS = frozenset({"Workflow", "SendMessage"})

# How the result of a call begins that has only started an agent. All there is to know it by where
# no `tool_use_result` stands beside it: in a sub-agent's own conversation.
LAUNCHED = "Async agent launched"


class SpawnResult(Struct):
    """What `tool_use_result` says of a call that started an agent or a workflow."""

    status: str | None = None
    is_async: bool | None = field(default=None, name="isAsync")
    agent_id: str | None = field(default=None, name="agentId")
    resumed_agent_id: str | None = field(default=None, name="resumedAgentId")
    prompt: str | None = None
    run_id: str | None = field(default=None, name="runId")
    content: Any = None
    usage: MessageUsage | None = None  # of the agent's last message


class SpawnInput(Struct):
    """The arguments of a call that starts an agent, or asks one again."""

    prompt: str | None = None
    description: str | None = None
    subagent_type: str | None = None
    model: str | None = None
    run_in_background: bool | None = None
    resume: str | None = None


class Init(Struct):
    """`system/init`: comes at every turn."""

    model: str | None = None
    tools: list[str] | None = None
    cwd: str | None = None
    claude_code_version: str | None = None


class TaskUsage(Struct):
    """How far a task is."""

    total_tokens: int | None = None
    tool_uses: int | None = None
    duration_ms: int | None = None


class TaskPatch(Struct):
    """What `task_updated` changes."""

    status: str | None = None
    error: str | None = None


class Task(Struct):
    """`system/task_*`: the life of a sub-agent, a workflow or a background shell."""

    task_id: str | None = None
    tool_use_id: str | None = None
    parent_task_id: str | None = None
    task_type: str | None = None
    subagent_type: str | None = None
    description: str | None = None
    prompt: str | None = None
    is_backgrounded: bool | None = None
    status: str | None = None
    summary: str | None = None
    last_tool_name: str | None = None
    usage: TaskUsage | None = None
    patch: TaskPatch | None = None

    @property
    def is_agent(self) -> bool:
        """Whether this task is an agent, not a workflow or a shell."""
        if self.task_type is None:
            return self.subagent_type is not None
        return "agent" in self.task_type


class ResultUsage(Struct):
    """One model's share of a result's account."""

    input_tokens: int = field(default=0, name="inputTokens")
    output_tokens: int = field(default=0, name="outputTokens")
    cache_read_tokens: int = field(default=0, name="cacheReadInputTokens")
    cache_creation_tokens: int = field(default=0, name="cacheCreationInputTokens")


class CostState(Struct):
    """`cost-state`: the session's account at its process's end, cumulative over its processes. If
    `hasUnknownModelCost`, its dollars are a guess.
    """

    session_id: str | None = field(default=None, name="sessionId")
    total_cost_usd: float | None = field(default=None, name="totalCostUSD")
    model_usage: dict[str, ResultUsage] | None = field(default=None, name="modelUsage")
    has_unknown_model_cost: bool | None = field(default=None, name="hasUnknownModelCost")


class Result(Struct):
    """A turn's end; `modelUsage` and `total_cost_usd` are cumulative over the whole tree."""

    subtype: str = ""
    is_error: bool | None = None
    result: Any = None
    duration_ms: float | None = None
    num_turns: int | None = None
    total_cost_usd: float | None = None
    model_usage: dict[str, ResultUsage] | None = field(default=None, name="modelUsage")


class ToolPermissionRequest(Struct):
    """What the CLI asks of the program that drives it."""

    subtype: str = ""
    tool_name: str = ""
    tool_use_id: str | None = None
    input: Raw = EMPTY_OBJECT


class ControlRecord(Struct):
    """A `control_request` line."""

    request_id: str = ""
    request: ToolPermissionRequest | None = None


class TurnDuration(Struct):
    """`system/turn_duration`: how long a turn was."""

    duration_ms: float | None = field(default=None, name="durationMs")


CUSTOM, AGENT, GENERATED, SUMMARY = "custom-title", "agent-name", "ai-title", "summary"
# The types of the records that name a session; the first of them that it has is its title.
TITLE_TYPES = (CUSTOM, AGENT, GENERATED, SUMMARY)


class TitleRecord(Struct):
    """A record that names a session."""

    type: str = ""
    custom_title: str | None = field(default=None, name="customTitle")
    agent_name: str | None = field(default=None, name="agentName")
    ai_title: str | None = field(default=None, name="aiTitle")
    summary: str | None = None

    @property
    def title(self) -> str | None:
        """What it says; None if it takes back what another one has said."""
        titles = (self.custom_title, self.agent_name, self.ai_title, self.summary)
        return title_of(dict(zip(TITLE_TYPES, titles, strict=True)).get(self.type))


class ErrorFields(Struct):
    """The fields in which records of several types say what went wrong."""

    error: Any = None
    message: Any = None
    content: Any = None
    retracted_message_uuids: list[str] | None = None


class Compaction(Struct):
    """What a transcript says of a compaction, and in other words stdout."""

    trigger: str | None = None
    stored_before: float | None = field(default=None, name="preTokens")
    stored_after: float | None = field(default=None, name="postTokens")
    printed_before: float | None = field(default=None, name="pre_tokens")
    printed_after: float | None = field(default=None, name="post_tokens")


class CompactBoundary(Struct):
    """A `compact_boundary` record: the context before it was replaced by a summary."""

    stored: Compaction | None = field(default=None, name="compactMetadata")
    printed: Compaction | None = field(default=None, name="compact_metadata")


def parse_double_encoded(result: Any) -> str:
    """Returns the text of a `result`, which may be JSON inside JSON, or plain."""
    if not isinstance(result, str):
        return "" if result is None else msgspec.json.encode(result).decode()
    if result.startswith('"') and result.endswith('"'):
        try:
            return msgspec.json.decode(result, type=str)
        except msgspec.MsgspecError:
            return result
    return result


def fingerprint(block: Any) -> str:
    """Returns a block's identity as dialects without ids have it: a tool call's id, or how it
    opens.
    """

    def get(name: str) -> Any:
        return block.get(name) if isinstance(block, dict) else getattr(block, name, None)

    kind = get("type") or "unknown"
    if kind == "tool_use":
        return f"tool_use:{get('id')}"
    if kind in ("text", "thinking"):
        thinking = get("thinking") if kind == "thinking" else None
        words = get("text") if thinking is None else thinking
        return f"{kind}:{(words if isinstance(words, str) else '')[:64]}"
    return f"{kind}:{get('tool_use_id') or 'unknown'}"


# --- text in small parts, from `--include-partial-messages` ---

BLOCK_LIMITS = ("content_block_start", "content_block_stop")
MESSAGE_LIMITS = ("message_start", "message_stop")


class _DeltaHead(Struct, gc=False):
    """The text in a streamed delta, as it is written."""

    text: Raw = MISSING
    thinking: Raw = MISSING
    partial_json: Raw = MISSING


class _StreamEventHead(Struct, gc=False):
    """A raw API event, with its text as it is written."""

    type: str = ""
    index: int = 0
    delta: _DeltaHead | None = None


class _StreamedHead(Struct, gc=False):
    """A line of stdout as a part of a block that comes in parts."""

    type: str = ""
    parent_tool_use_id: str | None = None
    event: _StreamEventHead | None = None


_decode_delta = msgspec.json.Decoder(_StreamedHead).decode


DELTA_SIGNS = b'"stream_event"', b'"assistant"', b'"result"'
PART_SIGNS = (b'"delta"',)


def delta_in(line: bytes) -> Delta | BlockEnd | None:
    """Returns what a line says about blocks. A block belongs to the agent that its line names, by
    the call that spawned it.
    """
    if not any(sign in line for sign in DELTA_SIGNS):
        return None
    try:
        read = _decode_delta(line)
    except BAD_JSON:
        return None
    owner, event = read.parent_tool_use_id or "", read.event
    if event is not None and event.delta is not None:
        delta = event.delta
        text = bytes(delta.text) or bytes(delta.thinking) or bytes(delta.partial_json)
        if text.startswith(b'"'):
            return Delta(owner, event.index, text)
    if read.type == "stream_event" and event is not None:
        if event.type in BLOCK_LIMITS:
            return BlockEnd(owner, event.index)
        return BlockEnd(owner) if event.type in MESSAGE_LIMITS else None
    if read.type == "assistant":
        return BlockEnd(owner)
    return BlockEnd() if read.type == "result" else None
