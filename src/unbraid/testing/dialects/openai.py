"""An answer in the dialect of OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Iterator

from ..answer_parts import arguments, encode, output_tokens, text_chunks
from ..model_request import Json
from ..script import Turn
from ..truth import Serving


class OpenAI:
    """`POST /v1/chat/completions`."""

    def __init__(self, turn: Turn, serving: Serving, model: str) -> None:
        self.turn, self.serving, self.model = turn, serving, model

    def _completion(self, kind: str, choices: list[Json], **more: Json) -> Json:
        head = {"id": self.serving.message_id, "object": kind, "created": 0, "model": self.model}
        return {**head, "choices": choices, **more}

    def _usage(self) -> Json:
        usage, output = self.turn.usage, output_tokens(self.turn, self.serving.blocks)
        prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_creation_tokens
        return {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
            "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens},
        }

    @property
    def _finish_reason(self) -> str:
        calls = any(block["type"] == "tool_use" for block in self.serving.blocks)
        return "tool_calls" if calls else "stop"

    def _calls(self) -> list[Json]:
        return [
            {
                "id": block["id"],
                "type": "function",
                "function": {"name": block["name"], "arguments": arguments(block)},
            }
            for block in self.serving.blocks
            if block["type"] == "tool_use"
        ]

    def _joined(self, kind: str) -> str:
        return "".join(block["text"] for block in self.serving.blocks if block["type"] == kind)

    def whole(self) -> Json:
        """Returns the answer to a request that does not stream."""
        message: Json = {"role": "assistant", "content": self._joined("text") or None}
        if thinking := self._joined("thinking"):
            message["reasoning_content"] = thinking
        if calls := self._calls():
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": self._finish_reason}
        return self._completion("chat.completion", [choice], usage=self._usage())

    def _chunk(self, delta: Json, finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return b"data: " + encode(self._completion("chat.completion.chunk", [choice])) + b"\n\n"

    def chunks(self) -> Iterator[bytes]:
        """Yields the answer as server-sent events, one a chunk."""
        yield self._chunk({"role": "assistant", "content": ""})
        calls, number = self._calls(), 0
        for block in self.serving.blocks:
            if block["type"] == "tool_use":
                call = calls[number]
                function = {"name": block["name"], "arguments": ""}
                yield self._chunk({"tool_calls": [{**call, "index": number, "function": function}]})
                for chunk in text_chunks(call["function"]["arguments"], self.turn.chunk_chars):
                    part = {"index": number, "function": {"arguments": chunk}}
                    yield self._chunk({"tool_calls": [part]})
                number += 1
            else:
                key = "content" if block["type"] == "text" else "reasoning_content"
                for chunk in text_chunks(block["text"], self.turn.chunk_chars):
                    yield self._chunk({key: chunk})
        yield self._chunk({}, self._finish_reason)
        last = self._completion("chat.completion.chunk", [], usage=self._usage())
        yield b"data: " + encode(last) + b"\n\n"
        yield b"data: [DONE]\n\n"

    @staticmethod
    def error(kind: str, message: str) -> Json:
        """Returns an error's body."""
        return {"error": {"type": kind, "message": message}}

    @classmethod
    def error_chunk(cls, kind: str, message: str) -> bytes:
        """Returns an error in the middle of a stream."""
        return b"data: " + encode(cls.error(kind, message)) + b"\n\n"
