"""What the leases of every log must do, as one test of `LogContract`."""

from __future__ import annotations

import pytest

from unbraid.errors import LogError
from unbraid.log.leases import Leases


def check_leases(one: Leases, two: Leases) -> None:
    """Checks what every engine's leases do, between two processes that share a log."""
    assert one.acquire("r")
    assert one.acquire("r")
    assert not two.acquire("r")
    two.release("r")  # not its own to release
    assert not two.acquire("r")
    one.release("r")
    assert two.acquire("r")
    assert one.abandoned() == []
    two.close(ended=False)
    assert one.abandoned() == ["r"]
    assert one.acquire("r")
    assert one.abandoned() == two.abandoned() == []
    one.close(ended=True)
    assert two.abandoned() == []
    starting = one.acquire_unnamed()
    assert starting != two.acquire_unnamed()
    assert one.another_is_starting()
    assert two.another_is_starting()
    two.close(ended=True)
    assert not one.another_is_starting()
    one.release(starting)
    assert not two.another_is_starting()
    assert not two.is_part_of_other_run("r")
    one.mark_part_of_other_run("r")
    assert two.is_part_of_other_run("r")
    assert not two.is_part_of_other_run("../r")
    assert two.abandoned() == []
    with pytest.raises(LogError):
        one.acquire("../r")
