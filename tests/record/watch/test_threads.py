"""What the threads of a watch share: nothing that one iterates over while another changes it."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec import Raw

from tests.record.watch.writing import Writer, append
from unbraid.agents.claude.hooks.commands import ORDERS
from unbraid.agents.claude.hooks.session import HookInput
from unbraid.agents.claude.sessions.beginnings import Beginnings
from unbraid.agents.claude.sessions.watch import TranscriptWatch
from unbraid.agents.control_port import Attendance
from unbraid.agents.port import HookCall, Recorded, RunReference, WatchOptions

SESSIONS = 600


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that take turns at every step, as on a machine with much to do."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class Services:
    """What a watch needs to answer its hooks."""

    attendance = Attendance()

    def look(self, kind: str, session_id: str) -> None:
        """Looks at nothing."""

    async def run_of(self, session_id: str) -> str | None:
        return None

    async def replied(self, run: str, request_id: str) -> None:
        """Was never asked."""

    def note_orders(self, kind: str, *, waits: bool) -> None:
        """Notes nothing."""


def written(config: Path, count: int) -> list[str]:
    names = [str(uuid.UUID(int=number + 1, version=4)) for number in range(count)]
    for name in names:
        writer = Writer(config, name)
        append(writer.main, writer.prompt())
    return names


@pytest.mark.usefixtures("hasty")
async def test_sessions_are_followed_in_threads_while_hooks_call(tmp_path: Path) -> None:
    names = written(tmp_path, SESSIONS)
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path), "HOME": str(tmp_path)}
    watch = TranscriptWatch(env, WatchOptions(inotify=False))
    watch.look()
    body = b'{"session_id":"%s","hook_event_name":"PreToolUse"}' % names[0].encode()
    call = HookCall(ORDERS, body)
    await watch.hooked(call, Services())
    controller = watch.controller(names[0], RunReference(lambda stream: asyncio.sleep(0, None)))
    assert controller is not None
    followed = asyncio.gather(
        *(asyncio.to_thread(watch.follow, name, Recorded()) for name in names)
    )
    request = HookInput(names[0], tool_name="Bash", tool_input=Raw(b"{}"))
    while not followed.done():
        # Whenever a request is gone, it is asked of all sessions whether something waits for them.
        for _ in range(100):
            controller.release(controller.hold(request, in_terminal=True, held_until=None)[0])
        await asyncio.sleep(0)
    assert None not in await followed
    for name in names:
        watch.forget(name)


@pytest.mark.usefixtures("hasty")
def test_copies_are_looked_for_in_threads(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    first = writer.prompt() + writer.text("The same beginning.")
    paths = [writer.main.with_stem(str(uuid.UUID(int=number + 1))) for number in range(300)]
    firsts = Beginnings()

    def read(path: Path) -> list[str]:
        append(path, first)
        return [message for _ in range(3) for message in firsts.copied(path)]

    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(read, paths))
    assert len(found) == len(paths)
