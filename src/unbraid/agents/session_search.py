"""Which of many files may hold some words.

`rg` or `grep` finds the files, where there is one: nothing we could write reads a gigabyte as fast.
What it finds is looked at closely: a word in a path or an id is not something that an agent said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from unbraid.agents.files import may_hold
from unbraid.fold.query import json_forms
from unbraid.system.files import chunks

FILES_AT_ONCE = 128
# These programs hold a line in memory, however long it is.
MAX_GREP_BYTES = 64 << 20
GREPS_AT_ONCE = min(os.cpu_count() or 1, 4)
FINDERS = (
    ("rg", "-l0aFi", "--no-config", "--no-ignore", "--hidden"),
    ("grep", "-lZaFi"),
)


def files_that_may_hold(sizes: Mapping[str, int], needle: str) -> Iterator[str]:
    """Yields those of some files of JSON lines that may hold a needle in small letters, in their
    order. The files are given with their sizes.
    """
    program, forms = _finder(), _forms(needle)
    # Only ASCII and what has no cases is left: others not every program knows.
    if program is None or forms is None:
        yield from (path for path in sizes if _file_may_hold(path, needle))
        return
    program += [argument for form in forms for argument in ("-e", form)]
    paths = [*sizes]
    batches = [paths[at : at + FILES_AT_ONCE] for at in range(0, len(paths), FILES_AT_ONCE)]
    with ThreadPoolExecutor(GREPS_AT_ONCE) as pool:
        # Only a few ahead: what is found soon may be enough.
        ahead: deque[Future[set[str]]] = deque()
        for number, batch in enumerate(batches):
            while len(ahead) < GREPS_AT_ONCE and number + len(ahead) < len(batches):
                next_batch = batches[number + len(ahead)]
                small = [path for path in next_batch if sizes[path] <= MAX_GREP_BYTES]
                ahead.append(pool.submit(_found, [*program, "--", *small]))
            holding = ahead.popleft().result()
            for path in batch:
                if path in holding or (
                    sizes[path] > MAX_GREP_BYTES and _file_may_hold(path, needle)
                ):
                    yield path


def _finder() -> list[str] | None:
    """Returns the fastest program there is that finds files by bytes in them, whatever
    their case.
    """
    for words in FINDERS:
        program = shutil.which(words[0])
        if program is not None:
            return [program, *words[1:]]
    return None


def _found(command: list[str]) -> set[str]:
    # In the C locale bytes are bytes, and nothing is slower for being UTF-8.
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )
    return set(os.fsdecode(done.stdout).split("\0"))


def _file_may_hold(path: str, needle: str) -> bool:
    try:
        return may_hold(chunks(Path(path)), needle)
    except OSError:
        return False


def _forms(needle: str) -> list[str] | None:
    """Returns how JSON may spell a needle; None if that can be many ways."""
    return None if '"' in needle or "\\" in needle else json_forms(needle)
