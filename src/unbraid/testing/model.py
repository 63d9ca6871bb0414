"""A model that answers from a script, over HTTP on loopback, and records the truth: which blocks it
has served, under which agent, and which agent spawned which.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field

from . import loopback
from .dialects import Answer, AnthropicAnswer, CompletionsAnswer, ResponsesAnswer, encode
from .model_request import ModelRequest, adapt_block, agent_id, as_messages, read_request
from .script import (
    Failure,
    HttpError,
    Json,
    Script,
    ScriptedCut,
    Spawn,
    StreamError,
    Turn,
    Workflow,
    marker,
    say,
)

_DIALECTS: dict[str, type[Answer]] = {
    "/v1/messages": AnthropicAnswer,
    "/v1/chat/completions": CompletionsAnswer,
    "/v1/responses": ResponsesAnswer,
}


@dataclass
class Serving:
    """One answer as it went out; `complete` once its last byte was written."""

    agent: str
    turn: int
    message_id: str
    blocks: list[Json]
    t: float = 0.0
    chunks: int = 0
    complete: bool = False


@dataclass
class Ledger:
    """Every serving in order, and what is true in the end.

    A turn that was served again replaces its earlier serving: a CLI only asks again for what it has
    thrown away. A turn of which no serving was completed (an interrupt, a cut connection) is told
    whole, with `cut` on its blocks.
    """

    servings: list[Serving] = field(default_factory=list)
    children: dict[str, list[str]] = field(default_factory=dict)

    def open(self, serving: Serving, children: dict[str, list[str]]) -> None:
        """Note an answer that is about to go out, and which calls of it spawn which agents."""
        self.servings.append(serving)
        self.children.update(children)

    def kept(self) -> list[Serving]:
        """Returns the servings that count, in the order in which they began."""
        last: dict[tuple[str, int], Serving] = {}
        for serving in self.servings:
            key = (serving.agent, serving.turn)
            if key not in last or serving.complete or not last[key].complete:
                last[key] = serving
        return [s for s in self.servings if last[s.agent, s.turn] is s]

    def blocks(self) -> list[Json]:
        """Returns every block that counts: agent, turn, index, message_id, type and content."""
        return [
            {
                "agent": serving.agent,
                "turn": serving.turn,
                "index": index,
                "message_id": serving.message_id,
                "t": round(serving.t, 4),
                **block,
                **({} if serving.complete else {"cut": True}),
            }
            for serving in self.kept()
            for index, block in enumerate(serving.blocks)
        ]

    def parents(self) -> dict[str, Json]:
        """Returns each spawned agent's parent, and the call that spawned it."""
        return {
            child: {"parent": block["agent"], "tool_use_id": block["id"]}
            for block in self.blocks()
            for child in self.children.get(block.get("id", ""), ())
        }

    def truth(self) -> Json:
        """Parents and blocks, as `truth.json` has them."""
        return {"parents": self.parents(), "blocks": self.blocks()}


@dataclass
class Turns:
    """Counts one agent's turns by the conversations that its requests show.

    They cannot be counted by requests: a CLI asks again after an error. Nor by the answers that a
    request shows: after an interrupt, or when the CLI reads a transcript that is not written to its
    end, the last of them may be missing. So a request that shows a conversation seen before is that
    turn again, and any other is the next one.
    """

    _seen: dict[str, int] = field(default_factory=dict)
    _opening: str | None = None
    _next: int = 0

    def number(self, asking: ModelRequest) -> int:
        """Returns which turn this request asks for."""
        if asking.shown not in self._seen:
            # A first request may show answers of an earlier life (a resumed session): they count.
            # Another opening is the same conversation in a compacted form: its answers do not.
            first = self._opening is None or self._opening == asking.opening
            self._seen[asking.shown] = max(self._next, asking.answers if first else 0)
            self._opening = asking.opening
        turn = self._seen[asking.shown]
        self._next = max(self._next, turn + 1)
        return turn


