"""What counts as a leak in the other tests: every bit of a key, but no random id."""

from __future__ import annotations

import pytest

from tests.redact.secret import BITS, KEY, SEEN, bits_in

BIT = BITS[0].decode()
ID = f"ses_0123456789ab{BIT}0123456789"


@pytest.mark.parametrize(
    "shown", [KEY, f'"{BIT}"', f"{ID}{BIT}", f"ses_{BIT}", f"{ID} {BIT}", f"x{BIT}{ID}"]
)
def test_a_bit_is_seen(shown: str) -> None:
    assert BITS[0] in bits_in(shown)


@pytest.mark.parametrize(
    "shown", [SEEN, ID, f'"id":"{ID}"', f"text{ID}text", f"{BIT[:2]}.{ID}.{BIT[2:]}"]
)
def test_an_id_is_no_leak(shown: str) -> None:
    assert bits_in(shown) == []
    assert bits_in(shown.encode()) == []
