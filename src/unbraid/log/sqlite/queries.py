"""What readers ask the SQLite file, one function a question; at the end, search.

`fleet/query` decides what a search matches, and how well. FTS5 finds whole words and beginnings of
words at once. It knows nothing of what is inside of words, and an index that did would be larger
than the log; but it lists its words. So if the first two have not found enough, those of its words
that contain the text are looked up; they are few compared with everything that was said. A text
that is in very many of them is so frequent that reading the newest blocks finds it soon.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Iterable
from contextlib import closing
from typing import Any, NamedTuple

import msgspec

from unbraid.fold.query import Query, folded
from unbraid.fold.status import FILTERS
from unbraid.log.entry import Entry
from unbraid.log.port import Found
from unbraid.log.search_blocks import RankedResult, best_first, max_results_per_run
from unbraid.log.sqlite.file import Readers
from unbraid.log.summary import RunSummary, page_start
from unbraid.read.chunk import Chunk

# A page of huge events must not fill the memory: reading stops past this, whatever the limit.
MAX_PAGE_BYTES = 4 * 1024 * 1024
CHUNK_PAGE_BYTES = 16 * 1024 * 1024
# Sorts after everything that a name of a run can go on with.
LAST_CHARACTER = "\U0010ffff"

_decode_summary = msgspec.json.Decoder(RunSummary).decode


def run_entries(
    connection: sqlite3.Connection,
    run: str,
    *,
    since: int,
    limit: int,
    stream_id: int | None,
    types: Collection[str],
) -> list[Entry]:
    """Returns events of one run after a seq."""
    where, values = (
        ["run = (SELECT id FROM runs WHERE run = ?)", "seq > ?"],
        list[Any]((run, since)),
    )
    if stream_id is not None:
        where.append("stream_id = ?")
        values.append(stream_id)
    if types:
        where.append(f"type IN ({','.join('?' * len(types))})")
        values.extend(types)
    rows = connection.execute(
        f"SELECT cursor, ?, seq, ts, stream_id, type, data FROM events"
        f" WHERE {' AND '.join(where)} ORDER BY seq LIMIT ?",
        (run, *values, limit),
    )
    return _page(rows)


def all_entries(connection: sqlite3.Connection, since: int, limit: int) -> list[Entry]:
    """Returns events of all runs after a cursor."""
    rows = connection.execute(
        """SELECT cursor, runs.run, seq, ts, stream_id, type, data FROM events
        JOIN runs ON runs.id = events.run WHERE cursor > ? ORDER BY cursor LIMIT ?""",
        (since, limit),
    )
    return _page(rows)


def _page(rows: sqlite3.Cursor) -> list[Entry]:
    entries, size = [], 0
    for row in rows:
        entry = Entry(*row)
        entries.append(entry)
        size += len(entry.data)
        if size > MAX_PAGE_BYTES:
            break
    # A statement left half read would keep its snapshot, and the WAL could not be cut back.
    rows.close()
    return entries


def bounds(connection: sqlite3.Connection) -> tuple[int, int]:
    """Returns the first cursor kept, the last ever given."""
    row = connection.execute(
        """SELECT (SELECT min(cursor) FROM events),
        coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)"""
    ).fetchone()
    return (row[1] + 1 if row[0] is None else row[0]), row[1]


def summaries(
    connection: sqlite3.Connection,
    *,
    status: str | None,
    matching: str | None,
    limit: int,
    before: str | None,
) -> list[RunSummary]:
    """Returns runs, last started first."""
    where, values = ["last_seq > 0"], list[Any]()
    if status is not None:
        among = FILTERS[status]
        where.append(f"status IN ({', '.join('?' * len(among))})")
        values.extend(among)
    if before is not None:
        where.append("(started, run) < (?, ?)")
        values.extend(page_start(before))
    if matching is not None:
        where.append("instr(words, ?)")
        values.append(matching.lower())
    rows = connection.execute(
        f"SELECT summary FROM runs WHERE {' AND '.join(where)}"
        " ORDER BY started DESC, run DESC LIMIT ?",
        (*values, limit),
    )
    return [_decode_summary(summary) for (summary,) in rows]


def run_names(connection: sqlite3.Connection, prefix: str) -> list[str]:
    """Returns the names of runs that begin with `prefix`."""
    if not prefix.isascii():
        return []  # no name has anything else, and SQLite refuses what is no Unicode
    # A range and not GLOB or LIKE: a prefix has no wildcards, and the index on names is used.
    rows = connection.execute(
        "SELECT run FROM runs WHERE run >= ? AND run < ? AND last_seq > 0 ORDER BY run",
        (prefix, prefix + LAST_CHARACTER),
    )
    return [run for (run,) in rows]


def runs_of(connection: sqlite3.Connection, session: str) -> list[RunSummary]:
    """Returns the runs of a session, last started first."""
    rows = connection.execute(
        """SELECT summary FROM runs WHERE (run = ? OR session = ?) AND last_seq > 0
        ORDER BY started DESC, run DESC""",
        (session, session),
    )
    return [_decode_summary(summary) for (summary,) in rows]


def count_runs(connection: sqlite3.Connection) -> int:
    """Returns how many runs have an event."""
    return int(connection.execute("SELECT count(*) FROM runs WHERE last_seq > 0").fetchone()[0])


def offsets(connection: sqlite3.Connection, run: str) -> dict[str, int]:
    """Returns each source's offset."""
    rows = connection.execute(
        "SELECT source, offset FROM positions WHERE run = (SELECT id FROM runs WHERE run = ?)",
        (run,),
    )
    return dict(rows)


