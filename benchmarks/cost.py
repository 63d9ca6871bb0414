"""`unbraid cost`: against ccusage in the same run, and against the truth of the history it reads.

    CCUSAGE=…/node_modules/.bin/ccusage python -m benchmarks.cost [FOLDER]

FOLDER gets a history of 200 MB in 600 sessions, unless it has one already. The package is compiled
first, as pip does when it installs one.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from compileall import compile_dir
from pathlib import Path
from typing import Any

import unbraid
from benchmarks.index_history import make
from benchmarks.index_speed import timed
from benchmarks.table import Measured, table

SESSIONS, BYTES = 600, 200_000_000
ROUNDS = 3
COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")


def truth(folder: Path) -> list[int]:
    """What the made history holds: each message once."""
    messages: dict[str, dict[str, int]] = {}
    for path in folder.rglob("*.jsonl"):
        with path.open("rb") as file:
            for line in file:
                message = json.loads(line)["message"]
                if "usage" in message:
                    messages[message["id"]] = message["usage"]
    names = (
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
    )
    return [sum(usage[name] for usage in messages.values()) for name in names]


def cost(folder: Path, home: Path) -> tuple[float, dict[str, Any]]:
    """The command, as a person starts it."""
    program = str(Path(sys.executable).with_name("unbraid"))
    env = {"CLAUDE_CONFIG_DIR": str(folder), "UNBRAID_HOME": str(home), "HOME": str(home)}
    seconds, printed = timed([program, "cost", "--json"], **env)
    total: dict[str, Any] = json.loads(printed)["total"]
    return seconds, total


def main(folder: Path) -> list[Measured]:
    """All of it. The shortest of a few rounds counts: other work on the machine only adds."""
    if not (folder / "projects").is_dir():
        make(folder, SESSIONS, BYTES)
    wanted = truth(folder)
    compile_dir(Path(unbraid.__file__).parent, quiet=1)
    cold: list[float] = []
    warm: list[float] = []
    total: dict[str, Any] = {}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as scratch:
            seconds, total = cost(folder, Path(scratch))
            cold.append(seconds)
            warm.append(cost(folder, Path(scratch))[0])
    wrong = sum(abs(total[name] - count) for name, count in zip(COUNTS, wanted, strict=True))
    rows = [
        Measured("cost of 200 MB, tokens counted wrongly", wrong, "tokens", "the truth", at_most=0)
    ]
    ccusage = os.environ.get("CCUSAGE") or shutil.which("ccusage")
    if ccusage is None:
        rows.append(Measured("cost of 200 MB, time", min(cold), "s", "no ccusage: no ratio"))
        return rows
    command, theirs = [ccusage, "daily", "--offline", "--json"], list[float]()
    for _ in range(ROUNDS):
        seconds, printed = timed(command, CLAUDE_CONFIG_DIR=str(folder))
        theirs.append(seconds)
    their_cost = json.loads(printed)["totals"]["totalCost"]
    apart = abs(total["cost_usd"] - their_cost) / their_cost
    detail = f"{min(cold):.2f} s against {min(theirs):.2f} s"
    again = f"{min(warm):.2f} s against {min(theirs):.2f} s"
    rows += [
        Measured(
            "cost of 200 MB, nothing known before",
            min(cold) / min(theirs),
            "of the time",
            "ccusage",
            at_most=1.0,
            detail=detail,
        ),
        Measured(
            "cost of 200 MB, again",
            min(warm) / min(theirs),
            "of the time",
            "ccusage",
            at_most=1 / 3,
            detail=again,
        ),
        Measured(
            "cost of 200 MB, dollars apart",
            apart * 100,
            "%",
            "ccusage",
            at_most=0.1,
            detail=f"${total['cost_usd']:.2f} against ${their_cost:.2f}",
        ),
    ]
    return rows


if __name__ == "__main__":
    print(table(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".cache/benchmarks/history-200"))))
