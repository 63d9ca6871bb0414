"""What the events of both vocabularies are made of."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

EMPTY_OBJECT = Raw(b"{}")
EMPTY_STRING = Raw(b'""')


class Typed(Struct, tag_field="type"):
    """What has a name."""

    @property
    def type(self) -> str:
        """The event's name on the wire."""
        name: str = self.__struct_config__.tag  # type: ignore[assignment]
        return name


def valid_utf8(data: bytes) -> bytes:
    """JSON whose encoding is sound: bytes that were passed through unread may not be UTF-8."""
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            return data.decode("utf-8", "replace").encode()
    return data


class WithInput:
    """A tool call's input stays the bytes the agent printed until someone asks for it."""

    __slots__ = ()
    input_json: Raw

    @property
    def input(self) -> Any:
        """The call's arguments, decoded."""
        return msgspec.json.decode(valid_utf8(bytes(self.input_json)))


class WithContent:
    """A tool's result stays JSON until someone asks for it: most are large, few are looked at."""

    __slots__ = ()
    content_json: Raw

    @property
    def content(self) -> str:
        """The result's text."""
        return msgspec.json.decode(valid_utf8(bytes(self.content_json)), type=str)
