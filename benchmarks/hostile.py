"""What a session that writes as much as it can does to everybody else: `/healthz` of a `watch` that
follows 255 MB of live transcripts, one of them 1.5 million lines of `{}`.

The machine may be busy with other things. So a server that does nothing is asked at the same time,
and for each answer we count how much processor time the watch used meanwhile: on a machine with a
free core, an answer takes no longer than that.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.index_history import line
from benchmarks.table import Measured, NotMeasured, table

SESSIONS, SESSION_BYTES = 20, 12_600_000
EMPTY_LINES = 1_500_000
SECONDS = 45.0
PAUSE_SECONDS = 0.02

IDLE_SERVER = """
import asyncio

async def answer(reader, writer):
    await reader.readuntil(b"\\r\\n\\r\\n")
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n")
    writer.close()

async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print("http://127.0.0.1:%d" % server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


class Answer(NamedTuple):
    """How long an answer took, by the clock and by the processor time of the watch."""

    seconds: float
    cpu_seconds: float


def flood(folder: Path) -> None:
    """Writes the transcripts."""
    folder.mkdir(parents=True)
    for _ in range(SESSIONS):
        session, size, number = str(uuid.uuid4()), 0, 0
        with (folder / f"{session}.jsonl").open("wb") as file:
            while size < SESSION_BYTES:
                text = {"type": "text", "text": f"{number} " + "word " * 200}
                about = {"id": f"msg_{number}", "role": "assistant", "content": [text]}
                size += file.write(line(session, number, None, type="assistant", message=about))
                number += 1
    (folder / f"{uuid.uuid4()}.jsonl").write_bytes(b"{}\n" * EMPTY_LINES)


@contextmanager
def serving(command: list[str], env: dict[str, str]) -> Iterator[tuple[int, int]]:
    """Starts a server that prints its address; yields its process id and its port."""
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        assert process.stdout is not None
        for printed in process.stdout:
            if b"http://127.0.0.1:" in printed:
                port = printed.split(b"http://127.0.0.1:", 1)[1].split(b"/")[0]
                threading.Thread(target=process.stdout.read, daemon=True).start()
                yield process.pid, int(port)
                return
        raise NotMeasured(f"{command[0]} did not start")
    finally:
        process.terminate()
        process.wait()


def used(pid: int) -> float:
    """Seconds of processor time that all threads of a process have used."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except OSError:
            continue  # this thread has ended
    return total / 1e9


async def ask(port: int, pid: int) -> Answer:
    """Asks once, on a connection of its own."""
    began, before = time.monotonic(), used(pid)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    answered = await reader.read()
    writer.close()
    if b" 200 " not in answered[:16]:
        raise NotMeasured(f"/healthz answered {answered[:40]!r}")
    return Answer(time.monotonic() - began, used(pid) - before)


async def ask_again_and_again(port: int, pid: int, seconds: float) -> list[Answer]:
    """Asks, one after the other, for so long."""
    answers: list[Answer] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        answers.append(await ask(port, pid))
        await asyncio.sleep(PAUSE_SECONDS)
    return answers


def main(seconds: float = SECONDS) -> list[Measured]:
    """All of it."""
    if not Path("/proc/self/schedstat").exists():
        raise NotMeasured("processor time of other processes is read on Linux only")
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        flood(home / "claude" / "projects" / "-srv-shop")
        own = {"CLAUDE_CONFIG_DIR": str(home / "claude"), "UNBRAID_HOME": str(home / "data")}
        env = {**os.environ, **own, "HOME": scratch}
        watch = [str(Path(sys.executable).with_name("unbraid")), "watch", "--port", "0"]
        idle = [sys.executable, "-c", IDLE_SERVER]
        with serving(watch, env) as (pid, port), serving(idle, env) as (_, idle_port):

            async def both() -> list[list[Answer]]:
                ports = (port, idle_port)
                return await asyncio.gather(*(ask_again_and_again(p, pid, seconds) for p in ports))

            answers, of_idle = asyncio.run(both())
    clock = sorted(answer.seconds for answer in answers)
    middle, late = (clock[int(len(clock) * share)] * 1000 for share in (0.5, 0.99))
    control = max(answer.seconds for answer in of_idle) * 1000
    cpu = max(answer.cpu_seconds for answer in answers) * 1000
    by_clock = f"median {middle:.0f} ms, 99th percentile {late:.0f} ms"
    against = f"a server that does nothing: {control:.0f} ms"
    what = "/healthz during a flood, worst"
    return [
        Measured(what, clock[-1] * 1000, "ms", against=against, at_most=500, detail=by_clock),
        Measured(f"{what}, by processor time", cpu, "ms", at_most=500),
    ]


if __name__ == "__main__":
    print(table(main(*map(float, sys.argv[1:]))))
