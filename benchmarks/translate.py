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
TURNS = 5
ROUNDS = 5
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


WORKS: dict[str, Callable[[bytes], None]] = {"parse": parse, "translate": translate}


def quickest(path: Path) -> list[float]:
    """The quickest of many rounds of each: other work on the machine only adds time.

    In turn, and each in processes of its own: the memory that one leaves behind slows the other.
    """
    times = [float("inf")] * len(WORKS)
    for _ in range(TURNS):
        for i, name in enumerate(WORKS):
            command = [sys.executable, "-m", "benchmarks.translate", name, str(path)]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            times[i] = min(times[i], float(printed))
    return times


def rounds(name: str, path: Path) -> float:
    """The seconds that the quickest of some rounds took in this process."""
    data = path.read_bytes()
    best = float("inf")
    for _ in range(ROUNDS):
        gc.collect()
        started = time.process_time()
        WORKS[name](data)
        best = min(best, time.process_time() - started)
    return best


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
        reference, ours = quickest(path)
        data = path.read_bytes()
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


if __name__ == "__main__" and sys.argv[1:]:
    print(rounds(sys.argv[1], Path(sys.argv[2])))
elif __name__ == "__main__":
    print(table(main(Path(".cache/benchmarks"))))
