"""What `unbraid cost` counts of Codex's sessions, against what the model served, and against what
ccusage's Codex reader finds in the same files.

The sessions are recordings of the real CLI. Some sub-agents repeat the history of their parents or
count on from the totals of their parents, and some files are compressed: tokens are easily counted
twice, or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.index_speed import timed
from benchmarks.table import Measured, NotMeasured, table

RECORDINGS = Path(__file__).parent.parent / "tests" / "recordings"


def main() -> list[Measured]:
    """The tokens of all recordings that say what was served."""
    folders = [folder for folder in sorted(RECORDINGS.glob("*.codex-*")) if _served(folder)]
    if not folders:
        raise NotMeasured("the recordings of Codex are in the repository alone")
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        for folder in folders:
            _copy(folder, home)
        return _compared(home, sum(map(_served, folders)), len(folders))


def _compared(home: Path, served: int, count: int) -> list[Measured]:
    program = str(Path(sys.executable).with_name("unbraid"))
    empty = {"CLAUDE_CONFIG_DIR": str(home / "none"), "XDG_DATA_HOME": str(home / "none")}
    env = {**empty, "CODEX_HOME": str(home), "UNBRAID_HOME": str(home / "ours"), "HOME": str(home)}
    total = json.loads(timed([program, "cost", "--json"], **env)[1])["total"]
    names = ("input_tokens", "cache_read_tokens", "cache_creation_tokens", "output_tokens")
    what = f"tokens of {count} Codex sessions"
    rows = [_found(f"{what}, unbraid", sum(total[name] for name in names), served, wanted=True)]
    ccusage = os.environ.get("CCUSAGE") or shutil.which("ccusage")
    if ccusage is not None:
        command = [ccusage, "codex", "daily", "--offline", "--json"]
        theirs: Mapping[str, Any] = json.loads(timed(command, **env)[1])["totals"]
        rows.append(_found(f"{what}, ccusage", theirs["totalTokens"], served, wanted=False))
    return rows


def _found(what: str, tokens: int, served: int, *, wanted: bool) -> Measured:
    """A ratio; of ours, how far it is from the truth, which is to be nothing."""
    detail = f"{tokens:,} of {served:,}"
    if wanted:
        apart = abs(tokens - served) / served
        return Measured(f"{what}: apart", apart, "", "the truth", at_most=0, detail=detail)
    return Measured(f"{what}: found", tokens / served, "", "the truth", detail=detail)


def _copy(folder: Path, home: Path) -> None:
    """Copies the threads of a recording; others may lie beside them, of which nothing is known."""
    threads = set(json.loads((folder / "truth.json").read_bytes())["threads"].values())
    for path in (folder / "sessions").rglob("rollout-*"):
        if any(thread in path.name for thread in threads):
            target = home / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def _served(folder: Path) -> int:
    truth = json.loads((folder / "truth.json").read_bytes())
    usage = truth.get("usage") or ()
    return sum(answer["input_tokens"] + answer["output_tokens"] for answer in usage)


if __name__ == "__main__":
    print(table(main()))
