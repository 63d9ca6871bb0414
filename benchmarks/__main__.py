"""`make bench`: every benchmark, as ratios against peers and limits, in one run.

Peers are fetched where they can be (ccusage from npm) or used where they are (nginx with nchan);
without its peer a benchmark prints its own numbers alone.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

from benchmarks import (
    fanout_deliveries,
    fanout_idle,
    fanout_unread,
    index_live,
    index_speed,
    log_append,
    page,
    startup,
    translate,
)

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


if __name__ == "__main__":
    CACHE.mkdir(parents=True, exist_ok=True)
    startup.main()
    translate.main(CACHE)
    ccusage()
    index_speed.main(CACHE / "history")
    asyncio.run(index_live.latency(1000, 10.0))
    index_live.idle(CACHE / "history")
    log_append.main()
    fanout_deliveries.main()
    fanout_idle.main()
    fanout_unread.main()
    page.main()
