"""How long `unbraid --version` takes to import what it needs, against its limit."""

from __future__ import annotations

import re
import subprocess
import sys

LIMIT_SECONDS = 0.15
ROUNDS = 9


def seconds() -> float:
    """The import time of the command line, as Python itself accounts for it."""
    command = [sys.executable, "-X", "importtime", "-c", "import unbraid.cli"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = re.findall(r"\|\s+(\d+) \| unbraid\.cli$", told, re.MULTILINE)
    return int(found[-1]) / 1e6


def main() -> None:
    """Print the quickest of a few starts."""
    taken = min(seconds() for _ in range(ROUNDS))
    share = taken / LIMIT_SECONDS
    print(
        f"{'unbraid --version':18} {taken:5.3f} s of imports, {share:.2f} of its limit (wanted: 1)"
    )


if __name__ == "__main__":
    main()
