"""How the SQLite file is read, by the log that owns it and by one of which it is a copy; at the
end, search.

`fold/query` decides what a search matches, and how well. FTS5 finds whole words and beginnings of
words at once. It knows nothing of what is inside of words, and an index that did would be larger
than the log; but it lists its words. So if the first two have not found enough, those of its words
that contain the text are looked up; they are few compared with everything that was said. A text
that is in very many of them is so frequent that reading the newest blocks finds it soon.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import closing
from typing import Any, Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

import msgspec

from unbraid.fold.query import Query, folded
from unbraid.fold.status import FILTERS
from unbraid.log.entry import Entry
from unbraid.log.fold import RankedResult, best_first, max_results_per_run
from unbraid.log.port import READ_LIMIT, Found, Log, LogSize, Signal
from unbraid.log.summary import RunSummary, page_start
from unbraid.read.chunk import Chunk

T = TypeVar("T")
P = ParamSpec("P")

# A page of huge events must not fill the memory: reading stops past this, whatever the limit.
MAX_PAGE_BYTES = 4 * 1024 * 1024
CHUNK_PAGE_BYTES = 16 * 1024 * 1024
# Sorts after everything that a name of a run can go on with.
LAST_CHARACTER = "\U0010ffff"

_ID = "(SELECT id FROM runs WHERE run = ?)"

_decode_summary = msgspec.json.Decoder(RunSummary).decode


class SnapshotReader(Protocol):
    """Runs jobs that only read, each on one snapshot of an SQLite file."""

    async def read(
        self, job: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Returns the result of a job."""
        ...


class SqliteReader(Log):
    """A log that reads its events from an SQLite file."""

    def __init__(self, readers: SnapshotReader, signal: Signal | None = None) -> None:
        super().__init__(signal)
        self.readers = readers

    async def read(
        self,
        run: str,
        since: int = 0,
        limit: int = READ_LIMIT,
        *,
        stream_id: int | None = None,
        types: Collection[str] = (),
    ) -> list[Entry]:
        where, values = [f"run = {_ID}", "seq > ?"], list[Any]((run, run, since))
        if stream_id is not None:
            where.append("stream_id = ?")
            values.append(stream_id)
        if types:
            where.append(f"type IN ({','.join('?' * len(types))})")
            values.extend(types)
        query = (
            "SELECT cursor, ?, seq, ts, stream_id, type, data FROM events"
            f" WHERE {' AND '.join(where)} ORDER BY seq LIMIT ?"
        )
        return await self.readers.read(_entries, query, *values, limit)

    async def read_all(self, since: int = 0, limit: int = READ_LIMIT) -> list[Entry]:
        query = """SELECT cursor, runs.run, seq, ts, stream_id, type, data FROM events
            JOIN runs ON runs.id = events.run WHERE cursor > ? ORDER BY cursor LIMIT ?"""
        return await self.readers.read(_entries, query, since, limit)

    async def bounds(self) -> tuple[int, int]:
        query = """SELECT (SELECT min(cursor) FROM events),
            coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)"""
        ((first, last),) = await self.readers.read(execute, query)
        return (last + 1 if first is None else first), last

    async def run(self, run: str) -> RunSummary | None:
        return await self.readers.read(summary_of, run)

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
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
        query = f"""SELECT summary FROM runs WHERE {" AND ".join(where)}
            ORDER BY started DESC, run DESC LIMIT ?"""
        return await self.readers.read(_summaries, query, *values, limit)

    async def runs_of(self, session: str) -> list[RunSummary]:
        query = """SELECT summary FROM runs WHERE (run = ? OR session = ?) AND last_seq > 0
            ORDER BY started DESC, run DESC"""
        return await self.readers.read(_summaries, query, session, session)

    async def run_names(self, prefix: str = "") -> list[str]:
        if not prefix.isascii():
            return []  # no name has anything else, and SQLite refuses what is no Unicode
        # A range and not GLOB or LIKE: a prefix has no wildcards, and the index on names is used.
        query = "SELECT run FROM runs WHERE run >= ? AND run < ? AND last_seq > 0 ORDER BY run"
        return [
            run
            for (run,) in await self.readers.read(execute, query, prefix, prefix + LAST_CHARACTER)
        ]

    async def offsets(self, run: str) -> dict[str, int]:
        return await self.readers.read(offsets_of, run)

    async def chunk_pages(self, run: str) -> AsyncIterator[list[Chunk]]:
        after: int | None = 0
        while after is not None:
            chunks, after = await self.readers.read(_chunk_page, run, after)
            yield chunks

    async def size(self) -> LogSize:
        return await self.readers.read(_size)


