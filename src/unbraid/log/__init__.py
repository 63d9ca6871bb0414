"""The durable, ordered log of runs. `open_log` opens one; `Log` says what it can do."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unbraid.fold.usage import Usage as Usage
    from unbraid.log.engines import configured_log as configured_log
    from unbraid.log.engines import has_log as has_log
    from unbraid.log.engines import machine_log as machine_log
    from unbraid.log.engines import open_log as open_log
    from unbraid.log.engines import opened_log as opened_log
    from unbraid.log.entry import Entry as Entry
    from unbraid.log.leases import Leases as Leases
    from unbraid.log.memory import MemoryLog as MemoryLog
    from unbraid.log.port import Appended as Appended
    from unbraid.log.port import Found as Found
    from unbraid.log.port import Log as Log
    from unbraid.log.port import LogConflict as LogConflict
    from unbraid.log.port import LogReader as LogReader
    from unbraid.log.port import LogUnusable as LogUnusable
    from unbraid.log.port import every_run as every_run
    from unbraid.log.port import run_pages as run_pages
    from unbraid.log.port import staleness as staleness
    from unbraid.log.sqlite.log import SqliteLog as SqliteLog
    from unbraid.log.summary import RunSummary as RunSummary
    from unbraid.system.home import data_folder as data_folder

# Imported when first asked for: a list of stored sessions folds summaries, and needs no database.
_MODULES = {
    "unbraid.fold.usage": "Usage",
    "unbraid.log.engines": "configured_log has_log machine_log open_log opened_log",
    "unbraid.log.entry": "Entry",
    "unbraid.log.leases": "Leases",
    "unbraid.log.memory": "MemoryLog",
    "unbraid.log.port": "Appended Found Log LogConflict LogReader LogUnusable"
    " every_run run_pages staleness",
    "unbraid.log.sqlite.log": "SqliteLog",
    "unbraid.log.summary": "RunSummary",
    "unbraid.system.home": "data_folder",
}
_PUBLIC = {name: module for module, names in _MODULES.items() for name in names.split()}
__all__ = list(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)
