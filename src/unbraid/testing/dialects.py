"""A scripted model's answers in the dialects of three APIs: Anthropic's messages, OpenAI's chat
completions, and OpenAI's Responses.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from .script import Json, Turn


def encode(value: Json) -> bytes:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def output_tokens(turn: Turn, blocks: list[Json]) -> int:
    """Returns the tokens that an answer is said to have."""
    if turn.usage.output_tokens is not None:
        return turn.usage.output_tokens
    return sum(len(block.get("text") or _arguments(block)) // 4 + 1 for block in blocks)


class Answer(ABC):
    """One answer of the model: whole, or as server-sent events."""

    def __init__(self, turn: Turn, *, message_id: str, blocks: list[Json], model: str) -> None:
        self.turn, self.message_id, self.blocks, self.model = turn, message_id, blocks, model

    @abstractmethod
    def whole(self) -> Json:
        """Returns the answer to a request that does not stream."""

    @abstractmethod
    def chunks(self) -> Iterator[bytes]:
        """Yields the answer as server-sent events, one a chunk."""

    @staticmethod
    @abstractmethod
    def error(kind: str, message: str) -> Json:
        """Returns an error's body."""

    @staticmethod
    @abstractmethod
    def error_chunk(kind: str, message: str) -> bytes:
        """Returns an error in the middle of a stream."""

    @property
    def calls(self) -> list[Json]:
        """The tool calls among the answer's blocks."""
        return [block for block in self.blocks if block["type"] == "tool_use"]

    @property
    def output_tokens(self) -> int:
        """The tokens that the answer is said to have."""
        return output_tokens(self.turn, self.blocks)

    @property
    def prompt_tokens(self) -> int:
        """All tokens that the request is said to have had."""
        usage = self.turn.usage
        return usage.input_tokens + usage.cache_read_tokens + usage.cache_creation_tokens

    def pieces(self, text: str) -> Iterator[str]:
        """Yields a text in the pieces in which it is streamed."""
        size = max(self.turn.chunk_chars, 1)
        return (text[start : start + size] for start in range(0, len(text), size))


class AnthropicAnswer(Answer):
    """`POST /v1/messages`."""

    def _usage(self, tokens: int) -> Json:
        usage = self.turn.usage
        return {
            "input_tokens": usage.input_tokens,
            "cache_creation_input_tokens": usage.cache_creation_tokens,
            "cache_read_input_tokens": usage.cache_read_tokens,
            "output_tokens": tokens,
        }

    def _message(self, content: list[Json], stop_reason: str | None, tokens: int) -> Json:
        return {
            "id": self.message_id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": self._usage(tokens),
        }

    @property
    def _stop_reason(self) -> str:
        return "tool_use" if self.calls else "end_turn"

    def whole(self) -> Json:
        content = [_anthropic_block(block, empty=False) for block in self.blocks]
        return self._message(content, self._stop_reason, self.output_tokens)

    def chunks(self) -> Iterator[bytes]:
        yield _event({"type": "message_start", "message": self._message([], None, 1)})
        for index, block in enumerate(self.blocks):
            start = _anthropic_block(block, empty=True)
            yield _event({"type": "content_block_start", "index": index, "content_block": start})
            for delta in self._deltas(block):
                yield _event({"type": "content_block_delta", "index": index, "delta": delta})
            yield _event({"type": "content_block_stop", "index": index})
        delta = {"stop_reason": self._stop_reason, "stop_sequence": None}
        usage = self._usage(self.output_tokens)
        yield _event({"type": "message_delta", "delta": delta, "usage": usage})
        yield _event({"type": "message_stop"})

    def _deltas(self, block: Json) -> Iterator[Json]:
        kind, key, text = {
            "text": ("text_delta", "text", block.get("text")),
            "thinking": ("thinking_delta", "thinking", block.get("text")),
        }.get(block["type"], ("input_json_delta", "partial_json", None))
        for piece in self.pieces(_arguments(block) if text is None else text):
            yield {"type": kind, key: piece}
        if block["type"] == "thinking":
            yield {"type": "signature_delta", "signature": "c2ln"}

    @staticmethod
    def error(kind: str, message: str) -> Json:
        return {"type": "error", "error": {"type": kind, "message": message}}

    @staticmethod
    def error_chunk(kind: str, message: str) -> bytes:
        return _event(AnthropicAnswer.error(kind, message))


