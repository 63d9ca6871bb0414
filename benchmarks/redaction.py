"""Redaction: how many made-up secrets are hidden, how many of ten thousand harmless lines are
changed, and how fast lines of agents pass.
"""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.util import find_spec

from benchmarks import streams
from benchmarks.table import Measured, table
from tests.block_rows import RECORDINGS
from tests.redact.samples import harmless, leaked, samples
from unbraid.redact.secrets import redact
from unbraid.redact.source import line_redactor

SIZE = 20_000_000
CHUNK = 1 << 16
ROUNDS = 3
HARMLESS = 10_000


def recall() -> Measured:
    """The made-up secrets, each in text as it may be found."""
    made = samples()
    hidden = [each for each in made if not leaked(each, redact(each.text.encode()).decode())]
    return Measured(
        "secrets hidden", 100 * len(hidden) / len(made), "%", at_least=99, detail=f"of {len(made)}"
    )


def false_alarms() -> Measured:
    """Lines without a secret: code, logs, lockfiles, hashes, ids."""
    lines = harmless(HARMLESS)
    changed = [line for line in lines if redact(line.encode()) != line.encode()]
    return Measured(
        "harmless lines changed", len(changed), "lines", at_most=10, detail=f"of {len(lines):,}"
    )


def recorded() -> list[bytes]:
    """What real CLIs printed: short runs, each with ids of its own."""
    return [file.read_bytes() for file in sorted(RECORDINGS.glob("*/stdout.ndjson"))]


def speed(name: str, runs: list[bytes]) -> Measured:
    """Lines of agents' stdout, in chunks as they come."""
    best, size = float("inf"), sum(map(len, runs))
    for _ in range(max(ROUNDS, SIZE // size)):
        started = time.process_time()
        for data in runs:
            redactor, half = line_redactor(), b""
            for start in range(0, len(data), CHUNK):
                *lines, half = (half + data[start : start + CHUNK]).split(b"\n")
                redactor.push(lines)
                redactor.pop()
        best = min(best, time.process_time() - started)
    return Measured(f"redaction, {name} lines", size / best / 1e6, "MB/s", at_least=50)


def speed_without_extra() -> list[Measured]:
    """The same as for recorded lines, in a process in which the extra `redact` is not installed."""
    script = (
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *_: None if name == 'ahocorasick_rs' else find(name)\n"
        "from benchmarks.redaction import recorded, speed; print(speed('', recorded()).value)"
    )
    if find_spec("ahocorasick_rs") is None:
        return []
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    what = "redaction, recorded lines, without the extra `redact`"
    return [Measured(what, float(done.stdout), "MB/s")]


def main() -> list[Measured]:
    """All of it."""
    sizes = {"large": True, "small": False}
    made = {name: [b"".join(streams.one_block(SIZE, large=size))] for name, size in sizes.items()}
    lines = {"recorded": recorded(), **made}
    measured = [speed(name, data) for name, data in lines.items()]
    return [recall(), false_alarms(), *measured, *speed_without_extra()]


if __name__ == "__main__":
    print(table(main()))
