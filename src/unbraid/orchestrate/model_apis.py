"""Agents as conversations with a model's API: Anthropic's, OpenAI's, or whatever speaks one of them
(Ollama, vLLM, a proxy). The API remembers nothing: the history of a conversation is ours.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, get_args

import msgspec
from msgspec import Struct

from unbraid.agents.agent_spec import AgentSpec
from unbraid.errors import BackendError
from unbraid.events import RelayEvent, TextDelta, ThinkingDelta, TokenUsage, TurnComplete

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

DATA = "data: "

_importing = threading.Lock()


class ModelApi(Protocol):
    """One API, for one model."""

    name: str

    def stream(self, messages: list[Any]) -> AsyncGenerator[RelayEvent, None]:
        """Yields one answer to all messages so far; `turn_complete` is last."""
        ...

    def advice(self, status: int | None) -> str:
        """Returns what to do about an error with that HTTP status."""
        ...


class ApiConversation:
    """One conversation: keeps its messages, and names what went wrong."""

    def __init__(self, api: ModelApi, history: list[Any] | None = None) -> None:
        self._api = api
        self._history = [] if history is None else history

    async def say(self, message: str) -> AsyncGenerator[RelayEvent, None]:
        """Runs one turn."""
        asked = {"role": "user", "content": message}
        said: list[str] = []
        complete = False
        try:
            async with aclosing(self._api.stream([*self._history, asked])) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        said.append(event.delta)
                    elif isinstance(event, TurnComplete):
                        # Only whole turns are kept: what was cut off was never said.
                        answer = {"role": "assistant", "content": "".join(said) or "(nothing)"}
                        self._history += [asked, answer]
                        complete = True
                    yield event
        except BackendError:
            raise
        except Exception as error:
            # Whatever an SDK, or the HTTP library below it, calls its errors in this version.
            problem = str(error) or type(error).__name__
            advice = self._api.advice(getattr(error, "status_code", None))
            raise BackendError(self._api.name, problem[:500], advice) from error
        if not complete:
            raise BackendError(self._api.name, "the answer was cut off", "ask again")


def advice_for(status: int | None, *, key: str, not_found: str) -> str:
    """Returns how to go on after an error with that HTTP status; `key` is the variable of the
    API key.
    """
    match status:
        case 401 | 403:
            return f"check {key}"
        case 404:
            return not_found
        case 400 | 413:
            return "ask for less"
        case _:
            return "ask again later"


class _Closable(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=_Closable)


class SharedClient(Generic[C]):
    """The client of a backend's SDK, made when it is first needed. There is one for all
    conversations: they share connections, and nothing else.
    """

    def __init__(self, backend: str, make: Callable[[], C]) -> None:
        self._backend, self._make = backend, make
        self._client: C | None = None

    async def get(self) -> C:
        """Returns the client. Raises BackendError if the SDK is not installed."""
        if self._client is None:
            try:
                # Not here: it takes a second or two.
                await asyncio.to_thread(_import, self._backend)
            except ImportError:
                advice = f"install it with: pip install 'unbraid[{self._backend}]'"
                raise BackendError(self._backend, "its SDK is not installed", advice) from None
            # Another conversation may have made it meanwhile.
            self._client = self._client or self._make()
        return self._client

    async def close(self) -> None:
        """Closes the connections."""
        if self._client is not None:
            await self._client.close()


def _import(module: str) -> None:
    # One at a time, and nothing collected meanwhile: what is collected may import too, and Python
    # 3.11 loses count of its locks then (gh-91351).
    with _importing:
        gc.disable()
        try:
            importlib.import_module(module)
        finally:
            gc.enable()


# --- Anthropic's messages ---


class AnthropicBackend:
    """`ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` and `ANTHROPIC_MODEL` say where and what."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._client = SharedClient(AnthropicMessages.name, self._make_client)

    def _make_client(self) -> AsyncAnthropic:
        from anthropic import AsyncAnthropic

        key, token = self._env.get("ANTHROPIC_API_KEY"), self._env.get("ANTHROPIC_AUTH_TOKEN")
        if not key and not token:
            raise BackendError(
                AnthropicMessages.name, "there is no API key", "set ANTHROPIC_API_KEY"
            )
        return AsyncAnthropic(
            api_key=key, auth_token=token, base_url=self._env.get("ANTHROPIC_BASE_URL")
        )

    @asynccontextmanager
    async def open(self, agent: AgentSpec) -> AsyncIterator[ApiConversation]:
        """Opens a fresh conversation."""
        client = await self._client.get()
        model = agent.model or self._env.get("ANTHROPIC_MODEL") or "sonnet"
        yield ApiConversation(AnthropicMessages(client, full_name(model), agent.prompt))

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()


