"""Decoders of structs, made by one thread at a time.

While msgspec works out the types of a struct, Python code runs. Another thread that meets the same
struct then uses types that are not there yet, and the whole process is ended by that. Decoders that
a module makes while it is imported are safe, unless their structs are in others that are made here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce
from operator import or_
from threading import Lock
from typing import Any, TypeVar

import msgspec

from unbraid.events.fleet import FLEET_EVENTS, Draft, FleetEvent, FleetUnrecognized, Gap
from unbraid.events.parts import WithContent, WithInput, valid_utf8
from unbraid.events.relay import RELAY_EVENTS, RelayEvent, Unrecognized

# Decoders of structs, made by one thread at a time.
#
# While msgspec works out the types of a struct, Python code runs. Another thread that meets the
# same struct then uses types that are not there yet, and the whole process is ended by that.
# Decoders that a module makes while it is imported are safe, unless their structs are in others
# that are made here.

T = TypeVar("T")

_ONE_AT_A_TIME = Lock()


def json_decoder(shape: type[T]) -> msgspec.json.Decoder[T]:
    """Returns what reads JSON as a shape."""
    wanted: Any = shape
    made: msgspec.json.Decoder[T] = _made(msgspec.json.Decoder, wanted)
    return made


def msgpack_decoder(shape: type[T]) -> msgspec.msgpack.Decoder[T]:
    """Returns what reads MessagePack as a shape."""
    wanted: Any = shape
    made: msgspec.msgpack.Decoder[T] = _made(msgspec.msgpack.Decoder, wanted)
    return made


@cache
def _made(decoder: Callable[[Any], Any], shape: Any) -> Any:
    with _ONE_AT_A_TIME:
        return decoder(shape)


# Events as lines of JSON, and back.

# Events that carry bytes of the source as they came.
_CARRIERS = (WithInput, WithContent, Unrecognized, FleetUnrecognized)
PASSING_THROUGH = frozenset(
    kind for kind in (*FLEET_EVENTS, *RELAY_EVENTS) if issubclass(kind, _CARRIERS)
)

_LINE_ENDS = bytes.maketrans(b"\r\n", b"  ")
_encoder = msgspec.json.Encoder()


def decode_event(data: bytes) -> FleetEvent:
    """Returns one entry of a log, from its line of JSON."""
    return _decoder().decode(data)


@cache
def _decoder() -> msgspec.json.Decoder[FleetEvent]:
    # Made when it is needed: making it takes longer than the rest of this module.
    union: Any = reduce(or_, FLEET_EVENTS)
    return json_decoder(union)


def encode(event: RelayEvent | FleetEvent | Gap | Draft) -> bytes:
    """Returns one event as one line of JSON, without the newline.

    Raw parts are the agent's own bytes, and JSON allows CR and LF between tokens. Either would end
    an NDJSON line or an SSE field, so an agent could forge frames; inside valid JSON they are only
    ever whitespace.
    """
    data = _encoder.encode(event)
    # What we have encoded ourselves has neither these nor bytes that are no UTF-8.
    if type(event) in PASSING_THROUGH:
        data = valid_utf8(data)
        if b"\n" in data or b"\r" in data:
            return data.translate(_LINE_ENDS)
    return data
