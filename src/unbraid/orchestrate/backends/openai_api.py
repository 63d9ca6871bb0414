"""Agents as conversations with OpenAI's API, or with whatever speaks it: Ollama, vLLM, a proxy."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from unbraid.agents.agent_spec import AgentSpec
from unbraid.errors import BackendError
from unbraid.events import RelayEvent, TextDelta, ThinkingDelta, TokenUsage, TurnComplete
from unbraid.orchestrate.backends.api_conversation import ApiConversation, SharedClient, advice_for

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NAME = "openai"
THINKING, TEXT = 0, 1
DATA = "data: "
DONE = "data: [DONE]"


class OpenAIBackend:
    """`OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL` say where and what."""

    def __init__(self, *, env: Mapping[str, str] | None = None) -> None:
        self._env = os.environ if env is None else env
        self._client = SharedClient(NAME, self._make_client)

    def _make_client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        key, base_url = self._env.get("OPENAI_API_KEY"), self._env.get("OPENAI_BASE_URL")
        if not key and not base_url:
            raise BackendError(NAME, "there is no API key", "set OPENAI_API_KEY or OPENAI_BASE_URL")
        # Servers of one's own want no key; the SDK does.
        return AsyncOpenAI(api_key=key or "none", base_url=base_url)

    @asynccontextmanager
    async def open(self, agent: AgentSpec) -> AsyncIterator[ApiConversation]:
        """Opens a fresh conversation."""
        model = agent.model or self._env.get("OPENAI_MODEL")
        if not model:
            advice = "set OPENAI_MODEL, or model in the agent's file"
            raise BackendError(NAME, "no model is named", advice)
        api = _Completions(await self._client.get(), model.removeprefix(f"{NAME}/"))
        history = [{"role": "system", "content": agent.prompt}] if agent.prompt else []
        yield ApiConversation(NAME, api, history)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()


class _Completions:
    """The chat completions API, for one model."""

    def __init__(self, client: AsyncOpenAI, model: str) -> None:
        self._client, self._model = client, model

    async def stream(self, messages: list[Any]) -> AsyncGenerator[RelayEvent, None]:
        """Yields one answer."""
        asked = self._client.chat.completions.with_streaming_response.create(
            model=self._model,
            messages=messages,
            stream=True,
            stream_options={"include_usage": True},
        )
        usage, finish_reason = None, None
        async with asked as response:
            async for line in response.iter_lines():
                if not line.startswith(DATA) or line == DONE:
                    continue
                chunk = _read(line[len(DATA) :])
                if chunk.error is not None:
                    raise BackendError(NAME, chunk.error.message, self.advice(None))
                if chunk.usage is not None:
                    usage = _usage(chunk, chunk.usage)
                for choice in chunk.choices:
                    finish_reason = choice.finish_reason or finish_reason
                    delta = choice.delta
                    # Not OpenAI's own, but what servers of open models have.
                    if delta.reasoning_content:
                        thought = delta.reasoning_content
                        yield ThinkingDelta(message_id=chunk.id, block=THINKING, delta=thought)
                    if delta.content:
                        yield TextDelta(message_id=chunk.id, block=TEXT, delta=delta.content)
        if usage is not None:
            yield usage
        if finish_reason is not None:
            yield TurnComplete(ok=finish_reason != "content_filter", subtype=finish_reason)

    def advice(self, status: int | None) -> str:
        """Returns how to go on."""
        not_found = "check the agent's model and OPENAI_BASE_URL"
        return advice_for(status, key="OPENAI_API_KEY", not_found=not_found)


# The SDK's own models check every field of every word, which costs more than all that we do with
# it. What is needed is this, and whatever is unknown is passed over.


class _Cached(Struct):
    cached_tokens: int | None = None


class _Usage(Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Cached | None = None


class _Delta(Struct):
    content: str | None = None
    reasoning_content: str | None = None


class _Choice(Struct):
    delta: _Delta = msgspec.field(default_factory=_Delta)
    finish_reason: str | None = None


class _Error(Struct):
    message: str = "it failed"


class _Chunk(Struct):
    id: str = ""
    model: str | None = None
    choices: list[_Choice] = msgspec.field(default_factory=list)
    usage: _Usage | None = None
    error: _Error | None = None


_read = msgspec.json.Decoder(_Chunk).decode


def _usage(chunk: _Chunk, counted: _Usage) -> TokenUsage:
    details = counted.prompt_tokens_details
    cached = 0 if details is None else details.cached_tokens or 0
    return TokenUsage(
        message_id=chunk.id,
        model=chunk.model,
        input_tokens=counted.prompt_tokens - cached,
        output_tokens=counted.completion_tokens,
        cache_read_tokens=cached,
    )