class AnthropicMessages:
    """The messages API, for one model and system prompt."""

    name = "anthropic"
    max_tokens = 8192

    def __init__(self, client: AsyncAnthropic, model: str, system: str) -> None:
        self._client, self._model = client, model
        cached: Any = {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}
        self._system: list[Any] = [cached] if system else []

    async def stream(self, messages: list[Any]) -> AsyncGenerator[RelayEvent, None]:
        """Yields one answer."""
        asked = self._client.messages.with_streaming_response.create(
            model=self._model,
            max_tokens=self.max_tokens,
            system=self._system,
            messages=messages,
            stream=True,
        )
        usage, stop_reason = TokenUsage(), None
        async with asked as response:
            async for line in response.iter_lines():
                if not line.startswith(DATA):
                    continue
                event = _read_event(line[len(DATA) :])
                delta = event.delta
                if event.type == "content_block_delta" and delta is not None:
                    message_id, block = usage.message_id, event.index
                    if delta.text:
                        yield TextDelta(message_id=message_id, block=block, delta=delta.text)
                    elif delta.thinking:
                        thought = delta.thinking
                        yield ThinkingDelta(message_id=message_id, block=block, delta=thought)
                elif event.message is not None:
                    usage = event.message.token_usage()
                elif event.type == "message_delta" and delta is not None:
                    stop_reason = delta.stop_reason
                    usage.output_tokens = event.usage.output_tokens
                elif event.error is not None:
                    raise BackendError(self.name, event.error.message, self.advice(None))
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
    return next((name for name in known if f"-{model}-" in name), model.removeprefix("anthropic/"))


# The SDKs' own models check every field of every word, which costs more than all that we do with
# it. What is needed is this, and whatever is unknown is passed over.


class _Error(Struct):
    message: str = "it failed"


class _MessageUsage(Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Message(Struct):
    id: str
    model: str
    usage: _MessageUsage

    def token_usage(self) -> TokenUsage:
        return TokenUsage(
            message_id=self.id,
            model=self.model,
            input_tokens=self.usage.input_tokens,
            output_tokens=self.usage.output_tokens,
            cache_read_tokens=self.usage.cache_read_input_tokens or 0,
            cache_creation_tokens=self.usage.cache_creation_input_tokens or 0,
        )


class _EventDelta(Struct):
    text: str = ""
    thinking: str = ""
    stop_reason: str | None = None


class _Event(Struct):
    type: str = ""
    index: int = 0
    delta: _EventDelta | None = None
    message: _Message | None = None
    usage: _MessageUsage = msgspec.field(default_factory=_MessageUsage)
    error: _Error | None = None


_read_event = msgspec.json.Decoder(_Event).decode


# --- OpenAI's chat completions ---

# They have no blocks: what is thought stands before what is said.
THINKING, TEXT = 0, 1


class OpenAIBackend:
    """`OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL` say where and what."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._client = SharedClient(OpenAICompletions.name, self._make_client)

    def _make_client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        key, base_url = self._env.get("OPENAI_API_KEY"), self._env.get("OPENAI_BASE_URL")
        if not key and not base_url:
            advice = "set OPENAI_API_KEY or OPENAI_BASE_URL"
            raise BackendError(OpenAICompletions.name, "there is no API key", advice)
        # Servers of one's own want no key; the SDK does.
        return AsyncOpenAI(api_key=key or "none", base_url=base_url)

    @asynccontextmanager
    async def open(self, agent: AgentSpec) -> AsyncIterator[ApiConversation]:
        """Opens a fresh conversation."""
        model = agent.model or self._env.get("OPENAI_MODEL")
        if not model:
            advice = "set OPENAI_MODEL, or model in the agent's file"
            raise BackendError(OpenAICompletions.name, "no model is named", advice)
        api = OpenAICompletions(await self._client.get(), model.removeprefix("openai/"))
        history = [{"role": "system", "content": agent.prompt}] if agent.prompt else []
        yield ApiConversation(api, history)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()


class OpenAICompletions:
    """The chat completions API, for one model."""

    name = "openai"

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
                if not line.startswith(DATA) or line == "data: [DONE]":
                    continue
                chunk = _read_chunk(line[len(DATA) :])
                if chunk.error is not None:
                    raise BackendError(self.name, chunk.error.message, self.advice(None))
                if chunk.usage is not None:
                    usage = chunk.usage.token_usage(chunk)
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


class _CachedTokens(Struct):
    cached_tokens: int | None = None


class _CompletionUsage(Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _CachedTokens | None = None

    def token_usage(self, chunk: _Chunk) -> TokenUsage:
        details = self.prompt_tokens_details
        cached = 0 if details is None else details.cached_tokens or 0
        return TokenUsage(
            message_id=chunk.id,
            model=chunk.model,
            input_tokens=self.prompt_tokens - cached,
            output_tokens=self.completion_tokens,
            cache_read_tokens=cached,
        )


class _ChoiceDelta(Struct):
    content: str | None = None
    reasoning_content: str | None = None


class _Choice(Struct):
    delta: _ChoiceDelta = msgspec.field(default_factory=_ChoiceDelta)
    finish_reason: str | None = None


class _Chunk(Struct):
    id: str = ""
    model: str | None = None
    choices: list[_Choice] = msgspec.field(default_factory=list)
    usage: _CompletionUsage | None = None
    error: _Error | None = None


_read_chunk = msgspec.json.Decoder(_Chunk).decode
