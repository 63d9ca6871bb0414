"""What a trace is made of, independent of any format: spans, their ids, and their attributes.

Ids follow the W3C's rules. They are derived from the run and from what the span stands for, never
made up: if a run is sent a second time, from wherever, it has the same spans. What was said has the
form of the GenAI conventions: messages of parts, as JSON in one attribute. How much of it a span
holds is bounded: collectors refuse what is too large, and with it all spans of the same request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from unbraid.fleet.usage import Usage

Value = str | int | float | bool
Attributes = dict[str, Value]

# Names come from agents, which may call a tool anything.
MAX_NAME_CHARS = 200


class SpanEvent(Struct, frozen=True):
    """Something that happened at one moment within a span."""

    name: str
    ts: int
    attributes: Attributes


class Span(Struct, frozen=True):
    """One piece of work that has ended. Times are milliseconds since 1970.

    `seq` is the event of the run with which it was complete. `remote` says that the work was done
    by a model, elsewhere. `error` is None if it went well, otherwise a word for what went wrong.
    """

    name: str
    span_id: int
    parent_id: int | None
    start: int
    end: int
    seq: int
    attributes: Attributes
    events: tuple[SpanEvent, ...] = ()
    links: tuple[int, ...] = ()
    remote: bool = False
    error: str | None = None


def known(values: Mapping[str, Value | None]) -> Attributes:
    """Returns attributes without those that are unknown."""
    return {name: value for name, value in values.items() if value is not None}


def short(name: str) -> str:
    """Returns a name that is no longer than names are."""
    return name if len(name) <= MAX_NAME_CHARS else name[: MAX_NAME_CHARS - 1] + "…"


_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_NAMESPACE = "unbraid"


class TraceParent(Struct, frozen=True):
    """A span of another program, as `TRACEPARENT` names it."""

    trace_id: int
    span_id: int
    flags: int = 1

    @classmethod
    def parse(cls, text: str | None) -> TraceParent | None:
        """Returns the span that a `TRACEPARENT` names; None if it names none."""
        found = _TRACEPARENT.fullmatch((text or "").strip())
        if found is None or found[1] == "ff" or (found[1] == "00" and found[5]):
            return None
        trace_id, span_id = int(found[2], 16), int(found[3], 16)
        return cls(trace_id, span_id, int(found[4], 16)) if trace_id and span_id else None

    def __str__(self) -> str:
        return f"00-{self.trace_id:032x}-{self.span_id:016x}-{self.flags:02x}"


class TraceIdentity:
    """The ids of one run; below `parent`, if it has one, the run is part of that one's trace."""

    def __init__(self, run: str, parent: TraceParent | None = None) -> None:
        self.run, self.parent = run, parent
        self.trace_id = parent.trace_id if parent else _derived("trace", run, size=16)

    def span_id(self, kind: str, stream_id: int, name: str = "") -> int:
        """Returns the id of a span: of an agent, or of one thing that it did."""
        return _derived(kind, self.run, str(stream_id), name, size=8)

    @property
    def root(self) -> TraceParent:
        """The span of the main agent, for programs that trace work below it."""
        flags = self.parent.flags if self.parent else 1
        return TraceParent(self.trace_id, self.span_id("agent", 0), flags)


def _derived(*parts: str, size: int) -> int:
    # Lengths, so that no two lists of parts are one text; zero is no id.
    text = "".join(f"{len(part)}:{part}" for part in (_NAMESPACE, *parts))
    return int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:size], "big") or 1


# The conventions' names, where they differ from those of the list of prices.
PROVIDERS = {"google": "gcp.gen_ai", "mistral": "mistral_ai", "x-ai": "x_ai"}


