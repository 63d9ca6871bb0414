"""A run that is steered from another terminal."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.record.run.agents import UNBRAID
from unbraid import events as e
from unbraid.log import SqliteLog
from unbraid.testing import ScriptedModel
from unbraid.testing.launch import Launch
from unbraid.testing.process import Child


class Talk:
    """A run that listens, and the log it is written to."""

    def __init__(self, child: Child, launch: Launch, log: SqliteLog, model: ScriptedModel) -> None:
        self.child, self.launch, self.log, self.model = child, launch, log, model
        self.lines: list[dict[str, Any]] = []
        self.run = ""

    async def read_until(self, kind: str) -> dict[str, Any]:
        """Its next line of that type."""
        async for _, line in self.child.lines():
            record: dict[str, Any] = json.loads(line)
            self.lines.append(record)
            if record["type"] == kind:
                return record
        raise AssertionError(f"it has ended without {kind}")

    async def logged(self, kind: type[e.FleetEvent], count: int = 1) -> e.FleetEvent:
        """The event of that type that is so many-th in the log, when it is there."""
        async for batch in self.log.follow_all(0):
            for entry in batch:
                self.run = entry.run
                event = e.decode_event(entry.data)
                count -= isinstance(event, kind)
                if not count:
                    return event
        raise AssertionError("the log has ended")

    async def order(self, *words: str) -> str:
        """One of our commands, from another terminal."""
        process = await asyncio.create_subprocess_exec(
            UNBRAID, *words, env=self.launch.env, stdout=asyncio.subprocess.PIPE
        )
        printed, _ = await process.communicate()
        assert process.returncode == 0
        return printed.decode()
