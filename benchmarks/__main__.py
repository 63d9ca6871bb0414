"""`make bench`: every benchmark in one run, and one table of ratios against peers and limits.

    python -m benchmarks [PART…]

Peers are fetched where they can be (ccusage from npm, claude-code-log from
PyPI) or used where they are (nginx with nchan);
without its peer a benchmark tells its own numbers alone, and says so.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from benchmarks import (
    cost,
    cost_codex,
    fanout_deliveries,
    fanout_idle,
    fanout_unread,
    hooks,
    hostile,
    index_live,
    index_speed,
    ingest,
    log_append,
    orchestrate,
    page,
    parsers,
    redaction,
    shared_log,
    startup,
    top,
    translate,
)
from benchmarks.table import Measured, NotMeasured, table

CACHE = Path(".cache/benchmarks")
CCUSAGE = "ccusage@20.0.24"


def ccusage() -> None:
    """Fetch the peer of the index, once."""
    program = CACHE / "node_modules" / ".bin" / "ccusage"
    npm = shutil.which("npm")
    if npm is not None and not program.exists():
        command = [npm, "install", "--silent", "--prefix", str(CACHE), CCUSAGE]
        subprocess.run(command, check=False, capture_output=True)
    if program.exists():
        os.environ["CCUSAGE"] = str(program.absolute())


def index() -> list[Measured]:
    """The index, with its peer."""
    ccusage()
    return index_speed.main(CACHE / "history")


def costs() -> list[Measured]:
    """The table of costs, with the same peer."""
    ccusage()
    return [*cost.main(CACHE / "history-200"), *cost_codex.main()]


def idle() -> list[Measured]:
    """A watch over the same history, made if it is not there."""
    index_speed.history(CACHE / "history")
    return index_live.idle(CACHE / "history")


PARTS: dict[str, Callable[[], list[Measured]]] = {
    "startup": startup.main,
    "hooks": hooks.main,
    "parsers": lambda: parsers.main(CACHE),
    "translate": lambda: translate.main(CACHE),
    "redaction": redaction.main,
    "index": index,
    "cost": costs,
    "latency": lambda: asyncio.run(index_live.latency(1000, 10.0)),
    "idle": idle,
    "hostile": hostile.main,
    "append": log_append.main,
    "shared": shared_log.main,
    "ingest": lambda: ingest.main(CACHE),
    "deliveries": fanout_deliveries.main,
    "viewers": fanout_idle.main,
    "unread": fanout_unread.main,
    "orchestrate": orchestrate.main,
    "page": page.main,
    "top": top.main,
}


def main(names: list[str]) -> int:
    """Run the parts, each whatever became of the others; 1 if one could not be run."""
    CACHE.mkdir(parents=True, exist_ok=True)
    rows: list[Measured] = []
    broken: list[str] = []
    missing: list[str] = []
    began = time.monotonic()
    for name in names or PARTS:
        started = time.monotonic()
        try:
            rows += PARTS[name]()
        except NotMeasured as reason:
            missing.append(f"{name} is not measured: {reason}")
        except Exception:
            traceback.print_exc()
            broken.append(name)
        print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    print(table(rows))
    print("", *missing, *(f"{name} has failed" for name in broken), sep="\n")
    print(f"{time.monotonic() - began:.0f} s in all")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
