"""Attack: an agent takes all places at the socket that hooks call, and says nothing.

Hooks of all other sessions were refused for as long as it liked: their requests were shown nowhere,
and no message reached them. Who says nothing loses its place after some seconds; and where all are
taken, whoever has the most gives one up.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.polling import until
from unbraid.agents.port import SOCKET_NAME, HookCall
from unbraid.steer import hooks
from unbraid.steer.hooks import MAX_CALLS, HookSocket
from unbraid.system.sockets import connecting_address

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs sockets of Unix")

HOLD = b"POST /kind/hold HTTP/1.1\r\nHost: u\r\nContent-Length: 0\r\n\r\n"
ASK = b"POST /kind/ask HTTP/1.1\r\nHost: u\r\nContent-Length: 0\r\n\r\n"


class Watch:
    """Holds some calls for ever, and answers others."""

    def __init__(self) -> None:
        self.held = asyncio.Semaphore(0)

    async def hooked(self, call: HookCall) -> bytes:
        if call.what == "hold":
            self.held.release()
            await asyncio.Event().wait()
        return b"answered"


async def listening(folder: Path, watch: Watch) -> asyncio.Task[None]:
    task = asyncio.create_task(HookSocket(folder, {"kind": watch.hooked}).run())
    await until((folder / SOCKET_NAME).is_socket)
    return task


async def called(folder: Path, request: bytes) -> bytes:
    reader, writer = await asyncio.open_unix_connection(connecting_address(folder / SOCKET_NAME))
    writer.write(request)
    try:
        return await reader.read()
    finally:
        writer.close()


async def test_others_get_through_and_keep_their_places(tmp_path: Path) -> None:
    watch = Watch()
    task = await listening(tmp_path, watch)
    # Another process: one place of its own, for as long as it likes.
    script = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
        "s.sendall(sys.stdin.buffer.read()); s.recv(1)"
    )
    address = os.fspath(connecting_address(tmp_path / SOCKET_NAME))
    pipe = asyncio.subprocess.PIPE
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, address, stdin=pipe, env={}
    )
    assert other.stdin is not None
    other.stdin.write(HOLD)
    other.stdin.close()
    greedy: list[asyncio.Task[bytes]] = []
    try:
        async with asyncio.timeout(60):
            await watch.held.acquire()
            for _ in range(MAX_CALLS - 1):
                greedy.append(asyncio.create_task(called(tmp_path, HOLD)))
                await watch.held.acquire()
            assert b"answered" in await called(tmp_path, ASK)
            assert b"answered" in await called(tmp_path, ASK)
            assert [each.done() for each in greedy[:2]] == [True, False]
            assert other.returncode is None
    finally:
        task.cancel()
        await asyncio.gather(task, *greedy, other.wait(), return_exceptions=True)


async def test_who_says_nothing_loses_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "HOOK_REQUEST_TIMEOUT_SECONDS", 0.05)
    task = await listening(tmp_path, Watch())
    try:
        async with asyncio.timeout(60):
            assert await called(tmp_path, ASK[:-2]) == b""
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_all_bodies_together_have_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "MAX_BODIES_BYTES", 1000)
    begun = ASK.replace(b"Length: 0", b"Length: 800") + b"x" * 700
    task = await listening(tmp_path, Watch())
    two = [asyncio.create_task(called(tmp_path, begun)) for _ in range(2)]
    try:
        async with asyncio.timeout(60):
            done, waiting = await asyncio.wait(two, return_when=asyncio.FIRST_COMPLETED)
            assert [b" 404 " in each.result() for each in done] == [True]
            assert len(waiting) == 1
    finally:
        task.cancel()
        await asyncio.gather(task, *two, return_exceptions=True)
