"""Passwords in the columns of tables: Markdown, CSV, or words set apart by blanks.

The name stands in the first row, far before its values; or, in a table of names and values, in the
cell before. Only what has both letters and digits counts: other cells say what a password is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unbraid.redact.view import View

# In small letters: one of them is in each text that has such a column.
ANCHORS = frozenset((b"password", b"passwd", b"passwort", b"kennwort", b"passphrase"))
MAX_ROW_BYTES = 400
MAX_ROWS = 50

# The end of a row; with a quote, that of the text.
_BREAK = re.compile(rb"\n|\\{1,4}n|\\{0,4}\"")
_LINE_START = re.compile(rb".*(?:\n|\\n|\")", re.DOTALL)
_SEPARATORS = tuple(map(re.compile, (rb"\|", rb"[,;]", rb"\t|\\t|[ ]{2,}")))
_BEGINS = re.compile(rb"pass(?:w|phrase)|kennwort")
_NAME = re.compile(rb"[ *`]*(?:user[ _])?(?:password|passwd|passwort|kennwort|passphrase)[ *`]*")
_TITLE = re.compile(rb"[\w .*`()-]{0,40}")
_RULE = re.compile(rb"[-:= ]*")
_VALUE = re.compile(rb"[ *`]*(?P<value>[^\s\"'`\\,;|<>(){}\[\]]{6,128})[ *`]*(?:\\{1,4}r)?")


def ranges(seen: View) -> Iterator[tuple[int, int]]:
    """Yields where such passwords are."""
    for start, cell in _cells(seen):
        found = _VALUE.fullmatch(cell)
        if found is not None and _is_password(found["value"]):
            yield start + found.start("value"), start + found.end("value")


def open_values(seen: View) -> Iterator[int]:
    """Yields where a cell begins with which the text ends: there may be more of it."""
    for start, cell in _cells(seen):
        if start + len(cell) >= len(seen.text):
            yield start + len(cell) - len(cell.lstrip(b" *`"))


def _is_password(value: bytes) -> bool:
    has_digit = len(value) != len(value.translate(None, b"0123456789"))
    return has_digit and value.lower() != value.upper() and not value.lower().startswith(b"http")


def _cells(seen: View) -> Iterator[tuple[int, bytes]]:
    """Yields the cells that a name of a password belongs to, and where each begins."""
    if ANCHORS.isdisjoint(seen.anchors):
        return
    text, lower, done = seen.text, seen.lower, 0
    for name in _BEGINS.finditer(lower):
        if name.start() < done:
            continue
        first = max(done, name.start() - MAX_ROW_BYTES)
        before = _LINE_START.match(lower, first, name.start())
        start = before.end() if before else first
        # Other names in this row belong to the same table, or to none.
        end = _BREAK.search(lower, name.end(), start + MAX_ROW_BYTES)
        done = end.start() if end else max(name.end(), start + MAX_ROW_BYTES)
        for separator in _SEPARATORS:
            rows = _rows(lower, start, separator)
            head = next(rows, [])
            column = next((i for i, (_, cell) in enumerate(head) if _NAME.fullmatch(cell)), None)
            if column is None or len(head) < 2:
                continue
            if not all(_TITLE.fullmatch(cell) for _, cell in head):
                break
            if column + 1 < len(head) and separator is _SEPARATORS[0]:
                offset, cell = head[column + 1]
                yield offset, text[offset : offset + len(cell)]
            for row in rows:
                if len(row) > len(head) or len(row) <= column:
                    break
                offset, cell = row[column]
                done = max(done, offset + len(cell))
                if not _RULE.fullmatch(cell):
                    yield offset, text[offset : offset + len(cell)]
            break


def _rows(
    lower: bytes, start: int, separator: re.Pattern[bytes]
) -> Iterator[list[tuple[int, bytes]]]:
    """Yields the rows of a table: where each cell begins, and what it is."""
    for _ in range(MAX_ROWS):
        end = _BREAK.search(lower, start, start + MAX_ROW_BYTES)
        stop = end.start() if end else min(len(lower), start + MAX_ROW_BYTES)
        row, at = list[tuple[int, bytes]](), start
        for found in separator.finditer(lower, start, stop):
            row.append((at, lower[at : found.start()]))
            at = found.end()
        row.append((at, lower[at:stop]))
        yield row
        if end is None or end[0].endswith(b'"'):
            return
        start = end.end()
