"""Agents as conversations with Anthropic's API, or with whatever speaks it."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, get_args

import msgspec
from msgspec import Struct

from unbraid.agents.agent_spec import AgentSpec
from unbraid.errors import BackendError
from unbraid.events import RelayEvent, TextDelta, ThinkingDelta, TokenUsage, TurnComplete
from unbraid.orchestrate.backends.api_conversation import ApiConversation, SharedClient, advice_for

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

NAME = "anthropic"
MAX_TOKENS = 8192
DATA = "data: "
DEFAULT_MODEL = "sonnet"


class AnthropicBackend:
    """`ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` and `ANTHROPIC_MODEL` say where and what."""

    def __init__(self, *, env: Mapping[str, str] | None = None) -> None:
        self._env = os.environ if env is None else env
        self._client = SharedClient(NAME, self._make_client)

    def _make_client(self) -> AsyncAnthropic:
        from anthropic import AsyncAnthropic

        key, token = self._env.get("ANTHROPIC_API_KEY"), self._env.get("ANTHROPIC_AUTH_TOKEN")
        if not key and not token:
            raise BackendError(NAME, "there is no API key", "set ANTHROPIC_API_KEY")
        return AsyncAnthropic(
            api_key=key, auth_token=token, base_url=self._env.get("ANTHROPIC_BASE_URL")
        )

    @asynccontextmanager
    async def open(self, agent: AgentSpec) -> AsyncIterator[ApiConversation]:
        """Opens a fresh conversation."""
        client = await self._client.get()
        model = agent.model or self._env.get("ANTHROPIC_MODEL") or DEFAULT_MODEL
        yield ApiConversation(NAME, _Messages(client, full_name(model), agent.prompt))

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()


class _Messages:
    """The messages API, for one model and system prompt."""

    def __init__(self, client: AsyncAnthropic, model: str, system: str) -> None:
        self._client, self._model = client, model
        cached: Any = {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}
        self._system: list[Any] = [cached] if system else []

    async def stream(self, messages: list[Any]) -> AsyncGenerator[RelayEvent, None]:
        """Yields one answer."""
        asked = self._client.messages.with_streaming_response.create(
            model=self._model,
            max_tokens=MAX_TOKENS,
            system=self._system,
            messages=messages,
            stream=True,
        )
        usage, stop_reason = TokenUsage(), None
        async with asked as response:
            async for line in response.iter_lines():
                if not line.startswith(DATA):
                    continue
                event = _read(line[len(DATA) :])
                delta = event.delta
                if event.type == "content_block_delta" and delta is not None:
                    message_id, block = usage.message_id, event.index
                    if delta.text:
                        yield TextDelta(message_id=message_id, block=block, delta=delta.text)
                    elif delta.thinking:
                        thought = delta.thinking
                        yield ThinkingDelta(message_id=message_id, block=block, delta=thought)
                elif event.message is not None:
                    usage = _usage(event.message)
                elif event.type == "message_delta" and delta is not None:
                    stop_reason = delta.stop_reason
                    usage.output_tokens = event.usage.output_tokens
                elif event.error is not None:
                    raise BackendError(NAME, event.error.message, self.advice(None))
        if stop_reason is not None:
            yield usage
            yield TurnComplete(ok=stop_reason != "refusal", subtype=stop_reason)

    def advice(self, status: int | None) -> str:
        """Returns how to go on."""
        not_found = "check the agent's model"
        return advice_for(status, key="ANTHROPIC_API_KEY", not_found=not_found)


def full_name(model: str) -> str:
    """Returns the latest model that the SDK knows by a short name, such as `opus` in
    agents' files.
    """
    from anthropic.types import Model

    known = (name for part in get_args(Model) for name in get_args(part))
    return next((name for name in known if f"-{model}-" in name), model.removeprefix(f"{NAME}/"))


# The SDK's own models check every field of every word, which costs more than all that we do with
# it. What is needed is this, and whatever is unknown is passed over.


class _Usage(Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Message(Struct):
    id: str
    model: str
    usage: _Usage


class _Delta(Struct):
    text: str = ""
    thinking: str = ""
    stop_reason: str | None = None


class _Error(Struct):
    message: str = "it failed"


class _Event(Struct):
    type: str = ""
    index: int = 0
    delta: _Delta | None = None
    message: _Message | None = None
    usage: _Usage = msgspec.field(default_factory=_Usage)
    error: _Error | None = None


_read = msgspec.json.Decoder(_Event).decode


def _usage(message: _Message) -> TokenUsage:
    used = message.usage
    return TokenUsage(
        message_id=message.id,
        model=message.model,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cache_read_tokens=used.cache_read_input_tokens or 0,
        cache_creation_tokens=used.cache_creation_input_tokens or 0,
    )
