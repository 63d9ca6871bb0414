"""Claude Code's records, from stdout and transcripts, and the protocol's gotchas by name."""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct, field

from unbraid.events import EMPTY_OBJECT
from unbraid.events.tokens import TokenCounts, all_tokens
from unbraid.read.blocks import Block, MessageUsage
from unbraid.read.chunk import Chunk, DecodedChunk
from unbraid.read.record import BAD_JSON, Record, read_as

# Below this size, looking for what need not be read takes longer than reading it.
WORTH_CUTTING = 1500
NEAR_BYTES = 256
STDOUT_COPY, TRANSCRIPT_COPY = b',"tool_use_result":', b',"toolUseResult":'


class ApiMessage(Struct, gc=False):
    """The `message` of an assistant or user line."""

    id: str | None = None
    model: str | None = None
    content: list[Block] | str | None = None
    stop_reason: str | None = None
    usage: MessageUsage | None = None


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
    return record, DecodedChunk.of(chunk, (record,))


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

_FOREWORD = re.compile(r"\A<tools-used-before-summary>[^<]*</tools-used-before-summary>\s*")
_AFTERWORD = re.compile(r"\n?agentId: [\w-]+ \(use SendMessage[^\n]*(\n<usage>[^<]*</usage>)?\s*\Z")
_FRAME = re.compile(r"^\[Subagent hand-back\][^\n]*\n", re.MULTILINE)
_INDENT = re.compile(r"^  ", re.MULTILINE)


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

    @property
    def total_tokens(self) -> int:
        """All tokens that went in or came out."""
        return all_tokens(self)


class CostState(Struct):
    """`cost-state`: the session's account at its process's end, cumulative over its processes. If
    `hasUnknownModelCost`, its dollars are a guess.
    """

    session_id: str | None = field(default=None, name="sessionId")
    total_cost_usd: float | None = field(default=None, name="totalCostUSD")
    model_usage: dict[str, ResultUsage] | None = field(default=None, name="modelUsage")
    has_unknown_model_cost: bool | None = field(default=None, name="hasUnknownModelCost")


# How much more than was seen a session's account may hold, of requests that no transcript shows
# (titles, summaries), before it must be about more than this run.
MOST_OF_ACCOUNT, BESIDE_TOKENS = 1.5, 50_000
# Of a process that may have begun with an earlier account; nearly all of its messages were seen.
WITH_EARLIER = 1.05


def is_about_more(account: TokenCounts, counted: int) -> bool:
    """Returns whether a session's account must be about more than the messages that were counted:
    much of it is not in this run, but in others.
    """
    return not counted or all_tokens(account) > counted * MOST_OF_ACCOUNT + BESIDE_TOKENS


def is_about_earlier(account: TokenCounts, counted: int) -> bool:
    """Returns whether the account of a process that continues a session includes what that has used
    before, as later versions have it.
    """
    return all_tokens(account) > counted * WITH_EARLIER


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


class ErrorFields(Struct):
    """The fields in which records of several types say what went wrong."""

    error: Any = None
    message: Any = None
    content: Any = None
    retracted_message_uuids: list[str] | None = None


class StoredCompaction(Struct, rename="camel"):
    """What a transcript says of a compaction."""

    trigger: str | None = None
    before: float | None = field(default=None, name="preTokens")
    after: float | None = field(default=None, name="postTokens")


class PrintedCompaction(Struct):
    """The same on stdout."""

    trigger: str | None = None
    before: float | None = field(default=None, name="pre_tokens")
    after: float | None = field(default=None, name="post_tokens")


class CompactBoundary(Struct):
    """A `compact_boundary` record: the context before it was replaced by a summary."""

    stored: StoredCompaction = field(default_factory=StoredCompaction, name="compactMetadata")
    printed: PrintedCompaction = field(default_factory=PrintedCompaction, name="compact_metadata")


def agent_answer(text: str) -> str:
    """Returns what an agent answered, out of what its caller gets: without the list of tools before
    it, the id and the usage after it, and the frame that newer versions put every line of it in.
    """
    text = _AFTERWORD.sub("", text)
    frame = _FRAME.search(text)
    if frame is not None:
        return _INDENT.sub("", text[frame.end() :])
    return _FOREWORD.sub("", text)


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
