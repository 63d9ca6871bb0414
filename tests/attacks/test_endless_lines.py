"""Attack: an agent makes a file of gigabytes that has no line in it, which costs it nothing.

Such a file with holes ended a watch for lack of memory, and `cat` took twice the file. A line is
read up to a bound. One that is longer is reported once, as `malformed`, with its length and offset;
the bytes past the bound are stored nowhere, and reading goes on behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.log.remote.test_sender import delivering, listening
from tests.record.run.agents import UNBRAID
from tests.record.watch.writing import SESSION, Writer, append
from unbraid.agents.files import JsonlSessions
from unbraid.log import open_log
from unbraid.log.memory import MemoryLog
from unbraid.read.chunk import Chunk
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES, LineParts
from unbraid.read.tracks import split
from unbraid.read.translator import Translator
from unbraid.record.recorder import Recorder
from unbraid.send.delivery import DeliveryLedger
from unbraid.system.file_tail import Tail
from unbraid.testing.sample_runs import all_chunks

HOLE_BYTES = 1 << 30
MAX_MEMORY_MB = 400


def hole(path: Path, size: int = HOLE_BYTES) -> None:
    """Make a file longer by nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.truncate(file.tell() + size)


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    """A session with a hole in the middle of its own file, and two sub-agents that are only one."""
    writer = Writer(tmp_path / ".claude")
    append(writer.main, writer.prompt("Find me.") + writer.text("Before the hole."))
    hole(writer.main)
    append(writer.main, b"\n" + writer.text("Here I am."))
    hole(writer.main.parent / SESSION / "subagents" / "agent-f.jsonl")
    hole(writer.main.parent / "agent-f.jsonl")
    return writer


def peak_memory_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if "VmHWM" in line)


def environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "UNBRAID_HOME": str(home / "u")}


def test_cat_ps_and_search_need_little_memory(writer: Writer, tmp_path: Path) -> None:
    measured = "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); print(" \
        "resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); " \
        "sys.exit(done.returncode)"  # fmt: skip
    for words in (["cat", "--json", SESSION], ["ps", "--all"], ["search", "here"]):
        done = subprocess.run(
            [sys.executable, "-c", measured, UNBRAID, *words],
            env=environment(tmp_path), capture_output=True, text=True, timeout=100, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert int(done.stderr.split()[-1]) / 1024 < MAX_MEMORY_MB, words
        assert "Here I am." in done.stdout or words[0] == "ps"
        if words[0] == "cat":
            events = [json.loads(line) for line in done.stdout.splitlines()]
            bad = [event for event in events if event["type"] == "malformed"]
            assert [str(HOLE_BYTES) in event["reason"] for event in bad] == [True, True]


async def test_a_watch_stores_nothing_of_it_and_goes_on(writer: Writer, tmp_path: Path) -> None:
    home = tmp_path / "u"
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "watch", "--no-page", env=environment(tmp_path), stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(100):
            log = await open_log(home / "log.db")
            async for batch in log.follow(SESSION):
                if any(b"Here I am." in entry.data for entry in batch):
                    break
            await log.close()
            assert peak_memory_mb(process.pid) < MAX_MEMORY_MB
            process.terminate()
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    written = sum(path.stat().st_size for path in home.iterdir())
    assert written < 5 * DEFAULT_MAX_LINE_BYTES


async def test_a_run_is_continued_in_the_middle_of_such_a_line() -> None:
    log, part = MemoryLog(), bytes(DEFAULT_MAX_LINE_BYTES // 2)
    recorder = await Recorder.open(log, "r")
    at = 0
    for _ in range(5):
        await recorder.feed([Chunk("out", at, part)], 1)
        at += len(part)
    assert sum(len(chunk.data) for chunk in await all_chunks(log, "r")) < at
    again = await Recorder.open(log, "r")
    assert again.offsets == {"out": at}
    await again.feed([Chunk("out", at, b'\n{"type":"x"}\n')], 1)
    await again.finish(2)
    (bad,) = await log.read("r", types=["malformed"])
    assert f"a line of {at} bytes".encode() in bad.data
    assert len(await log.read("r", types=["unrecognized"])) == 1


def test_a_file_is_given_out_in_parts_as_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    hole(path, 3 * DEFAULT_MAX_LINE_BYTES)
    tail = Tail(path)
    sizes = [len(chunk.data) for chunk in tail.read()]
    assert max(sizes) < DEFAULT_MAX_LINE_BYTES < sum(sizes)
    append(path, b"\nnext\n")
    translator = Translator()
    for chunk in JsonlSessions("toy", tmp_path).run("s").tracks[0].read():  # type: ignore[union-attr]
        translator.feed(chunk)
    *_, last = tail.read()
    assert last.data.endswith(b"\nnext\n")
    assert tail.offset == path.stat().st_size


def test_lines_past_the_bound_are_passed_on_in_parts() -> None:
    data = b"a\n" + b"0123456789" * 10 + b"\nb\n" + b"x" * 50
    lines = LineParts(20)
    parts = [part for at in range(0, len(data), 7) for part in lines.feed(data[at : at + 7])]
    parts += lines.finish()
    assert b"".join(parts) == data
    assert parts[0] == b"a\n" and b"b\n" in parts and max(map(len, parts)) < 40
    assert b"".join(split([data])) == data


async def test_what_is_on_its_way_to_a_server_is_bounded_and_whole(tmp_path: Path) -> None:
    part, count = bytes(DEFAULT_MAX_LINE_BYTES // 4), 12
    here, there = MemoryLog(), MemoryLog()
    recorder, at = await Recorder.open(here, "r"), 0
    for data in [b'{"type":"x"}\n', *[part] * count, b'\n{"type":"y"}\n']:
        await recorder.feed([Chunk("out", at, data, 1)], 1)
        at += len(data)
    await recorder.finish(2)
    async with listening(there) as server:
        with contextlib.closing(DeliveryLedger(tmp_path)) as ledger:
            ledger.add("log", server.url, ["r"])
        async with delivering(here, server.url, tmp_path) as delivery:
            assert await delivery.arrival("r")
            assert sum(len(entry.data) for entry in await here.read("r")) < 100_000
    (bad,) = await there.read("r", types=["malformed"])
    assert f"a line of {len(part) * count} bytes".encode() in bad.data
    assert len(await there.read("r", types=["unrecognized"])) == 2
