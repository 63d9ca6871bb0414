"""A model that says what a script tells it to, over HTTP on loopback, and knows afterwards what was said."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from typing import Any

from . import loopback
from .anthropic_dialect import Anthropic
from .asking import Asking, Json, Turns, agent_id, read
from .fitting import fit
from .openai_dialect import OpenAI
from .pieces import encode
from .script import Cut, HttpError, Script, Spawn, StreamError, Turn, Workflow, marker, say
from .truth import Ledger, Serving

_DIALECTS = {"/v1/messages": Anthropic, "/v1/chat/completions": OpenAI}


class ScriptedModel:
    """Serves a `Script`: `async with` in the running loop, or `with` in a thread of its own.

    A request without tools is a CLI's housekeeping (a title) and gets a short text, unless
    `answers_without_tools`; so does an agent that the script does not know. Neither is part of the truth.
    """

    def __init__(self, script: Script, *, answers_without_tools: bool = False) -> None:
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
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._moved = asyncio.Condition()
        self._thread: threading.Thread | None = None
        self._stop: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self.url = ""

    @property
    def truth(self) -> Json:
        """Parents and blocks, as `truth.json` has them."""
        return self.ledger.truth()

    # --- as a context ---------------------------------------------------------------------------------------

    async def __aenter__(self) -> ScriptedModel:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url, self._began = f"http://127.0.0.1:{port}", time.monotonic()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    def __enter__(self) -> ScriptedModel:
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live(ready)), daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._thread is not None and self._stop is not None
        loop, stop = self._stop
        loop.call_soon_threadsafe(stop.set)
        self._thread.join()

    async def _live(self, ready: threading.Event) -> None:
        async with self:
            self._stop = (asyncio.get_running_loop(), asyncio.Event())
            ready.set()
            await self._stop[1].wait()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await loopback.serve(loopback.Wire(reader, writer, server=True), self._handle)
        except asyncio.CancelledError:
            pass  # the model is closing; asyncio would report a cancelled handler as an error
        finally:
            self._connections.discard(task)

    # --- watching -------------------------------------------------------------------------------------------

    async def reached(self, agent: str, turn: int, *, chunks: int = 1) -> None:
        """Wait until that turn is being served and so many chunks of it are out."""
        async with self._moved:
            await self._moved.wait_for(
                lambda: any(
                    s.agent == agent and s.turn == turn and s.chunks >= chunks
                    for s in self.ledger.servings
                )
            )

    # --- answering ------------------------------------------------------------------------------------------

    async def _handle(self, exchange: loopback.Exchange) -> None:
        try:
            body = json.loads(exchange.body or b"{}")
        except ValueError:
            return await exchange.answer(400, encode(Anthropic.error("bad", "not JSON")))
        if exchange.path == "/v1/messages/count_tokens":
            return await exchange.answer(200, encode({"input_tokens": len(exchange.body) // 4}))
        dialect = _DIALECTS.get(exchange.path)
        if dialect is None or exchange.method != "POST":
            return await exchange.answer(404, encode(Anthropic.error("not_found_error", "no route")))
        self.requests.append(body)
        asking = read(body, self.script.agents)
        turn, serving = self._prepare(asking)
        failure = self._failure(serving, turn)
        if isinstance(failure, HttpError):
            error = encode(dialect.error(failure.error, failure.message))
            return await exchange.answer(failure.status, error)
        if serving.agent:
            self._open(serving, turn)
        await asyncio.sleep(turn.delay_seconds)
        answer = dialect(turn, serving, body.get("model", "scripted"))
        if not body.get("stream"):
            await exchange.answer(200, encode(answer.whole()))
        elif not await self._stream(exchange, answer, failure):
            return None
        serving.complete = True
        return await self._count_chunk(serving)

    async def _stream(
        self,
        exchange: loopback.Exchange,
        answer: Anthropic | OpenAI,
        failure: StreamError | Cut | None,
    ) -> bool:
        """Stream an answer; False where it was told to fail."""
        await exchange.begin(200, {"content-type": "text/event-stream", "cache-control": "no-cache"})
        for number, chunk in enumerate(answer.chunks()):
            if failure is not None and number == failure.after_chunks:
                if isinstance(failure, StreamError):
                    await exchange.write(answer.error_chunk(failure.error, failure.message))
                    await exchange.end()
                else:
                    exchange.cut()
                return False
            await exchange.write(chunk)
            await self._count_chunk(answer.serving)
            await asyncio.sleep(answer.turn.chunk_delay_seconds)
        await exchange.end()
        return True

    async def _count_chunk(self, serving: Serving) -> None:
        async with self._moved:
            serving.chunks += 1
            self._moved.notify_all()

    def _prepare(self, asking: Asking) -> tuple[Turn, Serving]:
        """The turn to serve, and its serving; one without an agent's name is not part of the truth."""
        for tool_use_id, result in asking.results.items():
            child, told = self._spawned.get(tool_use_id), agent_id(result)
            if child is not None and told is not None:
                self._agent_ids[child] = told
        agent, number = asking.agent, 0
        housekeeping = not asking.tools and not self._answers_without_tools
        if agent is None or housekeeping:
            agent, turn = "", say("A short title" if housekeeping else "ok")
        elif asking.wants_summary:
            agent, turn = "", say(f"<summary>{marker(agent)} We have talked.</summary>")
        else:
            number = self._turns[agent].number(asking)
            turn = self.script.turn(agent, number)
        serving = Serving(agent, number, self._id("msg"), [])
        for block in turn.blocks:
            fitted = fit(block, asking, self._agent_ids)
            if fitted["type"] == "tool_use":
                fitted["id"] = self._id("toolu")
            serving.blocks.append(fitted)
        return turn, serving

    def _failure(self, serving: Serving, turn: Turn) -> Any:
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