def execute(connection: sqlite3.Connection, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Runs one statement. Returns the rows that it finds."""
    return connection.execute(query, values).fetchall()


def _summaries(connection: sqlite3.Connection, query: str, *values: Any) -> list[RunSummary]:
    return [_decode_summary(summary) for (summary,) in connection.execute(query, values)]


def _entries(connection: sqlite3.Connection, query: str, *values: Any) -> list[Entry]:
    entries, size = [], 0
    rows = connection.execute(query, values)
    for row in rows:
        entry = Entry(*row)
        entries.append(entry)
        size += len(entry.data)
        if size > MAX_PAGE_BYTES:
            break
    # A statement left half read would keep its snapshot, and the WAL could not be cut back.
    rows.close()
    return entries


def summary_of(connection: sqlite3.Connection, run: str) -> RunSummary | None:
    """Returns one run's summary."""
    found = _summaries(connection, "SELECT summary FROM runs WHERE run = ?", run)
    return found[0] if found else None


def offsets_of(connection: sqlite3.Connection, run: str) -> dict[str, int]:
    """Returns the offset of each source of a run."""
    return dict(execute(connection, f"SELECT source, offset FROM positions WHERE run = {_ID}", run))


def chunk_offsets(connection: sqlite3.Connection, run: str) -> set[tuple[str, int]]:
    """Returns the sources and offsets of a run's raw bytes."""
    query = f"SELECT source, offset FROM spool WHERE run = {_ID}"
    return {(source, offset) for source, offset in connection.execute(query, (run,))}


def _chunk_page(
    connection: sqlite3.Connection, run: str, after: int
) -> tuple[list[Chunk], int | None]:
    """Returns some of the raw bytes of a run, in the order in which they came, and after which row
    to continue; None if that is all.
    """
    rows = connection.execute(
        f"""SELECT id, source, offset, data, arrived_ms, compressed FROM spool
        WHERE run = {_ID} AND id > ? ORDER BY id""",
        (run, after),
    )
    chunks, size = list[Chunk](), 0
    for number, source, offset, stored, arrived_ms, compressed in rows:
        data = zlib.decompress(stored) if compressed else stored
        chunks.append(Chunk(source, offset, data, arrived_ms=arrived_ms))
        size += len(data)
        if size >= CHUNK_PAGE_BYTES:
            return chunks, number
    return chunks, None


def _size(connection: sqlite3.Connection) -> LogSize:
    """Returns how large the database is, by its pages. The files do not tell: next to a reader, a
    WAL holds pages that are in the database, too, and after a VACUUM all of them.
    """
    page, count, free = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_size", "page_count", "freelist_count")
    )
    # What remains of runs without their events, the raw bytes of those that are not over, and the
    # first page of every table and index.
    kept = connection.execute(
        """SELECT (SELECT coalesce(sum(length(summary) + length(words)), 0) FROM runs)
        + (SELECT coalesce(sum(length(data)), 0) FROM spool)
        + (SELECT count(*) FROM sqlite_master WHERE rootpage > 0) * ?""",
        (page,),
    ).fetchone()[0]
    used = (count - free) * page
    return LogSize(total=count * page, used=used, content=max(used - int(kept), 0))


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
_OF_RUN = f"said.run = {_ID}"
_LAST_ID = (1 << 63) - 1

Hits = dict[int, RankedResult]


class _BlockPage(NamedTuple):
    hits: Hits
    first_id: int | None  # None: there are no blocks before these


async def search_results(
    readers: SnapshotReader, query: str, *, run: str | None, limit: int
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
