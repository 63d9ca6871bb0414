"""Stored bytes are compressed where that pays, and only there."""

from __future__ import annotations

import random
import zlib

from hypothesis import given
from hypothesis import strategies as st

from unbraid.log.sqlite.appender import compressed


@given(st.binary(max_size=2000) | st.binary(max_size=9).map(lambda part: part * 200))
def test_what_is_compressed_is_smaller_and_the_same(data: bytes) -> None:
    small = compressed(data, min_bytes=100)
    if small is not None:
        assert 100 <= len(data) > len(small)
        assert zlib.decompress(small) == data


def test_little_and_noise_stay_as_they_are() -> None:
    assert compressed(b"a" * 99, min_bytes=100) is None
    assert compressed(b"a" * 100, min_bytes=100) is not None
    assert compressed(random.Random(1).randbytes(5000), min_bytes=100) is None
