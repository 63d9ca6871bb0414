"""`make bench`: every benchmark, as ratios against peers and limits, in one run."""

from __future__ import annotations

from pathlib import Path

from benchmarks import translate

CACHE = Path(".cache/benchmarks")

if __name__ == "__main__":
    translate.main(CACHE)
