"""One line as a typed record: what every kind of agent shares, and lenient reading.

Reading a line has two speeds. The fast one decodes straight into a kind's own struct. When that
fails (a wrong type in a known place, broken UTF-8), the slow one keeps whatever can be kept: the
struct types themselves say what may stand where.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any, ClassVar, NamedTuple, TypeVar, get_args, get_origin

import msgspec
from msgspec import Raw, Struct, field

from unbraid.events.codec import json_decoder
from unbraid.events.parts import loads

S = TypeVar("S", bound=Struct)

MISSING = Raw(b"")
BAD_JSON = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_DROPPED = object()


class Record(Struct, gc=False):
    """One line of a source. A kind's records extend this by the fields that the kind has."""

    kind: ClassVar[str] = ""
    """The name of the agent kind whose records these are."""

    type: str = ""
    # Ours, not the wire's: the whole line, set by the decoder, in which unknown fields survive.
    # Whatever a line says of it has no effect.
    raw: bytes = field(default=b"", name="unbraid.raw")

    @property
    def is_identified(self) -> bool:
        """Whether a record, beside its type, names its owner: parts of a record do not."""
        return True


class Damage(NamedTuple):
    """Bytes of a line that are no record, where they start in it, and why."""

    raw: bytes
    reason: str
    start: int


# No clock is further off: the year 2286.
LATEST_MS = 10**13


def milliseconds(timestamp: str | int | float | None) -> int:
    """Returns a line's own time as milliseconds since 1970, 0 where it has none that can be."""
    if isinstance(timestamp, str):
        try:
            at = datetime.fromisoformat(timestamp)
            if at.tzinfo is None:
                at = at.replace(tzinfo=UTC)
            timestamp = round(at.timestamp() * 1000)
        except (ValueError, OverflowError, OSError):
            return 0
    return int(timestamp) if timestamp is not None and 0 < timestamp < LATEST_MS else 0


def any_json(text: bytes) -> Any:
    """Returns any JSON as a value, with bad UTF-8 and lone surrogates replaced and impossible
    numbers as text; None if it is not JSON.
    """
    try:
        return loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def read_as(shape: type[S], raw: bytes) -> S:
    """Returns bytes as a struct, with defaults where their types are wrong."""
    try:
        return json_decoder(shape).decode(raw)
    except BAD_JSON:
        value = any_json(raw)
        return coerce(shape, value)[0] if isinstance(value, dict) else shape()


def sound(raw: bytes) -> Raw:
    """Returns a line to be passed on as it came; what the fast way skipped unread may be no JSON at
    all.
    """
    try:
        msgspec.json.decode(raw)
        return Raw(raw)
    except BAD_JSON:
        return Raw(json.dumps(any_json(raw)).encode())


def coerce(shape: type[S], value: dict[str, Any]) -> tuple[S, bool]:
    """Returns a JSON object as a shape, field by field; also whether anything had to be
    left out.
    """
    kept: dict[str, Any] = {}
    whole = True
    for info in _fields(shape):
        if info.encode_name not in value:
            continue
        given = value[info.encode_name]
        if info.type is Raw:
            kept[info.name] = Raw(json.dumps(given).encode())
            continue
        try:
            kept[info.name] = msgspec.convert(given, info.type)
        except BAD_JSON:
            whole = False
            rescued = _rescued(info.type, given)
            if rescued is not _DROPPED:
                kept[info.name] = rescued
    return shape(**kept), whole


# Working them out compiles the annotations: a flood of damaged lines would do that for each.
_fields = cache(msgspec.structs.fields)


def _rescued(wanted: Any, given: Any) -> Any:
    """Returns what can be kept of a value of a wrong type, where structs are wanted."""
    options = (wanted,) if get_origin(wanted) is list else get_args(wanted) or (wanted,)
    for option in options:
        if get_origin(option) is list:
            (inner,) = get_args(option)
            if _is_struct(inner):
                items = given if isinstance(given, list) else [given]
                kept = [_element(inner, item) for item in items if item]
                return [item for item in kept if item is not _DROPPED]
        elif _is_struct(option) and isinstance(given, dict):
            return coerce(option, given)[0]
    return _DROPPED


def _element(shape: type[Struct], item: Any) -> Any:
    if isinstance(item, dict):
        return coerce(shape, item)[0]
    # A shape may say what anything that is no object stands for, where one of it is wanted.
    of_bare = getattr(shape, "of_bare", None)
    return of_bare(item) if of_bare is not None else _DROPPED


def _is_struct(option: Any) -> bool:
    return isinstance(option, type) and issubclass(option, Struct)
