"""OpenCode as a backend: the real one against a scripted model, or a server that plays it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.record.run.agents import cli_of
from tests.system.survivors import marked, survivors
from unbraid.agents.opencode.backend import OpenCodeBackend
from unbraid.testing import Script, ScriptedModel, opencode_launch
from unbraid.testing.loopback import Exchange, LoopbackServer

SESSION = "ses_played"


@contextlib.asynccontextmanager
async def real(
    version: str, script: Script, home: Path, *, asks: bool = False, keeps_sessions: bool = False
) -> AsyncIterator[tuple[OpenCodeBackend, ScriptedModel]]:
    """The real CLI; in the end, nothing of it is left."""
    cli = cli_of("opencode", version)
    with ScriptedModel(script) as model:
        launch = opencode_launch(cli, model.url, home, asks=asks)
        env, mark = marked(launch.env)
        backend = OpenCodeBackend(
            cli.command, env=env, cwd=launch.cwd, keeps_sessions=keeps_sessions
        )
        async with asyncio.timeout(150):
            try:
                yield backend, model
            finally:
                await backend.close()
        assert survivors(mark) == []


class Played(LoopbackServer):
    """A server whose session says what a test wants; `asked` is what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.prompted = asyncio.Event()

    async def handle(self, exchange: Exchange) -> None:
        """Answer one request."""
        self.asked.append(f"{exchange.method} {exchange.path}")
        if exchange.path == "/event":
            await exchange.begin(200, {"content-type": "text/event-stream"})
            await exchange.write(_data({"type": "server.connected", "properties": {}}))
            await self.prompted.wait()
            await self.send_events(exchange)
            return
        if exchange.path.endswith("/prompt_async"):
            self.prompted.set()
        body: Any = {"id": SESSION} if exchange.path == "/session" else {}
        await exchange.answer(200, json.dumps(body).encode())

    async def send_events(self, exchange: Exchange) -> None:
        """What its events tell after the prompt."""
        await self.tell(exchange, "session.idle")

    async def tell(self, exchange: Exchange, kind: str, **properties: Any) -> None:
        """One event of the session."""
        event = {"type": kind, "properties": {"sessionID": SESSION, **properties}}
        await exchange.write(_data(event))


def _data(event: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(event).encode() + b"\n\n"
