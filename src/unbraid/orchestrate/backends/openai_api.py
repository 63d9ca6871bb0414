"""Agents as conversations with OpenAI's API, or with whatever speaks it: Ollama, vLLM, a proxy."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbraid.errors import BackendError
from unbraid.events import RelayEvent, TextDelta, ThinkingDelta, TokenUsage, TurnComplete
from unbraid.orchestrate.agents import Agent
from unbraid.orchestrate.backends.remembered import Remembered, imported

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NAME = "openai"
THINKING, TEXT = 0, 1


class OpenAIBackend:
    """`OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL` say where and what."""

    def __init__(self, *, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> None:
        self._env = os.environ if env is None else env

    @cached_property
    def _client(self) -> AsyncOpenAI:
        try:
            from openai import AsyncOpenAI
        except ImportError:
            advice = "install it with: pip install 'unbraid[openai]'"
            raise BackendError(NAME, "its SDK is not installed", advice) from None
        key, base_url = self._env.get("OPENAI_API_KEY"), self._env.get("OPENAI_BASE_URL")
        if not key and not base_url:
            raise BackendError(NAME, "there is no API key", "set OPENAI_API_KEY or OPENAI_BASE_URL")
        # Servers of one's own want no key; the SDK does.
        return AsyncOpenAI(api_key=key or "none", base_url=base_url)

    @asynccontextmanager
    async def open(self, agent: Agent) -> AsyncIterator[OpenAIConversation]:
        """A fresh conversation."""
        model = agent.model or self._env.get("OPENAI_MODEL")
        if not model:
            advice = "set OPENAI_MODEL, or model in the agent's file"
            raise BackendError(NAME, "no model is named", advice)
        await imported(NAME)
        yield OpenAIConversation(self._client, model.removeprefix(f"{NAME}/"), agent.prompt)

    async def close(self) -> None:
        """Let the connections go."""
        if "_client" in self.__dict__:
            await self._client.close()


class OpenAIConversation(Remembered):
    """One conversation."""

    def __init__(self, client: AsyncOpenAI, model: str, system: str) -> None:
        super().__init__(NAME, [{"role": "system", "content": system}] if system else [])
        self._client, self._model = client, model

    async def stream(self, messages: list[Any]) -> AsyncGenerator[RelayEvent, None]:
        """One answer."""
        stream = await self._client.chat.completions.create(
            model=self._model,
            messages=messages,
            stream=True,
            stream_options={"include_usage": True},
        )
        usage, finish_reason = TokenUsage(), None
        async with stream:
            async for chunk in stream:
                message_id = chunk.id
                if chunk.usage is not None:
                    usage = _usage(message_id, chunk.model, chunk.usage)
                for choice in chunk.choices:
                    finish_reason = choice.finish_reason or finish_reason
                    delta = choice.delta
                    # Not OpenAI's own, but what servers of open models have.
                    thought = getattr(delta, "reasoning_content", None)
                    if thought:
                        yield ThinkingDelta(message_id=message_id, block=THINKING, delta=thought)
                    if delta.content:
                        yield TextDelta(message_id=message_id, block=TEXT, delta=delta.content)
        if usage.message_id:
            yield usage
        if finish_reason is not None:
            yield TurnComplete(ok=finish_reason != "content_filter", subtype=finish_reason)

    def advice(self, status: int | None) -> str:
        """How to go on."""
        match status:
            case 401 | 403:
                return "check OPENAI_API_KEY"
            case 404:
                return "check the agent's model and OPENAI_BASE_URL"
            case 400 | 413:
                return "ask for less"
            case _:
                return "ask again later"


def _usage(message_id: str, model: str, told: Any) -> TokenUsage:
    details = told.prompt_tokens_details
    cached: int = (details.cached_tokens or 0) if details is not None else 0
    return TokenUsage(
        message_id=message_id,
        model=model,
        input_tokens=told.prompt_tokens - cached,
        output_tokens=told.completion_tokens,
        cache_read_tokens=cached,
    )
