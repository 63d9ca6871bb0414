"""The durable, ordered log of runs. `open_log` opens one; `Log` says what it can do."""

from unbraid.fleet.usage import Usage
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
