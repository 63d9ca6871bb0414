"""Compressed streams, for viewers that ask: every chunk is flushed, so nothing waits for the
next.
"""

from __future__ import annotations

import zlib
from importlib.util import find_spec
from typing import Protocol

# Small windows: a compressor lives as long as its viewer, and there may be thousands.
_GZIP_BITS = 16 + 13
_GZIP_MEMORY = 5
_ZSTD_WINDOW_LOG = 15


class Encoder(Protocol):
    """Compresses one stream."""

    def chunk(self, data: bytes) -> bytes:
        """Some more of it, to be sent now."""
        ...

    def end(self, data: bytes) -> bytes:
        """The last of it."""
        ...


class Gzip:
    """gzip."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(1, zlib.DEFLATED, _GZIP_BITS, _GZIP_MEMORY)

    def chunk(self, data: bytes) -> bytes:
        """Some more."""
        return self._stream.compress(data) + self._stream.flush(zlib.Z_SYNC_FLUSH)

    def end(self, data: bytes) -> bytes:
        """The last."""
        return self._stream.compress(data) + self._stream.flush()


class Zstd:
    """Zstandard; needs the `zstandard` package."""

    def __init__(self) -> None:
        import zstandard

        parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=_ZSTD_WINDOW_LOG)
        self._stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
        self._flush_block = zstandard.COMPRESSOBJ_FLUSH_BLOCK

    def chunk(self, data: bytes) -> bytes:
        """Some more."""
        return self._stream.compress(data) + self._stream.flush(self._flush_block)

    def end(self, data: bytes) -> bytes:
        """The last."""
        return self._stream.compress(data) + self._stream.flush()


def encoding_for(accept: str) -> str | None:
    """The encoding to use for an Accept-Encoding header: the best wanted of those there are."""
    wanted: dict[str, float] = {}
    for part in accept.lower().split(","):
        name, _, parameters = part.partition(";")
        quality = parameters.replace(" ", "").removeprefix("q=") or "1"
        try:
            wanted[name.strip()] = float(quality)
        except ValueError:
            wanted[name.strip()] = 0.0
    have = ["gzip"] if find_spec("zstandard") is None else ["zstd", "gzip"]
    best = max(have, key=lambda name: wanted.get(name, 0.0))
    return best if wanted.get(best, 0.0) > 0 else None


def encoder_for(encoding: str) -> Encoder:
    """A new stream of an encoding."""
    return Zstd() if encoding == "zstd" else Gzip()
