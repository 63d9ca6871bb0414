"""Search in the SQLite file.

`fleet/query` decides what matches, and how well. FTS5 finds whole words and beginnings of words at
once. It knows nothing of what is inside of words, and an index that did would be larger than the
log; but it lists its words. So if the first two have not found enough, those of its words that
contain the text are looked up; they are few compared with everything that was said. A text that is
in very many of them is so frequent that reading the newest blocks finds it soon.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterable
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from unbraid.fleet.query import Query, folded
from unbraid.log.port import Found
from unbraid.log.search_blocks import RankedResult, best_first, max_results_per_run

T = TypeVar("T")

# So much text is read at once: a search whose caller is gone ends soon.
PAGE_CHARS = 1 << 20
# More words than this that have a text in them are not looked up.
MAX_WORDS = 500
# As the index has it, which cuts words off past so many bytes.
TOKENIZER = "unicode61 remove_diacritics 2"
MAX_WORD_BYTES = 32_768

_BLOCKS = """SELECT said.id, said.text, runs.run, said.stream_id, said.seq, said.kind, said.ts
    FROM said JOIN runs ON runs.id = said.run"""
_OF_RUN = "said.run = (SELECT id FROM runs WHERE run = ?)"
_LAST_ID = (1 << 63) - 1

Hits = dict[int, RankedResult]


class ReadJobRunner(Protocol):
    """Runs a job on a connection that only reads."""

    def __call__(self, job: Callable[[sqlite3.Connection], T], /) -> Awaitable[T]: ...


class _Page(NamedTuple):
    hits: Hits
    first_id: int | None  # None: there are no blocks before these


async def search_results(
    read: ReadJobRunner, query: str, *, run: str | None, limit: int
) -> list[Found]:
    """Returns where agents said it, best first."""
    wanted = Query(query)
    if not wanted:
        return []
    found: Hits = {}
    for star in ("", "*"):
        if len(found) < limit:
            found |= await read(partial(_indexed, wanted, star=star, run=run, limit=limit))
    if len(found) < limit:
        words = await read(partial(_with_words_inside, wanted))
        before: int | None = _LAST_ID
        while len(found) < limit and before is not None and words != "":
            page = await read(partial(_page, wanted, words=words, run=run, before=before))
            found |= page.hits
            before = page.first_id
    return best_first(found.values(), limit)


def _indexed(
    query: Query, connection: sqlite3.Connection, *, star: str, run: str | None, limit: int
) -> Hits:
    """Returns what the index has of whole words; with a star, of beginnings of words."""
    words = " ".join(_quoted(term) + star for term in query.terms)
    rows = connection.execute(
        f"""{_BLOCKS} WHERE said.id IN (SELECT id FROM (
                SELECT said.id, said.ts,
                row_number() OVER (PARTITION BY said.run ORDER BY said.ts DESC) AS number
                FROM said_words JOIN said ON said.id = said_words.rowid
                WHERE said_words MATCH ? AND (? IS NULL OR {_OF_RUN}))
            ORDER BY number > ?, ts DESC LIMIT ?)""",
        (words, run, run, max_results_per_run(limit), limit),
    )
    return _matching(query, rows)


def _with_words_inside(query: Query, connection: sqlite3.Connection) -> str | None:
    """Returns what to ask FTS5 for to get all blocks that can match; "" if there are none, and None
    if the index is of no help.
    """
    inside: dict[str, list[str]] = {folded(piece): [] for piece in _pieces(query)}
    # As bytes: a word may have been cut off within a character.
    for (data,) in connection.execute("SELECT CAST(term AS BLOB) FROM temp.said_terms"):
        word = data.decode(errors="ignore")
        compared = word if word.isascii() else folded(word)
        for piece, words in inside.items():
            if len(data) >= MAX_WORD_BYTES:
                words.append(_quoted(word[:100]) + "*")
            elif piece in compared and len(words) <= MAX_WORDS:
                words.append(_quoted(word))
    if not all(inside.values()):
        return ""
    few = [words for words in inside.values() if len(words) <= MAX_WORDS]
    return " AND ".join(f"({' OR '.join(words)})" for words in few) or None


def _pieces(query: Query) -> list[str]:
    """Returns the words of a query as the index cuts them."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE VIRTUAL TABLE query USING fts5 (text, tokenize='{TOKENIZER}')")
        db.execute("CREATE VIRTUAL TABLE pieces USING fts5vocab (query, row)")
        db.executemany("INSERT INTO query VALUES (?)", [(term,) for term in query.terms])
        return [piece for (piece,) in db.execute("SELECT term FROM pieces")]


def _page(
    query: Query,
    connection: sqlite3.Connection,
    *,
    words: str | None,
    run: str | None,
    before: int,
) -> _Page:
    """Returns what the next blocks have, the newest first: all blocks, or those with some words."""
    source, number, where, values = _BLOCKS, "said.id", "TRUE", list[Any]()
    if words is not None:
        source += " JOIN said_words ON said_words.rowid = said.id"
        number, where, values = "said_words.rowid", "said_words MATCH ?", [words]
    if run is not None:
        where, values = f"{where} AND {_OF_RUN}", [*values, run]
    rows = connection.execute(
        f"{source} WHERE {where} AND {number} < ? ORDER BY {number} DESC", [*values, before]
    )
    blocks, chars = [], 0
    for block in rows:
        blocks.append(block)
        chars += len(block[1])
        if chars >= PAGE_CHARS:
            break
    # A statement left half read would keep its snapshot, and the WAL could not be cut back.
    rows.close()
    return _Page(_matching(query, blocks), blocks[-1][0] if chars >= PAGE_CHARS else None)


def _quoted(words: str) -> str:
    """Returns words as FTS5 has to have them, so that its operators are only words here."""
    return '"' + words.replace('"', '""') + '"'


def _matching(query: Query, blocks: Iterable[tuple[Any, ...]]) -> Hits:
    hits: Hits = {}
    for number, text, run, stream_id, seq, kind, ts in blocks:
        if (match := query.match(text)) is not None:
            result = Found(
                run=run, stream_id=stream_id, seq=seq, kind=kind, ts=ts, snippet=match.snippet
            )
            hits[number] = RankedResult(match.rank, result)
    return hits
