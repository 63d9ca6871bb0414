"""The durable, ordered log of runs. `open_log` opens one; `Log` says what it can do."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unbraid.fold.usage import Usage
    from unbraid.log.engines import (
        configured_log,
        has_log,
        machine_log,
        open_log,
        opened_log,
    )
    from unbraid.log.entry import Entry
    from unbraid.log.leases import Leases
    from unbraid.log.memory import MemoryLog
    from unbraid.log.port import (
        Appended,
        Found,
        Log,
        LogConflict,
        LogReader,
        LogUnusable,
        every_run,
        run_pages,
        staleness,
    )
    from unbraid.log.sqlite import SqliteLog
    from unbraid.log.summary import RunSummary
    from unbraid.system.home import data_folder

__all__ = [
    "Appended",
    "Entry",
    "Found",
    "Leases",
    "Log",
    "LogConflict",
    "LogReader",
    "LogUnusable",
    "MemoryLog",
    "RunSummary",
    "SqliteLog",
    "Usage",
    "configured_log",
    "data_folder",
    "every_run",
    "has_log",
    "machine_log",
    "open_log",
    "opened_log",
    "run_pages",
    "staleness",
]

# Imported when first asked for: a list of stored sessions folds summaries, and needs no database.
_MODULES = {
    "unbraid.fold.usage": ("Usage",),
    "unbraid.log.entry": ("Entry",),
    "unbraid.log.leases": ("Leases",),
    "unbraid.log.memory": ("MemoryLog",),
    "unbraid.log.sqlite": ("SqliteLog",),
    "unbraid.log.summary": ("RunSummary",),
    "unbraid.system.home": ("data_folder",),
    "unbraid.log.engines": (
        "configured_log", "has_log", "machine_log", "open_log", "opened_log",
    ),
    "unbraid.log.port": (
        "Appended", "Found", "Log", "LogConflict", "LogReader", "LogUnusable",
        "every_run", "run_pages", "staleness",
    ),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
