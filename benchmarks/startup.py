"""How long `unbraid --version` takes to import what it needs, and how large the wheel is."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.table import Measured, table

LIMIT_SECONDS = 0.15
LIMIT_MEGABYTES = 1.5
ROUNDS = 9


def seconds() -> float:
    """The import time of the command line, as Python itself accounts for it."""
    command = [sys.executable, "-X", "importtime", "-c", "import unbraid.cli"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = re.findall(r"\|\s+(\d+) \| unbraid\.cli$", output, re.MULTILINE)
    return int(found[-1]) / 1e6


def wheel_bytes() -> int:
    """The size of the wheel, built from this folder."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", place]
        subprocess.run(command, capture_output=True, check=True)
        (wheel,) = Path(place).glob("*.whl")
        return wheel.stat().st_size


def main() -> list[Measured]:
    """The quickest of a few starts."""
    taken = min(seconds() for _ in range(ROUNDS))
    return [
        Measured("imports of unbraid --version", taken, "s", at_most=LIMIT_SECONDS),
        Measured("the wheel", wheel_bytes() / 1e6, "MB", at_most=LIMIT_MEGABYTES),
    ]


if __name__ == "__main__":
    print(table(main()))
