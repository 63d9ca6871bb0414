"""What the leases of every log must do, as one test of `LogContract`."""

from __future__ import annotations

import pytest

from unbraid.errors import LogError
from unbraid.log.leases import Leases


async def check_leases(one: Leases, two: Leases) -> None:
    """Checks what every engine's leases do, between two processes that share a log."""
    assert not one.is_held("r")
    assert await one.acquire("r")
    assert await one.acquire("r")
    assert one.is_held("r")
    assert two.is_held("r")
    assert not await two.acquire("r")
    await two.release("r")  # not its own to release
    assert not await two.acquire("r")
    await one.release("r")
    assert await two.acquire("r")
    assert await one.abandoned() == []
    await two.close(ended=False)
    assert not one.is_held("r")
    assert await one.abandoned() == ["r"]
    assert await one.acquire("r")
    assert await one.abandoned() == await two.abandoned() == []
    await one.close(ended=True)
    assert await two.abandoned() == []
    starting = one.acquire_unnamed()
    assert starting != two.acquire_unnamed()
    assert one.another_is_starting()
    assert two.another_is_starting()
    await two.close(ended=True)
    assert not one.another_is_starting()
    await one.release(starting)
    assert not two.another_is_starting()
    assert not two.is_part_of_other_run("r")
    one.mark_part_of_other_run("r")
    assert two.is_part_of_other_run("r")
    assert not two.is_part_of_other_run("../r")
    assert await two.abandoned() == []
    assert not one.is_held("../r")
    with pytest.raises(LogError):
        await one.acquire("../r")