class ScriptedModel(loopback.LoopbackServer):
    """Serves a `Script` under `url`; `truth` is what its agents have said.

    A request without tools is a CLI's housekeeping (a title) and gets a short text, unless
    `answers_without_tools`; so does an agent that the script does not know. Neither is part of the
    truth.
    """

    def __init__(self, script: Script, *, answers_without_tools: bool = False) -> None:
        super().__init__()
        self.script = script
        self.ledger = Ledger()
        self.requests: list[Json] = []
        self._answers_without_tools = answers_without_tools
        self._turns = {agent: Turns() for agent in script.agents}
        self._failures: dict[tuple[str, int], int] = {}
        self._spawned: dict[str, str] = {}
        self._agent_ids: dict[str, str] = {}
        self._tag, self._count = secrets.token_hex(2), 0
        self._began = time.monotonic()
        self.began_ms = time.time_ns() // 1_000_000  # to which the times of servings are added
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    @property
    def truth(self) -> Json:
        """Parents and blocks, as `truth.json` has them."""
        return self.ledger.truth()

    async def reached(self, agent: str, turn: int, *, chunks: int = 1) -> None:
        """Wait, in whichever loop, until so many chunks of that turn are out."""
        while True:
            moved = asyncio.Event()
            # First the waiting, then the look: a move in between is not missed.
            self._waiting.append((asyncio.get_running_loop(), moved))
            if any(
                s.agent == agent and s.turn == turn and s.chunks >= chunks
                for s in self.ledger.servings
            ):
                return
            await moved.wait()

    async def handle(self, exchange: loopback.Exchange) -> None:
        """Answer one request."""
        try:
            body = json.loads(exchange.body or b"{}")
        except ValueError:
            error = AnthropicAnswer.error("invalid_request_error", "this is not JSON")
            return await exchange.answer(400, encode(error))
        if exchange.path == "/v1/messages/count_tokens":
            return await exchange.answer(200, encode({"input_tokens": len(exchange.body) // 4}))
        dialect = _DIALECTS.get(exchange.path)
        if dialect is None or exchange.method != "POST":
            error = AnthropicAnswer.error("not_found_error", "there is nothing here")
            return await exchange.answer(404, encode(error))
        self.requests.append(body)
        if dialect is ResponsesAnswer:
            body = as_messages(body)
        turn, serving = self._prepare(read_request(body, self.script.agents))
        failure = self._failure(serving, turn)
        if isinstance(failure, HttpError):
            error = dialect.error(failure.error, failure.message)
            return await exchange.answer(failure.status, encode(error))
        if serving.agent:
            self._open(serving, turn)
        await asyncio.sleep(turn.delay_seconds)
        answer = dialect(
            turn,
            message_id=serving.message_id,
            blocks=serving.blocks,
            model=body.get("model", "scripted"),
        )
        if body.get("stream"):
            return await self._stream(exchange, answer, serving, failure=failure)
        if failure is not None:
            return exchange.cut()
        await exchange.answer(200, encode(answer.whole()))
        return self._went_out(serving, complete=True)

    async def _stream(
        self,
        exchange: loopback.Exchange,
        answer: Answer,
        serving: Serving,
        *,
        failure: Failure | None,
    ) -> None:
        await exchange.begin(200, {"content-type": "text/event-stream"})
        for number, chunk in enumerate(answer.chunks()):
            if isinstance(failure, StreamError | ScriptedCut) and number == failure.after_chunks:
                if isinstance(failure, StreamError):
                    await exchange.write(answer.error_chunk(failure.error, failure.message))
                    return await exchange.end()
                return exchange.cut()
            await exchange.write(chunk)
            self._went_out(serving)
            await asyncio.sleep(answer.turn.chunk_delay_seconds)
        await exchange.end()
        return self._went_out(serving, complete=True)

    def _went_out(self, serving: Serving, *, complete: bool = False) -> None:
        serving.chunks += not complete
        serving.complete = complete
        while self._waiting:
            loop, moved = self._waiting.pop()
            with suppress(RuntimeError):  # its loop is closed: nothing waits there
                loop.call_soon_threadsafe(moved.set)

    def _prepare(self, asking: ModelRequest) -> tuple[Turn, Serving]:
        """Returns the turn to serve and its serving; one that is not part of the truth has no
        agent.
        """
        for tool_use_id, result in asking.results.items():
            child, named = self._spawned.get(tool_use_id), agent_id(result)
            if child is not None and named is not None:
                self._agent_ids[child] = named
        agent, number = asking.agent, 0
        housekeeping = not asking.tools and not self._answers_without_tools
        if agent is None or housekeeping:
            agent, turn = "", say("ok" if agent is None else "A short title")
        elif asking.wants_summary:
            agent, turn = "", say(f"<summary>{marker(agent)} We have talked.</summary>")
        else:
            number = self._turns[agent].number(asking)
            turn = self.script.turn(agent, number)
        serving = Serving(agent, number, self._id("msg"), blocks=[])
        for block in turn.blocks:
            fitted = adapt_block(block, asking, self._agent_ids)
            if fitted["type"] == "tool_use":
                fitted["id"] = self._id("toolu")
            serving.blocks.append(fitted)
        return turn, serving

    def _failure(self, serving: Serving, turn: Turn) -> Failure | None:
        failure = turn.failure
        if failure is None or not serving.agent:
            return None
        key = (serving.agent, serving.turn)
        done = self._failures.get(key, 0)
        if failure.times is not None and done >= failure.times:
            return None
        self._failures[key] = done + 1
        return failure

    def _open(self, serving: Serving, turn: Turn) -> None:
        children: dict[str, list[str]] = {}
        for block, fitted in zip(turn.blocks, serving.blocks, strict=True):
            if isinstance(block, Spawn):
                children[fitted["id"]] = [block.child]
                self._spawned[fitted["id"]] = block.child
            elif isinstance(block, Workflow):
                children[fitted["id"]] = list(block.children)
        serving.t = time.monotonic() - self._began
        self.ledger.open(serving, children)

    def _id(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_01{self._tag}{self._count:06d}"
