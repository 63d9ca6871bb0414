"""One line as a typed record: the fields every dialect shares, and the way to the rest.

Reading a line has two speeds. The fast one decodes straight into `Record`. When that fails (a wrong
type in a known place, broken UTF-8, a NUL run, a truncated record with the next one glued on), the
slow one keeps whatever can be kept and says what could not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct, field

from unbraid.agents.claude.records import ApiEvent, Block, Message
from unbraid.events.parts import loads
from unbraid.wire.arrays import begins_array, elements
from unbraid.wire.sse import data_of

S = TypeVar("S", bound=Struct)

MISSING = Raw(b"")
BYTE_ORDER_MARK = "\ufeff".encode()
MAX_SALVAGE_TRIES = 256
WORTH_CUTTING = 1500
STDOUT_COPY, TRANSCRIPT_COPY = b',"tool_use_result":', b',"toolUseResult":'
BAD_JSON = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class Record(Struct, gc=False):
    """One line of a source. `raw` holds all of it: unknown fields survive there."""

    # In the order real lines have them: the decoder looks for the next field first.
    type: str = ""
    subtype: str | None = None
    parent_uuid: str | None = field(default=None, name="parentUuid")
    is_sidechain: bool | None = field(default=None, name="isSidechain")
    agent_id_transcript: str | None = field(default=None, name="agentId")
    message: Message | None = None
    event: ApiEvent | None = None
    parent_tool_use_id: str | None = None
    agent_id_stdout: str | None = field(default=None, name="agent_id")
    session_id: str | None = None
    uuid: str | None = None
    timestamp: str | int | float | None = None
    api_block_index: int | None = field(default=None, name="apiBlockIndex")
    is_meta: bool | None = field(default=None, name="isMeta")
    session_id_transcript: str | None = field(default=None, name="sessionId")
    session_id_opencode: str | None = field(default=None, name="sessionID")
    properties: Raw = MISSING
    payload: Raw = MISSING
    # Ours, not the wire's: the whole line, set by whoever decodes it, and how many of its blocks
    # were known and left unread. Whatever a line says of either has no effect.
    raw: bytes = field(default=b"", name="unbraid.raw")
    skipped: Annotated[int, Meta(ge=0, le=0)] = field(default=0, name="unbraid.skipped")

    @property
    def agent_id(self) -> str | None:
        """The sub-agent's id, in whichever spelling the line has it."""
        return self.agent_id_stdout or self.agent_id_transcript


def milliseconds(timestamp: str | int | float | None) -> int:
    """A line's own time as milliseconds since 1970, 0 where it has none."""
    if isinstance(timestamp, str):
        try:
            at = datetime.fromisoformat(timestamp)
            at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
            return max(round(at.timestamp() * 1000), 0)
        except (ValueError, OverflowError, OSError):
            return 0
    return int(timestamp) if timestamp is not None and 0 < timestamp < 1e15 else 0


class Damage(NamedTuple):
    """Bytes of a line that are no record, where they start in it, and why."""

    raw: bytes
    reason: str
    start: int


decode_plain = msgspec.json.Decoder(Record).decode


def decode(line: bytes) -> Record:
    """A line as a record; raises one of `BAD_JSON` if it is not one, whole."""
    if len(line) > WORTH_CUTTING:
        record = _cut_short(line)
        if record is not None:
            return record
    record = decode_plain(line)
    if record.payload is not MISSING:
        inner = bytes(record.payload)
        if inner.startswith(b"{"):
            return decode(inner)
    record.raw = line
    return record


def _cut_short(line: bytes) -> Record | None:
    """The record of a line, read up to the second copy of its tool's result.

    That copy is only wanted for spawning calls, which read it from `raw`. If the cut went wrong the
    decoding fails, or the `uuid` is missing, and the whole line is to be read.
    """
    key = STDOUT_COPY if line.startswith(b'{"type":') else TRANSCRIPT_COPY
    # The same again begins in the middle, more or less.
    middle, reach = len(line) >> 1, len(line) >> 3
    cut = line.find(key, middle - reach, middle + reach)
    if cut < 0:
        cut = line.find(key)
        if cut < 0:
            return None
    try:
        record = decode_plain(line[:cut] + b"}")
    except BAD_JSON:
        return None
    if record.uuid is None:
        return None
    record.raw = line
    return record


