"""A model that answers from a script, over HTTP on loopback, and records what was served."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from contextlib import suppress

from . import loopback
from .answer_parts import encode
from .block_adapter import adapt_block
from .dialects.anthropic import Anthropic
from .dialects.openai import OpenAI
from .dialects.responses import Responses, as_messages
from .model_request import Json, ModelRequest, Turns, agent_id, read_request
from .script import (
    Failure,
    HttpError,
    Script,
    ScriptedCut,
    Spawn,
    StreamError,
    Turn,
    Workflow,
    marker,
    say,
)
from .server import LoopbackServer
from .truth import Ledger, Serving

_DIALECTS: dict[str, type[Anthropic] | type[OpenAI] | type[Responses]] = {
    "/v1/messages": Anthropic,
    "/v1/chat/completions": OpenAI,
    "/v1/responses": Responses,
}


class ScriptedModel(LoopbackServer):
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
            error = Anthropic.error("invalid_request_error", "this is not JSON")
            return await exchange.answer(400, encode(error))
        if exchange.path == "/v1/messages/count_tokens":
            return await exchange.answer(200, encode({"input_tokens": len(exchange.body) // 4}))
        dialect = _DIALECTS.get(exchange.path)
        if dialect is None or exchange.method != "POST":
            error = Anthropic.error("not_found_error", "there is nothing here")
            return await exchange.answer(404, encode(error))
        self.requests.append(body)
        if dialect is Responses:
            body = as_messages(body)
        turn, serving = self._prepare(read_request(body, self.script.agents))
        failure = self._failure(serving, turn)
        if isinstance(failure, HttpError):
            error = dialect.error(failure.error, failure.message)
            return await exchange.answer(failure.status, encode(error))
        if serving.agent:
            self._open(serving, turn)
        await asyncio.sleep(turn.delay_seconds)
        answer = dialect(turn, serving, body.get("model", "scripted"))
        if body.get("stream"):
            return await self._stream(exchange, answer, failure)
        if failure is not None:
            return exchange.cut()
        await exchange.answer(200, encode(answer.whole()))
        return self._went_out(serving, complete=True)

    async def _stream(
        self,
        exchange: loopback.Exchange,
        answer: Anthropic | OpenAI | Responses,
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
            self._went_out(answer.serving)
            await asyncio.sleep(answer.turn.chunk_delay_seconds)
        await exchange.end()
        return self._went_out(answer.serving, complete=True)

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
