"""Many rows into one table, quickly.

SQLite's module gives up the interpreter's lock for each statement that it runs. So a statement for
each row costs more than the row, and waits for the other threads again and again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import Any

ROWS_PER_STATEMENT = 20


class Inserts:
    """Inserts rows into some columns of a table."""

    def __init__(self, table: str, columns: Sequence[str]) -> None:
        row = f"({', '.join('?' * len(columns))})"
        self._one = f"INSERT INTO {table} ({', '.join(columns)}) VALUES {row}"
        self._many = self._one + f", {row}" * (ROWS_PER_STATEMENT - 1)

    def run(self, connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Inserts the rows, in their order."""
        first = 0
        while len(rows) - first >= ROWS_PER_STATEMENT:
            part = rows[first : first + ROWS_PER_STATEMENT]
            connection.execute(self._many, tuple(chain.from_iterable(part)))
            first += ROWS_PER_STATEMENT
        connection.executemany(self._one, rows[first:] if first else rows)
