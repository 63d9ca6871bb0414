"""Which ids the log accepts. They come from other machines, so anything unusual is refused here."""

from __future__ import annotations

import re

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
    if not _run.fullmatch(run):
        raise CallerError(f"not a run id: {run[:80]!r}")
    return run


def checked_source(source: str) -> str:
    """Returns the source's name, or CallerError."""
    if not _source.fullmatch(source):
        raise CallerError(f"not a source name: {source[:80]!r}")
    return source