class ChunkPage(NamedTuple):
    """Some raw bytes of a run, and after which row to go on; None if that is all."""

    chunks: list[Chunk]
    last_id: int | None


def chunk_page(connection: sqlite3.Connection, run: str, after: int) -> ChunkPage:
    """Returns some of the raw bytes of a run, in the order in which they came."""
    rows = connection.execute(
        """SELECT id, source, offset, data, arrived_ms, compressed FROM spool
        WHERE run = (SELECT id FROM runs WHERE run = ?) AND id > ? ORDER BY id""",
        (run, after),
    )
    chunks: list[Chunk] = []
    size = 0
    for number, source, offset, stored, arrived_ms, compressed in rows:
        data = zlib.decompress(stored) if compressed else stored
        chunks.append(Chunk(source, offset, data, arrived_ms=arrived_ms))
        size += len(data)
        if size >= CHUNK_PAGE_BYTES:
            return ChunkPage(chunks, number)
    return ChunkPage(chunks, None)


def chunk_offsets(connection: sqlite3.Connection, run: str) -> set[tuple[str, int]]:
    """Returns the sources and offsets of a run's raw bytes."""
    rows = connection.execute(
        "SELECT source, offset FROM spool WHERE run = (SELECT id FROM runs WHERE run = ?)", (run,)
    )
    return set(rows)


def unindexed(connection: sqlite3.Connection) -> bool:
    """Returns whether something was said that cannot be found yet."""
    query = """SELECT (SELECT max(id) FROM said) IS NOT (SELECT max(id) FROM said_words_docsize)"""
    return bool(connection.execute(query).fetchone()[0])


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


class _BlockPage(NamedTuple):
    hits: Hits
    first_id: int | None  # None: there are no blocks before these


async def search_results(
    readers: Readers, query: str, *, run: str | None, limit: int
) -> list[Found]:
    """Returns where agents said it, best first."""
    wanted = Query(query)
    if not wanted:
        return []
    found: Hits = {}
    for star in ("", "*"):
        if len(found) < limit:
            found |= await readers.read(_indexed, wanted, star=star, run=run, limit=limit)
    if len(found) < limit:
        words = await readers.read(_with_words_inside, wanted)
        before: int | None = _LAST_ID
        while len(found) < limit and before is not None and words != "":
            page = await readers.read(_block_page, wanted, words=words, run=run, before=before)
            found |= page.hits
            before = page.first_id
    return best_first(found.values(), limit)


def _indexed(
    connection: sqlite3.Connection, query: Query, *, star: str, run: str | None, limit: int
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


def _with_words_inside(connection: sqlite3.Connection, query: Query) -> str | None:
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


def _block_page(
    connection: sqlite3.Connection,
    query: Query,
    *,
    words: str | None,
    run: str | None,
    before: int,
) -> _BlockPage:
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
    return _BlockPage(_matching(query, blocks), blocks[-1][0] if chars >= PAGE_CHARS else None)


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
