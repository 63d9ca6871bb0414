"""Bytes to relay events, against `orjson.loads` of every line alone, in one run."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from benchmarks import streams
from benchmarks.table import Measured, table
from unbraid import Translator

SIZE = 50_000_000
ROUNDS = 15
CHUNK = 1 << 16


def parse(data: bytes) -> None:
    """The reference: every line as objects, and nothing done with them."""
    loads = orjson.loads
    for line in data.split(b"\n"):
        if line:
            loads(line)


def translate(data: bytes) -> None:
    """What we measure: the same bytes as relay events."""
    translator = Translator()
    for start in range(0, len(data), CHUNK):
        translator.feed(data[start : start + CHUNK])
    translator.finish()


def quickest(works: list[Callable[[bytes], None]], data: bytes) -> list[float]:
    """The quickest of many rounds of each, in turn: other work on the machine only adds time."""
    times = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for i, work in enumerate(works):
            gc.collect()
            started = time.process_time()
            work(data)
            times[i] = min(times[i], time.process_time() - started)
    return times


def memory(cache: Path) -> int:
    """The memory, in bytes, that a 1 GB stream needs; measured in a process of its own."""
    program = """
import sys
from pathlib import Path
from unbraid import Translator
data = Path(sys.argv[1]).open("rb").read(8 << 20)
data = data[: data.rfind(b"\\n") + 1]
translator = Translator()
count = 0
# Every copy gets uuids, message and call ids of its own: nothing repeats.
for n in range(1_000_000_000 // len(data) + 1):
    mark = b"%06d" % n
    part = data.replace(b'"msg_000000', b'"msg_' + mark).replace(b'"toolu_0000', b'"toolu_' + mark)
    part = part.replace(b'"uuid":"', b'"uuid":"' + mark)
    for start in range(0, len(part), 1 << 16):
        count += len(translator.feed(part[start : start + (1 << 16)]))
translator.finish()
# Not ru_maxrss: that begins with what the process that started this one had.
peak = next(row for row in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in row)
print(int(peak.split()[1]) * 1024, count)
"""
    path = streams.write(cache / "one_block.ndjson", streams.one_block(SIZE))
    command = [sys.executable, "-c", program, str(path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return int(printed.split()[0])


def main(cache: Path) -> list[Measured]:
    """Speed and memory."""
    rows: list[Measured] = []
    for name, make, large, wanted in (
        ("one block, large", streams.one_block, True, 1.0),
        ("one block, small", streams.one_block, False, 1.0),
        ("cumulative, large", streams.cumulative, True, 3.0),
        ("cumulative, small", streams.cumulative, False, 3.0),
    ):
        file = make.__name__ + ("" if large else "_small") + ".ndjson"
        path = streams.write(cache / file, make(SIZE, large=large))
        data = path.read_bytes()
        reference, ours = quickest([parse, translate], data)
        lines = data.count(b"\n")
        detail = f"{len(data) / 1e6:.0f} MB, {len(data) / lines / 1e3:.1f} kB a line"
        rows.append(
            Measured(
                f"bytes to events, {name}",
                reference / ours,
                "times as fast",
                "orjson.loads",
                at_least=wanted,
                detail=detail,
            )
        )
    rows.append(Measured("memory for a 1 GB stream", memory(cache) / 1e6, "MB", at_most=100))
    return rows


if __name__ == "__main__":
    print(table(main(Path(".cache/benchmarks"))))
