"""What every controller says to a caller who asks for what is not there."""

from __future__ import annotations

import pytest

from unbraid.agents.control_port import UnknownRequest, allows, require_agent_id
from unbraid.errors import CallerError


async def test_an_agent_is_named_by_its_stream_once_its_id_is_known() -> None:
    async def agent_of(stream_id: int) -> str | None:
        return {1: "a1"}.get(stream_id)

    assert await require_agent_id(agent_of, 1) == "a1"
    for known in (agent_of, None):
        with pytest.raises(CallerError, match="the id of stream 2 is not known yet"):
            await require_agent_id(known, 2)


def test_an_answer_is_allow_or_deny_and_nothing_else() -> None:
    assert (allows("allow"), allows("deny")) == (True, False)
    for behavior in ("", "Allow", "give_back"):
        with pytest.raises(CallerError, match="not a valid answer"):
            allows(behavior)


def test_a_request_that_does_not_wait_is_named() -> None:
    error = UnknownRequest("r1")
    assert (str(error), error.request_id) == ("no pending permission request r1", "r1")
