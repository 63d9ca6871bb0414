"""A chunk that brings its decoded records gives the same events as its bytes alone."""

from __future__ import annotations

import random

import pytest

from tests.mutations import mutated, random_record, runs
from tests.read import dialects
from tests.read.fleets import grow
from unbraid.agents.claude.records import ClaudeRecord, decode, decode_printed
from unbraid.events import RelayEvent
from unbraid.read.chunk import Chunk, ChunkedSource, joined
from unbraid.read.record import Record
from unbraid.read.translator import Translator


def chunks_of(lines: list[bytes], *, is_decoded: bool) -> list[Chunk]:
    source = ChunkedSource("stdout")
    chunks = [source.chunk(line) for line in lines]
    return [decode_printed(chunk)[1] for chunk in chunks] if is_decoded else chunks


def translated(lines: list[bytes], rng: random.Random, *, is_decoded: bool) -> list[RelayEvent]:
    """What lines say; many in one chunk, and now and then one whose records are not known."""
    translator, events = Translator(), list[RelayEvent]()
    at = 0
    while at < len(lines):
        together = lines[at : at + rng.choice((1, 1, 2, 20))]
        at += len(together)
        decoded = is_decoded and rng.random() > 0.2
        for chunk in joined(chunks_of(together, is_decoded=decoded)):
            events += translator.feed(chunk.data, chunk.source, 1_700_000_000_000, chunk.records)
    return events + translator.finish()


def assert_same(lines: list[bytes], seed: int) -> None:
    plain = translated(lines, random.Random(seed), is_decoded=False)
    assert translated(lines, random.Random(seed), is_decoded=True) == plain


@pytest.mark.parametrize("number", range(len(runs())))
def test_of_every_recording(number: int) -> None:
    assert_same([line + b"\n" for line in runs()[number]], number)


@pytest.mark.parametrize("seed", range(60))
def test_of_lines_that_have_suffered(seed: int) -> None:
    rng = random.Random(seed)
    assert_same(b"".join(mutated(seed)).splitlines(keepends=True), seed)
    assert_same([random_record(rng) for _ in range(300)], seed)


@pytest.mark.parametrize("dialect", dialects.DIALECTS)
@pytest.mark.parametrize("seed", range(10))
def test_of_every_way_in_which_a_fleet_is_printed(dialect: str, seed: int) -> None:
    rng = random.Random(seed)
    printed = dialects.DIALECTS[dialect](grow(rng), rng)
    assert_same(printed.splitlines(keepends=True), seed)


LINE = b'{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"hi"}]}}'


@pytest.mark.parametrize(
    ("data", "records"),
    [
        (LINE.replace(b"hi", b"-") + b"\n", (decode(LINE),)),
        (LINE + b"\n", (decode(LINE), decode(LINE))),
        (LINE, (decode(LINE),)),
        (b" " + LINE + b"\n", (decode(LINE),)),
        (LINE + b"\n", (ClaudeRecord(type="assistant"),)),
    ],
)
def test_records_of_other_bytes_are_not_used(data: bytes, records: tuple[Record, ...]) -> None:
    plain, decoded = Translator(), Translator()
    first = LINE.replace(b'"m"', b'"n"') + b"\n"
    assert plain.feed(first) == decoded.feed(first)
    assert plain.feed(data) == decoded.feed(data, records=records)
    assert plain.finish() == decoded.finish()


def test_records_are_not_used_within_a_line() -> None:
    plain, decoded = Translator(), Translator()
    assert plain.feed(LINE + b"\n" + LINE) == decoded.feed(LINE + b"\n" + LINE)
    assert plain.feed(LINE + b"\n") == decoded.feed(LINE + b"\n", records=(decode(LINE),))


def test_a_changed_chunk_has_no_records() -> None:
    _, chunk = decode_printed(Chunk("stdout", 0, LINE + b"\n"))
    assert chunk.records == (decode(LINE),)
    assert chunk._replace(data=b"***").records == ()
    assert chunk == Chunk("stdout", 0, LINE + b"\n")
