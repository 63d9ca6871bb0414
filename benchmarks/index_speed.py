"""Indexing, searching and opening history: ratios against ccusage and grep, in one run.

    CCUSAGE=…/node_modules/.bin/ccusage python -m benchmarks.index_speed [FOLDER]

FOLDER gets a synthetic history of 1 GB in 2,000 sessions, unless it has one already.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.index_history import make
from benchmarks.table import Measured, table

WORDS = "nothing like this anywhere"


def child(what: str, folder: Path, home: Path) -> dict[str, float]:
    """Measure in a process of its own, imports and all."""
    began = time.time()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.index_speed", what, str(folder), str(home), str(began)],
        check=True,
        stdout=subprocess.PIPE,
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def index(folder: Path, home: Path, began: float) -> dict[str, float]:
    """Index everything."""
    from unbraid.record.sessions.stored_facts import stored_facts

    first, tokens = 0.0, 0
    env = {"CLAUDE_CONFIG_DIR": str(folder), "HOME": str(home)}
    for number, row in enumerate(stored_facts(env, home, warn=print)):
        tokens += row.facts.usage.total_tokens
        if number == 20:
            first = time.time() - began
    # Not ru_maxrss: that begins with what the process that started this one had.
    rows = Path("/proc/self/status").read_text().splitlines()
    peak = int(next(row for row in rows if "VmHWM" in row).split()[1]) / 1024
    seconds = time.time() - began
    return {
        "seconds": seconds,
        "first": first,
        "tokens": tokens,
        "mb": peak,
    }


def search(folder: Path, home: Path, began: float) -> dict[str, float]:
    """Search for what is nowhere."""
    from unbraid.record.sessions.stored_sessions import search_files

    found = len(list(search_files(f'"{WORDS}"', {"CLAUDE_CONFIG_DIR": str(folder)})))
    return {"seconds": time.time() - began, "found": found}


def opening(folder: Path, home: Path, began: float) -> dict[str, float]:
    """Open the session that is nearest to 20 MB: every event of it, and its tree."""
    from unbraid.agents.claude.sessions.follower import Session
    from unbraid.agents.claude.sessions.layout import Scan
    from unbraid.fold.pipeline import Pipeline
    from unbraid.fold.tree import Tree
    from unbraid.read.reader import import_dialects

    import_dialects()  # as every process has that serves runs

    def size(found: object) -> int:
        return sum(file.size for file in (found.main, *found.children))  # type: ignore[attr-defined]

    sessions = Scan({"CLAUDE_CONFIG_DIR": str(folder)}).sessions
    chosen = min(sessions, key=lambda found: abs(size(found) - 20_000_000))
    began = time.time()
    pipeline, tree, events = Pipeline(), Tree(), 0
    for fed in Session(Path(chosen.main.path)).drain(now=True, last=True):
        for event in pipeline.feed(fed.data, fed.source):
            tree.apply([event])
            events += 1
    seconds = time.time() - began
    return {"seconds": seconds, "mb": size(chosen) / 1e6, "events": events}


def first_view(folder: Path) -> float:
    """From the start of `unbraid` to the first sessions on the screen, nothing known before."""
    program = str(Path(sys.executable).with_name("unbraid"))
    with tempfile.TemporaryDirectory() as home:
        env = os.environ | {"CLAUDE_CONFIG_DIR": str(folder), "UNBRAID_HOME": home, "HOME": home}
        began = time.time()
        command = [program, "watch", "--no-page"]
        process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE)
        assert process.stderr is not None
        for _ in range(10):
            process.stderr.readline()
        seconds = time.time() - began
        process.terminate()
        process.communicate()
    return seconds


def timed(command: list[str], **env: str) -> tuple[float, bytes]:
    """A peer, and what it printed."""
    began = time.time()
    done = subprocess.run(command, stdout=subprocess.PIPE, env=os.environ | env, check=False)
    return time.time() - began, done.stdout


def history(folder: Path) -> None:
    """The history that is read, made once."""
    if not (folder / "projects").is_dir():
        make(folder, 2000, 1_000_000_000)


def main(folder: Path) -> list[Measured]:
    """All of it."""
    rows: list[Measured] = []
    history(folder)
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        timed(["grep", "-rc", "warm the cache", str(folder)])
        ours = child("index", folder, home)
        again = child("index", folder, home)
        second = f"second start {again['seconds']:.2f} s"
        rows += [
            Measured("index of 1 GB, first 20 runs", ours["first"], "s", at_most=1.0),
            Measured("index of 1 GB, memory", ours["mb"], "MB", at_most=200, detail=second),
            Measured("`unbraid` on 1 GB, first 10 on screen", first_view(folder), "s", at_most=1.0),
        ]
        ccusage = os.environ.get("CCUSAGE") or shutil.which("ccusage")
        if ccusage:
            command = [ccusage, "daily", "--offline", "--json"]
            seconds, printed = timed(command, CLAUDE_CONFIG_DIR=str(folder))
            theirs = json.loads(printed)["totals"]["totalTokens"]
            same = (
                "the same total" if theirs == ours["tokens"] else f"{theirs} tokens, not the same"
            )
            rows.append(
                Measured(
                    "index of 1 GB, time",
                    ours["seconds"] / seconds,
                    "of the time",
                    "ccusage",
                    at_most=1.2,
                    detail=f"{ours['seconds']:.2f} s against {seconds:.2f} s, {same}",
                )
            )
        else:
            rows.append(
                Measured("index of 1 GB, time", ours["seconds"], "s", "no ccusage: no ratio")
            )
        found = child("search", folder, home)
        seconds, _ = timed(["grep", "-r", WORDS, str(folder)])
        rows.append(
            Measured(
                "search of 1 GB, time",
                found["seconds"] / seconds,
                "of the time",
                "grep -r",
                at_most=2.0,
                detail=f"{found['seconds']:.2f} s against {seconds:.2f} s",
            )
        )
        opened = child("opening", folder, home)
        detail = f"{opened['mb']:.0f} MB, {opened['events']:.0f} events"
        rows.append(
            Measured("opening a 20 MB run", opened["seconds"], "s", at_most=0.5, detail=detail)
        )
    return rows


if __name__ == "__main__":
    if len(sys.argv) == 5:
        job = {"index": index, "search": search, "opening": opening}[sys.argv[1]]
        print(json.dumps(job(Path(sys.argv[2]), Path(sys.argv[3]), float(sys.argv[4]))))
    else:
        print(table(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".cache/benchmarks/history"))))
