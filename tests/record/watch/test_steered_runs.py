"""Sessions that can be steered come and go: all have one socket, few silent ones stay known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unbraid.agents.claude.hooks.session import HookedSession
from unbraid.agents.port import RunReference
from unbraid.log import MemoryLog
from unbraid.steer.controllers import Controllers
from unbraid.steer.hooks import MAX_SILENT, SteeredRuns
from unbraid.system.sockets import SocketChannel


class Watch:
    """A watch in which every session can be steered."""

    def controller(self, session_id: str, run: RunReference) -> HookedSession:
        session = HookedSession(session_id, lambda name: None)
        session.goes_to(run.agent_id)
        return session


def sockets(home: Path) -> int:
    return sum(1 for _ in home.rglob("*.sock"))


async def test_few_of_those_that_are_silent_stay_registered(tmp_path: Path) -> None:
    watch: Any = Watch()
    controllers = Controllers()
    runs = SteeredRuns(MemoryLog(), controllers)
    async with controllers.answering(SocketChannel(tmp_path)):
        runs.note(watch, "first", "first")
        for number in range(3 * MAX_SILENT):
            runs.note(watch, f"s{number}", f"s{number}")
            runs.note_silent(f"s{number}")
        assert len(controllers.own()) == MAX_SILENT + 1
        assert sockets(tmp_path) == 1
        assert "first" in controllers.own()
        runs.note(watch, "s0", "s0")
        assert "s0" in controllers.own()
    assert sockets(tmp_path) == 0
