"""How long `unbraid --version` takes to import what it needs, against its limit."""

from __future__ import annotations

import re
import subprocess
import sys

from benchmarks.table import Measured, table

LIMIT_SECONDS = 0.15
ROUNDS = 9


def seconds() -> float:
    """The import time of the command line, as Python itself accounts for it."""
    command = [sys.executable, "-X", "importtime", "-c", "import unbraid.cli"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = re.findall(r"\|\s+(\d+) \| unbraid\.cli$", told, re.MULTILINE)
    return int(found[-1]) / 1e6


def main() -> list[Measured]:
    """The quickest of a few starts."""
    taken = min(seconds() for _ in range(ROUNDS))
    return [Measured("imports of unbraid --version", taken, "s", at_most=LIMIT_SECONDS)]


if __name__ == "__main__":
    print(table(main()))
