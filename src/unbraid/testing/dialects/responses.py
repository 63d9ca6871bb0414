"""An answer in the dialect of OpenAI's Responses, and a request in it as the others are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..answer_parts import arguments, encode, output_tokens, text_chunks
from ..model_request import Json
from ..script import Turn
from ..truth import Serving


class Responses:
    """`POST /v1/responses`."""

    def __init__(self, turn: Turn, serving: Serving, model: str) -> None:
        self.turn, self.serving, self.model = turn, serving, model

    def whole(self) -> Json:
        """Returns the answer to a request that does not stream."""
        items = [self._item(number, block) for number, block in enumerate(self.serving.blocks)]
        return {**self._response("completed"), "output": items}

    def chunks(self) -> Iterator[bytes]:
        """Yields the answer as server-sent events, one a chunk."""
        yield _event("response.created", response=self._response("in_progress"))
        for number, block in enumerate(self.serving.blocks):
            item = self._item(number, block)
            place = {"item_id": item["id"], "output_index": number}
            begun = {**item, **_EMPTY.get(item["type"], {})}
            yield _event("response.output_item.added", output_index=number, item=begun)
            if block["type"] == "text":
                for chunk in text_chunks(block["text"], self.turn.chunk_chars):
                    yield _event(
                        "response.output_text.delta", **place, content_index=0, delta=chunk
                    )
            elif block["type"] == "thinking":
                part = {"type": "summary_text", "text": ""}
                yield _event(
                    "response.reasoning_summary_part.added", **place, summary_index=0, part=part
                )
                for chunk in text_chunks(block["text"], self.turn.chunk_chars):
                    yield _event(
                        "response.reasoning_summary_text.delta",
                        **place,
                        summary_index=0,
                        delta=chunk,
                    )
            yield _event("response.output_item.done", output_index=number, item=item)
        yield _event("response.completed", response=self._response("completed"))

    def _response(self, status: str) -> Json:
        usage, output = self.turn.usage, output_tokens(self.turn, self.serving.blocks)
        given = usage.input_tokens + usage.cache_read_tokens + usage.cache_creation_tokens
        return {
            "id": self.serving.message_id,
            "object": "response",
            "model": self.model,
            "status": status,
            "output": [],
            "usage": {
                "input_tokens": given,
                "input_tokens_details": {"cached_tokens": usage.cache_read_tokens},
                "output_tokens": output,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": given + output,
            },
        }

    def _item(self, number: int, block: Json) -> Json:
        item_id = f"{self.serving.message_id}_{number}"
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
            "arguments": arguments(block),
            "call_id": block["id"],
        }
        return call | ({"namespace": block["namespace"]} if block.get("namespace") else {})

    @staticmethod
    def error(kind: str, message: str) -> Json:
        """Returns an error's body."""
        return {"error": {"type": kind, "message": message, "param": None, "code": None}}

    @classmethod
    def error_chunk(cls, kind: str, message: str) -> bytes:
        """Returns an error in the middle of a stream."""
        failed = {"status": "failed", "error": {"code": kind, "message": message}}
        return _event("response.failed", response=failed)


_EMPTY: dict[str, Json] = {
    "message": {"content": [], "status": "in_progress"},
    "reasoning": {"summary": []},
    "function_call": {"arguments": "", "status": "in_progress"},
}


def as_messages(body: Json) -> Json:
    """Returns a request with its input as messages, and its tools in one list: what other dialects
    have.
    """
    messages: list[Json] = []
    for item in body.get("input") or []:
        kind = item.get("type", "message")
        if kind == "message":
            role = {"developer": "system"}.get(item["role"], item["role"])
            messages.append({"role": role, "content": _plain(item.get("content"))})
        elif kind.endswith("_output"):
            output = item.get("output")
            text = output if isinstance(output, str) else json.dumps(output)
            messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": text})
        elif kind in ("function_call", "custom_tool_call", "reasoning"):
            messages.append({"role": "assistant", "content": ""})
    return {**body, "messages": messages, "tools": list(_tools(body.get("tools") or []))}


def _tools(tools: list[Json], namespace: str | None = None) -> Iterator[Json]:
    for tool in tools:
        if isinstance(tool.get("tools"), list):
            yield from _tools(tool["tools"], tool.get("name"))
        elif "name" in tool:
            yield {**tool, "namespace": namespace} if namespace else tool


def _plain(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return [{"type": "text", "text": part.get("text", "")} for part in content or []]


def _event(kind: str, **given: Any) -> bytes:
    return f"event: {kind}\ndata: ".encode() + encode({"type": kind, **given}) + b"\n\n"
