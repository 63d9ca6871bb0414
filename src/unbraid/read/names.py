"""Which ids the log accepts. They come from other machines, so anything unusual is refused here."""

from __future__ import annotations

import re
from collections.abc import Iterable

from unbraid.errors import CallerError

RUN_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
SOURCE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,255}$"

# fullmatch, because `$` also matches before a final newline.
_run = re.compile(RUN_PATTERN.strip("^$"))
_source = re.compile(SOURCE_PATTERN.strip("^$"))


def names_run(run: str) -> bool:
    """Returns whether a run can have this id."""
    return _run.fullmatch(run) is not None


def checked_run(run: str) -> str:
    """Returns the run's id, or CallerError."""
    check_names(run)
    return run


def check_names(run: str, sources: Iterable[str] = ()) -> None:
    """Raises CallerError unless a run can have this id, and its sources these names."""
    if not _run.fullmatch(run):
        raise CallerError(f"not a run id: {run[:80]!r}")
    for source in sources:
        if not _source.fullmatch(source):
            raise CallerError(f"not a source name: {source[:80]!r}")
