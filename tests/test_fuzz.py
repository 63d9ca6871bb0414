"""Nothing raises: whatever comes in, only events come out, and the log keeps its promises."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import chain, islice, zip_longest

import pytest

from tests.block_rows import log_of
from tests.mutations import every_swap, mutated, random_record, runs
from unbraid.events import FleetEvent
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.tree import Tree
from unbraid.testing import assert_fleet

MUTATED_LINES = 130_000
SHAPED_LINES = 20_000
BYTES_LINES = 15_000
SWAPPED_LINES = 36_000
RUN_LINES = 500

batches = pytest.mark.parametrize("batch", range(10))


def survive(pieces: Iterable[bytes], sources: tuple[str, ...] = ("stdout",)) -> int:
    """Play a run; give the number of its lines that are not blank."""
    pipeline = Pipeline("fuzz", max_line_bytes=1 << 20)
    events: list[FleetEvent] = []
    lines = 0
    for number, piece in enumerate(pieces):
        lines += piece.count(b"\n") if piece.strip() else 0
        events += pipeline.feed(piece, sources[number % len(sources)])
    events += pipeline.finish()
    assert_fleet(events)
    log_of(events)
    tree = Tree(events)
    assert tree.to_json() and tree.to_text() and tree.to_mermaid() and tree.to_dot()
    return lines


def test_the_lines_are_many_enough() -> None:
    assert MUTATED_LINES + SHAPED_LINES + BYTES_LINES + SWAPPED_LINES >= 200_000


@batches
def test_recordings_that_have_suffered(batch: int) -> None:
    lines, seed = 0, batch * 100_000
    while lines < MUTATED_LINES // 10:
        lines += survive(mutated(seed))
        seed += 1


@batches
def test_random_records_made_of_known_words(batch: int) -> None:
    rng = random.Random(batch)
    lines = 0
    while lines < SHAPED_LINES // 10:
        lines += survive((random_record(rng) for _ in range(RUN_LINES)), ("stdout", "transcript"))


@batches
def test_random_bytes(batch: int) -> None:
    rng = random.Random(batch)
    lines = 0
    while lines < BYTES_LINES // 10:
        sizes = [rng.choice((1, 8, 64, 512)) for _ in range(RUN_LINES)]
        lines += survive(rng.randbytes(size) + b"\n" for size in sizes)


@batches
def test_every_field_of_every_record_may_be_of_any_type(batch: int) -> None:
    swapped = 0
    swaps = every_swap(batch, 10)
    real = [line + b"\n" for line in runs()[batch]]
    while some := list(islice(swaps, RUN_LINES)):
        # Between the lines of a real run, so that there is a state to spoil.
        survive(chain.from_iterable(zip_longest(real[:RUN_LINES], some, fillvalue=b"")))
        swapped += len(some)
    assert swapped >= SWAPPED_LINES // 10