class TraceFacts:
    """A run's ids, what is known about it, and how much of it is to be shown.

    With `content`, spans have what agents were asked, what they said, and the inputs and results of
    their tools. `provider` returns who serves a model, if that is known.
    """

    def __init__(
        self, ids: TraceIdentity, provider: Callable[[str], str | None], *, content: bool
    ) -> None:
        self.ids, self.content, self._provider = ids, content, provider
        self.session_id: str | None = None
        self.prompt: str | None = None

    def attributes(self, operation: str | None, agent: str, stream_id: int) -> Attributes:
        """Returns what every span says: whose work it is, and of which run."""
        return known(
            {
                "gen_ai.operation.name": operation,
                "gen_ai.agent.name": short(agent),
                "gen_ai.conversation.id": self.session_id,
                "unbraid.run": self.ids.run,
                "unbraid.stream_id": stream_id,
            }
        )

    def model(self, model: str | None) -> Attributes:
        """Returns which model it was, and who serves it."""
        if model is None:
            return {}
        provider = self._provider(model)
        return {
            # The conventions want a provider always.
            "gen_ai.provider.name": PROVIDERS.get(provider or "", provider or "_OTHER"),
            "gen_ai.request.model": short(model),
        }


def usage_attributes(prefix: str, usage: Usage) -> Attributes:
    """Returns what an agent or run has used, under names of ours: with those of the conventions, a
    sum over all spans would count each message twice.
    """
    return known(
        {
            f"{prefix}.input_tokens": usage.input_tokens,
            f"{prefix}.output_tokens": usage.output_tokens,
            f"{prefix}.cache_read_tokens": usage.cache_read_tokens,
            f"{prefix}.cache_creation_tokens": usage.cache_creation_tokens,
            f"{prefix}.cost_usd": usage.cost_usd,
            f"{prefix}.estimated_usd": usage.estimated_usd,
            f"{prefix}.unpriced_tokens": usage.unpriced_tokens or None,
        }
    )


# Of one attribute; some collectors take no request of more than a megabyte.
MAX_CONTENT_CHARS = 32_768
CUT = "… (cut)"

Part = dict[str, Any]


def cut(text: str, most: int = MAX_CONTENT_CHARS) -> str:
    """Returns a text that is no longer than an attribute may be."""
    return text if len(text) <= most else text[:most] + CUT


def message(role: str, parts: list[Part], **facts: str) -> str:
    """Returns one message as the attributes for messages have it."""
    return msgspec.json.encode([{"role": role, "parts": parts, **facts}]).decode()


def text_part(text: str) -> Part:
    """Returns words as a part."""
    return {"type": "text", "content": text}


class MessageParts:
    """What a model says in one message, joined from its deltas."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[str, int], list[str]] = {}
        self._parts: list[Part | tuple[str, int]] = []
        self._room = MAX_CONTENT_CHARS
        self._calls = False

    def say(self, kind: str, block: int, delta: str) -> None:
        """Takes more of a block: of a `text`, or of `reasoning`."""
        key = (kind, block)
        if key not in self._blocks:
            self._blocks[key] = []
            self._parts.append(key)
        if delta := self._fitting(delta):
            self._blocks[key].append(delta)

    def call(self, tool_use_id: str, tool: str, arguments: bytes) -> None:
        """Takes a tool call."""
        self._calls = True
        part: Part = {"type": "tool_call", "id": tool_use_id, "name": tool}
        text = arguments.decode("utf-8", "replace")
        if len(text) <= self._room:
            part["arguments"] = msgspec.Raw(text.encode())
            self._room -= len(text)
        self._parts.append(part)

    def encoded(self) -> str:
        """Returns the message as JSON."""
        parts = [
            part
            if isinstance(part, dict)
            else {"type": part[0], "content": "".join(self._blocks[part])}
            for part in self._parts
        ]
        return message("assistant", parts, finish_reason="tool_call" if self._calls else "stop")

    def _fitting(self, text: str) -> str:
        if self._room <= 0:
            return ""
        self._room -= len(text)
        return text if self._room >= 0 else text[: self._room] + CUT