def parse_line(line: bytes | str) -> Record | None:
    """The record in a line, or None if there is none."""
    data = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    return next((item for item in read_line(data) if isinstance(item, Record)), None)


def read_line(line: bytes) -> Iterator[Record | Damage]:
    """Every record and every damaged stretch of one line; nothing for a blank one.

    A line may be an array of records: all that a run printed, told at its end.
    """
    text = data_of(line.strip(b" \t\r\n\0").removeprefix(BYTE_ORDER_MARK))
    if not text:
        return
    start = line.find(text)
    if not begins_array(text):
        yield from _read_object(text, start)
        return
    for at, element in elements(text):
        yield from _read_object(element, start + at)


def _read_object(text: bytes, start: int) -> Iterator[Record | Damage]:
    try:
        yield decode(text)
        return
    except BAD_JSON as error:
        reason = str(error)
    value = _loads(text)
    if isinstance(value, dict):
        yield from _lenient(text, value, reason, start)
        return
    if value is not None:
        yield Damage(text, "not a JSON object", start)
        return
    found = _salvage(text)
    if found is None:
        yield Damage(text, reason, start)
        return
    cut, record = found
    yield Damage(text[:cut], "cut off, the next record follows on the same line", start)
    yield record


def read_as(shape: type[S], raw: bytes) -> S:
    """Bytes as a shape, with defaults where their types are wrong."""
    try:
        return msgspec.json.decode(raw, type=shape)
    except BAD_JSON:
        value = _loads(raw)
        return coerce(shape, value)[0] if isinstance(value, dict) else shape()


def sound(raw: bytes) -> Raw:
    """A line to be passed on as it came; what the fast way skipped unread may be no JSON at all."""
    try:
        msgspec.json.decode(raw)
        return Raw(raw)
    except BAD_JSON:
        return Raw(json.dumps(_loads(raw)).encode())


def coerce(shape: type[S], value: dict[str, Any]) -> tuple[S, bool]:
    """A JSON object as a shape, field by field; also whether anything had to be left out."""
    kept: dict[str, Any] = {}
    whole = True
    for info in msgspec.structs.fields(shape):
        if info.encode_name not in value:
            continue
        given = value[info.encode_name]
        try:
            kept[info.name] = msgspec.convert(given, info.type)
        except BAD_JSON:
            if info.type is Raw:
                kept[info.name] = Raw(json.dumps(given).encode())
                continue
            whole = False
            nested = _NESTED.get((shape, info.name))
            if nested is Block:
                items = given if isinstance(given, list) else [given]
                kept[info.name] = [_block(item) for item in items if item]
            elif nested is not None and isinstance(given, dict):
                kept[info.name] = coerce(nested, given)[0]
        else:
            if info.type is Raw:
                kept[info.name] = Raw(json.dumps(given).encode())
    return shape(**kept), whole


_NESTED: dict[tuple[type[Struct], str], type[Struct]] = {
    (Record, "message"): Message,
    (Record, "event"): ApiEvent,
    (ApiEvent, "message"): Message,
    (Message, "content"): Block,
}


def _block(item: Any) -> Block:
    if isinstance(item, dict):
        return coerce(Block, item)[0]
    return Block(type="text", text=item if isinstance(item, str) else json.dumps(item))


def _loads(text: bytes) -> Any:
    """Any JSON, with bad UTF-8 and lone surrogates replaced and impossible numbers as text; None
    if it is none.
    """
    try:
        return loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _lenient(
    text: bytes, value: dict[str, Any], reason: str, start: int
) -> Iterator[Record | Damage]:
    record, whole = coerce(Record, value)
    raw = json.dumps(value, ensure_ascii=False).encode()
    record.raw, record.skipped = raw, 0
    yield record
    if not whole:
        yield Damage(text, reason, start)


def _salvage(text: bytes) -> tuple[int, Record] | None:
    """The whole record at the end of a line that starts with a cut-off one."""
    at = 0
    for _ in range(MAX_SALVAGE_TRIES):
        at = text.find(b'{"', at + 1)
        if at < 0:
            return None
        try:
            record = decode(text[at:])
        except BAD_JSON:
            continue
        # A block of the cut-off record has a type too; a record also says whose it is.
        if record.type and (
            record.uuid
            or record.session_id
            or record.session_id_transcript
            or record.session_id_opencode
            or record.properties is not MISSING
            or record.message is not None
        ):
            return at, record
    return None
