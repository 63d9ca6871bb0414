"""Agents as conversations with Anthropic's API, or with whatever speaks it."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from unbraid.errors import BackendError
from unbraid.events import RelayEvent, TextDelta, ThinkingDelta, TokenUsage, TurnComplete
from unbraid.orchestrate.agents import Agent
from unbraid.orchestrate.backends.remembered import Remembered, imported

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

NAME = "anthropic"
MAX_TOKENS = 8192
DEFAULT_MODEL = "sonnet"


class AnthropicBackend:
    """`ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` and `ANTHROPIC_MODEL` say where and what."""

    def __init__(self, *, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> None:
        self._env = os.environ if env is None else env

    @cached_property
    def _client(self) -> AsyncAnthropic:
        try:
            from anthropic import AsyncAnthropic
        except ImportError:
            advice = "install it with: pip install 'unbraid[anthropic]'"
            raise BackendError(NAME, "its SDK is not installed", advice) from None
        key, token = self._env.get("ANTHROPIC_API_KEY"), self._env.get("ANTHROPIC_AUTH_TOKEN")
        if not key and not token:
            raise BackendError(NAME, "there is no API key", "set ANTHROPIC_API_KEY")
        # One client for all conversations: they share connections, and nothing else.
        return AsyncAnthropic(
            api_key=key, auth_token=token, base_url=self._env.get("ANTHROPIC_BASE_URL")
        )

    @asynccontextmanager
    async def open(self, agent: Agent) -> AsyncIterator[AnthropicConversation]:
        """A fresh conversation."""
        await imported(NAME)
        model = agent.model or self._env.get("ANTHROPIC_MODEL") or DEFAULT_MODEL
        yield AnthropicConversation(self._client, full_name(model), agent.prompt)

    async def close(self) -> None:
        """Let the connections go."""
        if "_client" in self.__dict__:
            await self._client.close()


class AnthropicConversation(Remembered):
    """One conversation."""

    def __init__(self, client: AsyncAnthropic, model: str, system: str) -> None:
        super().__init__(NAME, [])
        self._client, self._model = client, model
        cached: Any = {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}
        self._system: list[Any] = [cached] if system else []

    async def stream(self, messages: list[Any]) -> AsyncGenerator[RelayEvent, None]:
        """One answer."""
        stream = await self._client.messages.create(
            model=self._model,
            max_tokens=MAX_TOKENS,
            system=self._system,
            messages=messages,
            stream=True,
        )
        usage, stop_reason, message_id = TokenUsage(), None, ""
        async with stream:
            async for event in stream:
                if event.type == "content_block_delta":
                    delta = event.delta
                    if delta.type == "text_delta":
                        yield TextDelta(message_id=message_id, block=event.index, delta=delta.text)
                    elif delta.type == "thinking_delta":
                        yield ThinkingDelta(
                            message_id=message_id, block=event.index, delta=delta.thinking
                        )
                elif event.type == "message_start":
                    message_id = event.message.id
                    usage = _usage(message_id, event.message.model, event.message.usage)
                elif event.type == "message_delta":
                    usage.output_tokens = event.usage.output_tokens
                    stop_reason = event.delta.stop_reason
        if stop_reason is not None:
            yield usage
            yield TurnComplete(ok=stop_reason != "refusal", subtype=stop_reason)

    def advice(self, status: int | None) -> str:
        """How to go on."""
        match status:
            case 401 | 403:
                return "check ANTHROPIC_API_KEY"
            case 404:
                return "check the agent's model"
            case 400 | 413:
                return "ask for less"
            case _:
                return "ask again later"


def full_name(model: str) -> str:
    """What Claude Code's agent files call `opus` is the latest that the SDK knows."""
    from anthropic.types import Model

    known = (name for part in get_args(Model) for name in get_args(part))
    return next((name for name in known if f"-{model}-" in name), model.removeprefix(f"{NAME}/"))


def _usage(message_id: str, model: str, told: Any) -> TokenUsage:
    return TokenUsage(
        message_id=message_id,
        model=model,
        input_tokens=told.input_tokens,
        output_tokens=told.output_tokens,
        cache_read_tokens=told.cache_read_input_tokens or 0,
        cache_creation_tokens=told.cache_creation_input_tokens or 0,
    )
