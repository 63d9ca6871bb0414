"""The durable, ordered log of runs."""

from unbraid.fleet.usage import Usage
from unbraid.log.entry import Entry
from unbraid.log.folder import data_folder
from unbraid.log.memory import MemoryLog
from unbraid.log.port import (
    Appended,
    Found,
    Log,
    LogConflict,
    LogUnusable,
    Retained,
    SearchableLog,
)
from unbraid.log.sqlite import SqliteLog
from unbraid.log.summary import RunSummary

__all__ = [
    "Appended",
    "Entry",
    "Found",
    "Log",
    "LogConflict",
    "LogUnusable",
    "MemoryLog",
    "Retained",
    "RunSummary",
    "SearchableLog",
    "SqliteLog",
    "Usage",
    "data_folder",
]
