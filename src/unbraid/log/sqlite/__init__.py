"""The log in one SQLite file: the engine that needs no set-up."""

from unbraid.log.sqlite.log import SqliteLog

__all__ = ["SqliteLog"]
