"""Following: how long a line takes into the log, and what watching costs when nothing happens.

python -m benchmarks.index_live latency [LINES_PER_SECOND] [SECONDS]
python -m benchmarks.index_live idle FOLDER
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.index_history import line
from benchmarks.table import Measured, table
from unbraid.log import SqliteLog
from unbraid.log.leases import FileLeases
from unbraid.record.watcher import Watcher, watch_until

SESSION = "11111111-2222-4333-8444-555555555555"


def write(path: Path, rate: int, seconds: float) -> None:
    """So many lines a second, each with the time at which it was written."""
    with path.open("ab", buffering=0) as file:
        start = time.perf_counter()
        for number in range(int(rate * seconds)):
            due = start + number / rate
            while (now := time.perf_counter()) < due:
                time.sleep(due - now)
            text = {"type": "text", "text": f"<{time.perf_counter()}> " + "word " * 20}
            about = {"id": f"msg_{number}", "role": "assistant", "content": [text]}
            file.write(line(SESSION, number, None, type="assistant", message=about))


async def latency(rate: int, seconds: float) -> list[Measured]:
    """From the write to the moment at which a follower of the log has the line."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        path = home / "claude" / "projects" / "-a" / f"{SESSION}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
        log = await SqliteLog.open(home / "log.db")
        until = asyncio.Event()
        env = {"CLAUDE_CONFIG_DIR": str(home / "claude"), "HOME": scratch}
        watch = Watcher(log, FileLeases(home), env, warn=print)
        task = asyncio.create_task(watch_until(watch, until))
        await watch.ready.wait()
        await asyncio.sleep(1.5)
        # A process of its own, as an agent is; their clock is the same.
        job = ["write", str(path), str(rate), str(seconds)]
        module = ["-m", "benchmarks.index_live"]
        writer = await asyncio.create_subprocess_exec(sys.executable, *module, *job)
        took: list[float] = []
        async for batch in log.follow(SESSION):
            now = time.perf_counter()
            words = [entry.data.split(b"<", 1)[1] for entry in batch if entry.type == "text"]
            took += [now - float(word.split(b">", 1)[0]) for word in words]
            if len(took) >= rate * seconds:
                break
        await writer.wait()
        until.set()
        await task
        await log.close()
    took.sort()
    middle, late, last = (took[int(len(took) * share)] for share in (0.5, 0.99, 0.9999))
    detail = f"{rate}/s: median {middle * 1000:.0f} ms, worst {last * 1000:.0f} ms"
    what = "a line into the log, 99th percentile"
    return [Measured(what, late * 1000, "ms", at_most=50, detail=detail)]


def idle(folder: Path) -> list[Measured]:
    """CPU of a watch with its page over a history in which nothing happens.

    All of it has just been written, so that every session is followed: that costs more.
    """
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    for path in folder.rglob("*.jsonl"):
        said = {"type": "user", "timestamp": now, "uuid": str(uuid.uuid4()), "parentUuid": None}
        said |= {"sessionId": path.stem, "message": {"role": "user", "content": "And now?"}}
        with path.open("a") as file:
            file.write("" if path.stem.startswith("agent-") else json.dumps(said) + "\n")
        path.touch()
    with tempfile.TemporaryDirectory() as home:
        env = os.environ | {"CLAUDE_CONFIG_DIR": str(folder), "UNBRAID_HOME": home, "HOME": home}
        program = str(Path(sys.executable).with_name("unbraid"))
        process = subprocess.Popen(
            [program, "watch", "--port", "0"], env=env, stdout=subprocess.DEVNULL
        )
        try:
            # It reads what is there first; a busy machine needs longer for that.
            for _ in range(24):
                before = cpu(process.pid)
                time.sleep(5)
                if cpu(process.pid) - before < 0.1:
                    break
            before, began = cpu(process.pid), time.time()
            time.sleep(65)
            share = (cpu(process.pid) - before) / (time.time() - began)
            return [Measured("watching, nothing happens", share * 100, "% of a core", at_most=1)]
        finally:
            process.terminate()
            process.wait()


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    if sys.argv[1] == "idle":
        print(table(idle(Path(sys.argv[2]))))
    elif sys.argv[1] == "write":
        write(Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
    else:
        rates = [float(word) for word in sys.argv[2:]]
        rate, seconds = int(rates[0]) if rates else 1000, rates[1] if rates[1:] else 10.0
        print(table(asyncio.run(latency(rate, seconds))))
