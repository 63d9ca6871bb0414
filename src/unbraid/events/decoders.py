"""Decoders of structs, made by one thread at a time.

While msgspec works out the types of a struct, Python code runs. Another thread that meets the same
struct then uses types that are not there yet, and the whole process is ended by that. Decoders that
a module makes while it is imported are safe, unless their structs are in others that are made here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any, TypeVar

import msgspec

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
