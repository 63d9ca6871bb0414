"""What the backends of APIs share: one client, and what to do about an error."""

from __future__ import annotations

import asyncio
import sys

import pytest

from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.port import Backend
from unbraid.errors import BackendError
from unbraid.orchestrate.model_apis import (
    AnthropicBackend,
    OpenAIBackend,
    SharedClient,
    advice_for,
)


class Client:
    closed = 0

    async def close(self) -> None:
        self.closed += 1


async def test_conversations_that_begin_at_once_share_one_client() -> None:
    shared = SharedClient("json", Client)
    first, second = await asyncio.gather(shared.get(), shared.get())
    assert first is second
    await shared.close()
    assert first.closed == 1


async def test_a_client_that_was_never_needed_is_not_made_to_be_closed() -> None:
    def make() -> Client:
        raise AssertionError

    await SharedClient("json", make).close()


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("anthropic", AnthropicBackend(env={"ANTHROPIC_API_KEY": "x"})),
        ("openai", OpenAIBackend(env={"OPENAI_API_KEY": "x", "OPENAI_MODEL": "m"})),
    ],
)
async def test_without_its_sdk_it_says_what_to_install(
    name: str, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BackendError, match=rf"not installed.*unbraid\[{name}\]"):
        async with backend.open(AgentSpec("a", "", "")):
            raise AssertionError
    await backend.close()


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "check KEY"),
        (403, "check KEY"),
        (404, "check it"),
        (413, "ask for less"),
        (None, "ask again later"),
        (529, "ask again later"),
    ],
)
def test_advice_follows_the_status(status: int | None, advice: str) -> None:
    assert advice_for(status, key="KEY", not_found="check it") == advice
