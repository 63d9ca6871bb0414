"""One append as a journal keeps it: its wire form, pure.

Version 1 is MessagePack, behind one byte that says whether the rest is compressed. A record of a
newer version stops its readers, because to skip it would be to lose events in silence.
"""

from __future__ import annotations

import zlib
from typing import Literal

import msgspec
from msgspec import Struct

from unbraid.log.port import LogUnusable
from unbraid.wire.chunk import Chunk

VERSION = 1
# Below this, what compression saves is less than what it costs.
COMPRESSED_BYTES = 512
_PLAIN, _ZLIB = b"\x00", b"\x01"


class JournalRecord(Struct, array_like=True, omit_defaults=True):
    """What one append adds to a run (`append`), or what is left of a run whose events (`cut`) or
    all of it (`forget`) were taken away.

    `events` are JSON, one line each. `summary` is that of a run that was cut.
    """

    version: int
    kind: Literal["append", "cut", "forget"]
    events: list[bytes] = []
    offsets: dict[str, int] = {}
    chunks: list[Chunk] = []
    summary: bytes = b""


class _Version(Struct, array_like=True):
    version: int


_decoder = msgspec.msgpack.Decoder(JournalRecord)
_version = msgspec.msgpack.Decoder(_Version)
_encoder = msgspec.msgpack.Encoder()


def encoded(record: JournalRecord) -> bytes:
    """Returns a record's bytes."""
    data = _encoder.encode(record)
    if len(data) >= COMPRESSED_BYTES:
        # The fastest level: records repeat their keys and ids, which it finds as well.
        small = zlib.compress(data, 1)
        if len(small) < len(data):
            return _ZLIB + small
    return _PLAIN + data


def decoded(data: bytes, place: str) -> JournalRecord:
    """Returns the record that the bytes hold. Raises LogUnusable if only a newer unbraid can read
    it, or nobody.
    """
    try:
        body = zlib.decompress(data[1:]) if data[:1] == _ZLIB else data[1:]
        version = _version.decode(body).version
        if version > VERSION or data[:1] not in (_PLAIN, _ZLIB):
            problem = "has records of a newer unbraid: upgrade this one"
            raise LogUnusable(place, "newer", problem)
        return _decoder.decode(body)
    except (msgspec.MsgspecError, zlib.error) as error:
        raise LogUnusable(place, "corrupt", f"has an invalid record ({error})") from error
