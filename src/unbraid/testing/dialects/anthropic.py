"""An answer in the dialect of Anthropic's messages."""

from __future__ import annotations

from collections.abc import Iterator

from ..answer_parts import arguments, encode, output_tokens, text_chunks
from ..model_request import Json
from ..script import Turn
from ..truth import Serving


class Anthropic:
    """`POST /v1/messages`."""

    def __init__(self, turn: Turn, serving: Serving, model: str) -> None:
        self.turn, self.serving, self.model = turn, serving, model

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
            "id": self.serving.message_id,
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
        calls = any(block["type"] == "tool_use" for block in self.serving.blocks)
        return "tool_use" if calls else "end_turn"

    def whole(self) -> Json:
        """Returns the answer to a request that does not stream."""
        content = [_anthropic_block(block, empty=False) for block in self.serving.blocks]
        tokens = output_tokens(self.turn, self.serving.blocks)
        return self._message(content, self._stop_reason, tokens)

    def chunks(self) -> Iterator[bytes]:
        """Yields the answer as server-sent events, one a chunk."""
        yield _event({"type": "message_start", "message": self._message([], None, 1)})
        for index, block in enumerate(self.serving.blocks):
            start = _anthropic_block(block, empty=True)
            yield _event({"type": "content_block_start", "index": index, "content_block": start})
            for delta in _anthropic_deltas(block, self.turn.chunk_chars):
                yield _event({"type": "content_block_delta", "index": index, "delta": delta})
            yield _event({"type": "content_block_stop", "index": index})
        tokens = output_tokens(self.turn, self.serving.blocks)
        delta = {"stop_reason": self._stop_reason, "stop_sequence": None}
        yield _event({"type": "message_delta", "delta": delta, "usage": self._usage(tokens)})
        yield _event({"type": "message_stop"})

    @staticmethod
    def error(kind: str, message: str) -> Json:
        """Returns an error's body."""
        return {"type": "error", "error": {"type": kind, "message": message}}

    @classmethod
    def error_chunk(cls, kind: str, message: str) -> bytes:
        """Returns an error in the middle of a stream."""
        return _event(cls.error(kind, message))


def _event(data: Json) -> bytes:
    kind: str = data["type"]
    return f"event: {kind}\ndata: ".encode() + encode(data) + b"\n\n"


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


def _anthropic_deltas(block: Json, size: int) -> Iterator[Json]:
    match block["type"]:
        case "text":
            for chunk in text_chunks(block["text"], size):
                yield {"type": "text_delta", "text": chunk}
        case "thinking":
            for chunk in text_chunks(block["text"], size):
                yield {"type": "thinking_delta", "thinking": chunk}
            yield {"type": "signature_delta", "signature": "c2ln"}
        case _:
            for chunk in text_chunks(arguments(block), size):
                yield {"type": "input_json_delta", "partial_json": chunk}
