"""Which encoding is used for whom."""

from __future__ import annotations

import pytest

from unbraid.serve.stream import encoding_for


@pytest.mark.parametrize(
    ("accept", "encoding"),
    [
        ("", None),
        ("identity", None),
        ("gzip", "gzip"),
        ("zstd", "zstd"),
        ("gzip, deflate, br, zstd", "gzip"),
        ("gzip;q=0.5, zstd", "zstd"),
        ("gzip;q=0", None),
        ("gzip;q=odd", None),
        ("GZIP ; q=1.0", "gzip"),
        ("br", None),
        (",;,;;q=", None),
    ],
)
def test_encoding_for(accept: str, encoding: str | None) -> None:
    assert encoding_for(accept) == encoding
