"""What the events of both vocabularies are made of."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import msgspec
from msgspec import Raw, Struct

EMPTY_OBJECT = Raw(b"{}")
EMPTY_STRING = Raw(b'""')


class Typed(Struct, tag_field="type"):
    """A struct with an event's name as its tag."""

    @property
    def type(self) -> str:
        """The event's name on the wire."""
        name: str = self.__struct_config__.tag  # type: ignore[assignment]
        return name


def valid_utf8(data: bytes) -> bytes:
    """Returns JSON as valid UTF-8: bytes that were passed through unread may not be."""
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            return data.decode("utf-8", "replace").encode()
    return data


def _integer(digits: str) -> int | str:
    try:
        return int(digits)
    except ValueError:  # more digits than Python reads
        return digits


def _real(digits: str) -> float | str:
    value = float(digits)
    return value if math.isfinite(value) else digits


_loads = json.JSONDecoder(parse_int=_integer, parse_float=_real, parse_constant=str).decode


def loads(text: str) -> Any:
    """Returns any JSON, and what passes for it, as values that can be sent. Raises ValueError or
    RecursionError.

    What fits no number (1e999, ten thousand digits), and what only some take for one (NaN), stays
    the text that it was. Lone surrogates are replaced.
    """
    value = json.dumps(_loads(text), ensure_ascii=False)
    return json.loads(value.encode("utf-8", "replace"))


def decoded(data: bytes) -> Any:
    """Returns an agent's JSON as Python has it; as text, where it is nested deeper than we can
    follow.
    """
    data = valid_utf8(data)
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        text = data.decode()
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return text


_ESCAPES = (("\\n", "\n"), ('\\"', '"'), ("\\t", "\t"), ("\\r", "\r"), ("\\/", "/"))
_CODES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")


def call_text(tool: str, input_json: bytes) -> str:
    """Returns a call as it is searched: the tool and its input, in which what JSON escapes stands
    for itself. In `one\\ntwo` the second word is not "ntwo".
    """
    given = input_json.decode("utf-8", "replace")
    # Two backslashes are one: what is between such pairs has no others than those of escapes.
    return f"{tool} " + "\\".join(map(_unescaped, given.split("\\\\")))


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    for escape, char in _ESCAPES:
        text = text.replace(escape, char)
    return _CODES.sub(_decoded_codes, text) if "\\u" in text else text


def _decoded_codes(codes: re.Match[str]) -> str:
    # Some characters consist of two codes, and one of these alone is not a character.
    return str(json.loads(f'"{codes[0]}"')).encode("utf-8", "replace").decode()


def turn_reason(subtype: str, *, ok: bool) -> str:
    """Returns how a turn has ended where nobody says it: neither a kind that leaves it out, nor a
    log that was written before events said it.
    """
    if ok:
        return "completed"
    return "interrupted" if subtype == "interrupted" else "failed"


class WithInput:
    """A tool call's input stays the bytes the agent printed until someone asks for it."""

    __slots__ = ()
    input_json: Raw

    @property
    def input(self) -> Any:
        """The call's arguments, decoded."""
        return decoded(bytes(self.input_json))


class WithContent:
    """A tool's result stays JSON until someone asks for it: most are large, few are looked at."""

    __slots__ = ()
    content_json: Raw

    @property
    def content(self) -> str:
        """The result's text."""
        return msgspec.json.decode(valid_utf8(bytes(self.content_json)), type=str)
