"""A turn that does not come to an end is given up, with a reason."""

from __future__ import annotations

import asyncio

import pytest

from unbraid.agents.turn_limit import TurnLimit, interrupted_turn_timeout
from unbraid.errors import BackendError
from unbraid.events import TextDelta


def test_a_turn_that_says_too_much_is_given_up() -> None:
    limit = TurnLimit("toy", max_chars=5)
    said = TextDelta(context="", ts=1, message_id="m", block=0, delta="abc")
    limit.count(said)
    with pytest.raises(BackendError, match="toy: has said more than 5 characters in one turn"):
        limit.count(said)


async def test_an_interrupted_turn_that_goes_on_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with interrupted_turn_timeout("toy"):
        await asyncio.sleep(0)
    monkeypatch.setattr("unbraid.agents.turn_limit.AGENT_INTERRUPT_TIMEOUT_SECONDS", 0.01)
    with pytest.raises(BackendError, match=r"toy: still busy 0\.01 s after it was interrupted"):
        async with interrupted_turn_timeout("toy"):
            await asyncio.Event().wait()
