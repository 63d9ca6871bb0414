"""Compressed streams, for viewers that ask: every chunk is flushed, so nothing waits for the
next.
"""

from __future__ import annotations

import zlib
from importlib.util import find_spec
from typing import Protocol

# Small windows: a compressor lives as long as its viewer, and there may be thousands. Frames are so
# alike that a window of a few of them does nearly all there is to do: 18 kB a viewer with gzip, 33
# with zstd, for a quarter of the size.
_GZIP_BITS = 16 + 11
_GZIP_MEMORY = 3
_ZSTD_WINDOW_LOG = 10
_ZSTD_TABLE_LOG = 8


class Encoder(Protocol):
    """Compresses one stream."""

    def chunk(self, data: bytes) -> bytes:
        """Returns some more data, compressed, to be sent now."""
        ...

    def end(self, data: bytes) -> bytes:
        """Returns the last bytes."""
        ...


class Gzip:
    """gzip."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(1, zlib.DEFLATED, _GZIP_BITS, _GZIP_MEMORY)

    def chunk(self, data: bytes) -> bytes:
        """Returns some more data, compressed."""
        return self._stream.compress(data) + self._stream.flush(zlib.Z_SYNC_FLUSH)

    def end(self, data: bytes) -> bytes:
        """Returns the last bytes."""
        return self._stream.compress(data) + self._stream.flush()


class Zstd:
    """Zstandard; needs the `zstandard` package."""

    def __init__(self) -> None:
        import zstandard

        parameters = zstandard.ZstdCompressionParameters(
            window_log=_ZSTD_WINDOW_LOG,
            hash_log=_ZSTD_TABLE_LOG,
            chain_log=_ZSTD_TABLE_LOG,
            search_log=1,
            min_match=6,
            strategy=zstandard.STRATEGY_FAST,
        )
        self._stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
        self._flush_block = zstandard.COMPRESSOBJ_FLUSH_BLOCK

    def chunk(self, data: bytes) -> bytes:
        """Returns some more data, compressed."""
        return self._stream.compress(data) + self._stream.flush(self._flush_block)

    def end(self, data: bytes) -> bytes:
        """Returns the last bytes."""
        return self._stream.compress(data) + self._stream.flush()


def encoding_for(accept: str) -> str | None:
    """Returns the encoding to use for an Accept-Encoding header: the best wanted of those there
    are.
    """
    wanted: dict[str, float] = {}
    for part in accept.lower().split(","):
        name, _, parameters = part.partition(";")
        quality = parameters.replace(" ", "").removeprefix("q=") or "1"
        try:
            wanted[name.strip()] = float(quality)
        except ValueError:
            wanted[name.strip()] = 0.0
    # Wanted alike, the smaller one comes first.
    have = ["gzip"] if find_spec("zstandard") is None else ["gzip", "zstd"]
    best = max(have, key=lambda name: wanted.get(name, 0.0))
    return best if wanted.get(best, 0.0) > 0 else None


def encoder_for(encoding: str) -> Encoder:
    """Returns a new stream of an encoding."""
    return Zstd() if encoding == "zstd" else Gzip()