class CompletionsAnswer(Answer):
    """`POST /v1/chat/completions`."""

    def _completion(self, kind: str, choices: list[Json], **more: Json) -> Json:
        head = {"id": self.message_id, "object": kind, "created": 0, "model": self.model}
        return {**head, "choices": choices, **more}

    def _usage(self) -> Json:
        prompt, output = self.prompt_tokens, self.output_tokens
        return {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
            "prompt_tokens_details": {"cached_tokens": self.turn.usage.cache_read_tokens},
        }

    @property
    def _finish_reason(self) -> str:
        return "tool_calls" if self.calls else "stop"

    def _joined(self, kind: str) -> str:
        return "".join(block["text"] for block in self.blocks if block["type"] == kind)

    def whole(self) -> Json:
        message: Json = {"role": "assistant", "content": self._joined("text") or None}
        if thinking := self._joined("thinking"):
            message["reasoning_content"] = thinking
        if calls := [_completions_call(block, _arguments(block)) for block in self.calls]:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": self._finish_reason}
        return self._completion("chat.completion", [choice], usage=self._usage())

    def _chunk(self, delta: Json, finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return _data(self._completion("chat.completion.chunk", [choice]))

    def chunks(self) -> Iterator[bytes]:
        yield self._chunk({"role": "assistant", "content": ""})
        number = 0
        for block in self.blocks:
            if block["type"] == "tool_use":
                call = {**_completions_call(block, ""), "index": number}
                yield self._chunk({"tool_calls": [call]})
                for piece in self.pieces(_arguments(block)):
                    part = {"index": number, "function": {"arguments": piece}}
                    yield self._chunk({"tool_calls": [part]})
                number += 1
            else:
                key = "content" if block["type"] == "text" else "reasoning_content"
                for piece in self.pieces(block["text"]):
                    yield self._chunk({key: piece})
        yield self._chunk({}, self._finish_reason)
        yield _data(self._completion("chat.completion.chunk", [], usage=self._usage()))
        yield b"data: [DONE]\n\n"

    @staticmethod
    def error(kind: str, message: str) -> Json:
        return {"error": {"type": kind, "message": message}}

    @staticmethod
    def error_chunk(kind: str, message: str) -> bytes:
        return _data(CompletionsAnswer.error(kind, message))


class ResponsesAnswer(Answer):
    """`POST /v1/responses`."""

    def whole(self) -> Json:
        items = [self._item(number, block) for number, block in enumerate(self.blocks)]
        return {**self._response("completed"), "output": items}

    def chunks(self) -> Iterator[bytes]:
        created = self._response("in_progress")
        yield _event({"type": "response.created", "response": created})
        for number, block in enumerate(self.blocks):
            item = self._item(number, block)
            begun = {**item, **_EMPTY[item["type"]]}
            yield _event(
                {"type": "response.output_item.added", "output_index": number, "item": begun}
            )
            place = {"item_id": item["id"], "output_index": number}
            if block["type"] == "text":
                place |= {"type": "response.output_text.delta", "content_index": 0}
            elif block["type"] == "thinking":
                place |= {"type": "response.reasoning_summary_text.delta", "summary_index": 0}
                added = {"type": "response.reasoning_summary_part.added"}
                yield _event({**place, **added, "part": {"type": "summary_text", "text": ""}})
            for piece in self.pieces(block.get("text", "")):
                yield _event({**place, "delta": piece})
            yield _event(
                {"type": "response.output_item.done", "output_index": number, "item": item}
            )
        yield _event({"type": "response.completed", "response": self._response("completed")})

    def _response(self, status: str) -> Json:
        prompt, output = self.prompt_tokens, self.output_tokens
        return {
            "id": self.message_id,
            "object": "response",
            "model": self.model,
            "status": status,
            "output": [],
            "usage": {
                "input_tokens": prompt,
                "input_tokens_details": {"cached_tokens": self.turn.usage.cache_read_tokens},
                "output_tokens": output,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": prompt + output,
            },
        }

    def _item(self, number: int, block: Json) -> Json:
        item_id = f"{self.message_id}_{number}"
        if block["type"] == "text":
            content = [{"type": "output_text", "text": block["text"], "annotations": []}]
            head = {"id": item_id, "type": "message", "status": "completed"}
            return {**head, "role": "assistant", "content": content}
        if block["type"] == "thinking":
            summary = [{"type": "summary_text", "text": block["text"]}]
            head = {"id": item_id, "type": "reasoning", "encrypted_content": "c2NyaXB0ZWQ="}
            return {**head, "summary": summary}
        call = {
            "id": item_id,
            "type": "function_call",
            "status": "completed",
            "name": block["name"],
            "arguments": _arguments(block),
            "call_id": block["id"],
        }
        return call | ({"namespace": block["namespace"]} if block.get("namespace") else {})

    @staticmethod
    def error(kind: str, message: str) -> Json:
        return {"error": {"type": kind, "message": message, "param": None, "code": None}}

    @staticmethod
    def error_chunk(kind: str, message: str) -> bytes:
        failed = {"status": "failed", "error": {"code": kind, "message": message}}
        return _event({"type": "response.failed", "response": failed})


# An item as it is when it begins, in what differs.
_EMPTY: dict[str, Json] = {
    "message": {"content": [], "status": "in_progress"},
    "reasoning": {"summary": []},
    "function_call": {"arguments": "", "status": "in_progress"},
}


def _anthropic_block(block: Json, *, empty: bool) -> Json:
    match block["type"]:
        case "text":
            return {"type": "text", "text": "" if empty else block["text"]}
        case "thinking":
            said = {"thinking": "" if empty else block["text"]}
            return {"type": "thinking", **said, "signature": "" if empty else "c2ln"}
        case _:
            given = {} if empty else block["input"]
            return {"type": "tool_use", "id": block["id"], "name": block["name"], "input": given}


def _completions_call(block: Json, arguments: str) -> Json:
    function = {"name": block["name"], "arguments": arguments}
    return {"id": block["id"], "type": "function", "function": function}


def _arguments(block: Json) -> str:
    """Returns a call's input as the model writes it."""
    return json.dumps(block["input"], ensure_ascii=False)


def _data(data: Any) -> bytes:
    return b"data: " + encode(data) + b"\n\n"


def _event(data: Json) -> bytes:
    return f"event: {data['type']}\n".encode() + _data(data)
