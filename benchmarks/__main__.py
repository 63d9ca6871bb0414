"""`make bench`: every benchmark, as ratios against peers and limits, in one run."""

from __future__ import annotations

from pathlib import Path

from benchmarks import (
    fanout_deliveries,
    fanout_idle,
    fanout_unread,
    log_append,
    startup,
    translate,
)

CACHE = Path(".cache/benchmarks")

if __name__ == "__main__":
    startup.main()
    translate.main(CACHE)
    log_append.main()
    fanout_deliveries.main()
    fanout_idle.main()
    fanout_unread.main()
