"""The model of the orchestrator's benchmarks, in a process of its own: prints its address, and for
each line that it reads the times at which turns ended and requests arrived.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from unbraid.testing import Script, ScriptedModel, Turn, loopback, say

CHILDREN, TOKENS = 16, 4000


def script() -> dict[str, list[Turn]]:
    """A master that asks sixteen at once, and one that talks for long."""
    asked = "\n".join(f"/agent c{n} [[c{n}]] go" for n in range(CHILDREN))
    delegating = [say(f"/parallel\n{asked}\n/endparallel"), say("Done.")]
    return {
        "fan": delegating,
        "talk": [say("word " * TOKENS, chunk_chars=5)],
        **{f"c{n}": [say("Here.")] for n in range(CHILDREN)},
    }


class Timed(ScriptedModel):
    """Knows when requests came, and when the last turn before them had ended."""

    def __init__(self) -> None:
        super().__init__(Script(script()), answers_without_tools=True)
        self.arrived: list[float] = []
        self.ended: list[float] = []

    async def handle(self, exchange: loopback.Exchange) -> None:
        self.arrived.append(time.monotonic())
        await super().handle(exchange)
        self.ended.append(time.monotonic())


async def main() -> None:
    """Serve until the input ends."""
    async with Timed() as model:
        print(model.url, flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps({"arrived": model.arrived, "ended": model.ended}), flush=True)
            # A new conversation each time: the script begins anew.
            model.arrived, model.ended = [], []
            model._turns = {agent: type(turns)() for agent, turns in model._turns.items()}


if __name__ == "__main__":
    asyncio.run(main())
