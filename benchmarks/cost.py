"""`unbraid cost`: against ccusage in the same run, and against the truth of the history it reads.

    CCUSAGE=…/node_modules/.bin/ccusage python -m benchmarks.cost [FOLDER]

FOLDER gets a history of 200 MB in 600 sessions, unless it has one already. The package and those
that it imports are compiled first, as pip does when it installs one. Beside the time, the CPU time
is compared: on a machine that is busy it is the number that counts.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from compileall import compile_dir, compile_file
from pathlib import Path
from typing import NamedTuple

import click
import msgspec
import typing_extensions

import unbraid
from benchmarks.index_history import make
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


class Taken(NamedTuple):
    """What a command has taken, and what it printed."""

    seconds: float
    cpu_seconds: float
    printed: bytes


def taken(command: list[str], **env: str) -> Taken:
    """Runs a command as a person starts it."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command,
        check=True,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(time.perf_counter() - began, cpu, done.stdout)


def compared(
    what: str, ours: list[Taken], theirs: list[Taken], *, at_most: float
) -> list[Measured]:
    """The shortest of a few rounds counts: other work on the machine only adds."""
    rows = []
    for name, unit in (("seconds", "of the time"), ("cpu_seconds", "of the CPU time")):
        own, other = (min(getattr(each, name) for each in side) for side in (ours, theirs))
        detail = f"{own:.2f} s against {other:.2f} s"
        rows.append(
            Measured(
                f"cost of 200 MB, {what}",
                own / other,
                unit,
                "ccusage",
                at_most=at_most,
                detail=detail,
            )
        )
    return rows


def main(folder: Path) -> list[Measured]:
    """All of it."""
    if not (folder / "projects").is_dir():
        make(folder, SESSIONS, BYTES)
    wanted = truth(folder)
    for package in (unbraid, click, msgspec):
        compile_dir(Path(package.__file__ or "").parent, quiet=1)
    compile_file(typing_extensions.__file__, quiet=1)
    ccusage = os.environ.get("CCUSAGE") or shutil.which("ccusage")
    command = [str(Path(sys.executable).with_name("unbraid")), "cost", "--json"]
    cold, warm, theirs = list[Taken](), list[Taken](), list[Taken]()
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as home:
            env = {"CLAUDE_CONFIG_DIR": str(folder), "UNBRAID_HOME": home, "HOME": home}
            cold.append(taken(command, **env))
            warm.append(taken(command, **env))
        if ccusage is not None:
            asked = [ccusage, "daily", "--offline", "--json"]
            theirs.append(taken(asked, CLAUDE_CONFIG_DIR=str(folder)))
    total = json.loads(cold[-1].printed)["total"]
    wrong = sum(abs(total[name] - count) for name, count in zip(COUNTS, wanted, strict=True))
    rows = [
        Measured("cost of 200 MB, tokens counted wrongly", wrong, "tokens", "the truth", at_most=0)
    ]
    if not theirs:
        seconds = min(each.seconds for each in cold)
        rows.append(Measured("cost of 200 MB, time", seconds, "s", "no ccusage: no ratio"))
        return rows
    their_cost = json.loads(theirs[-1].printed)["totals"]["totalCost"]
    apart = abs(total["cost_usd"] - their_cost) / their_cost
    rows += compared("nothing known before", cold, theirs, at_most=1.2)
    rows += compared("again", warm, theirs, at_most=1 / 3)
    rows.append(
        Measured(
            "cost of 200 MB, dollars apart",
            apart * 100,
            "%",
            "ccusage",
            at_most=0.1,
            detail=f"${total['cost_usd']:.2f} against ${their_cost:.2f}",
        )
    )
    return rows


if __name__ == "__main__":
    print(table(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".cache/benchmarks/history-200"))))
