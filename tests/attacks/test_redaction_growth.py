"""Attack: a line that takes a redacting server long, though it is short.

60 kB of `sk-ant-api03-`, again and again, took 24 seconds, and so did lines that each look like a
key: every beginning of a key was compared with all that follows it. What introduces a secret
consumes what it has looked at, so four times as much text takes about four times as long, whatever
it consists of: each prefix of a provider, each word that a rule begins with, each made-up secret.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import msgspec
import pytest

from tests.redact.samples import samples
from unbraid.redact.secrets import redact, rule_words, undecided_from
from unbraid.redact.source import line_redactor

T = TypeVar("T")
SIZE, GROWTH = 4_000, 4
# Quadratic time would be 16 times as much.
MOST_GROWTH = 9
# Less than this is too little to be compared, and too little to harm anyone.
UNMEASURED_SECONDS = 0.02
SECONDS_PER_BYTE = 20e-6
PARTS = 24
BETWEEN = (b"", b"\n", b"A1b2C3d4E5f6G7.")


def seeds() -> list[bytes]:
    """What is repeated: all that introduces a secret, and secrets."""
    made = (sample.text.encode() for sample in samples())
    return sorted({*rule_words(), *(text[:400] for text in made)})


def seconds(act: Callable[[T], object], data: T, rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        act(data)
        best = min(best, time.process_time() - started)
    return best


def grows(act: Callable[[bytes], object], part: bytes) -> bool:
    """Whether more of the same takes more time than its size explains."""
    few = part * (SIZE // len(part) + 1)
    many = few * GROWTH
    for rounds in (1, 5):  # a busy machine has another look
        took = seconds(act, many, rounds)
        slow = took > SECONDS_PER_BYTE * len(many)
        if not slow and took < UNMEASURED_SECONDS:
            return False
        if not slow and took < MOST_GROWTH * seconds(act, few, rounds):
            return False
    return True


@pytest.mark.parametrize("number", range(PARTS))
def test_four_times_the_text_takes_four_times_as_long(number: int) -> None:
    slow = [
        (act.__name__, seed + between)
        for seed in seeds()[number::PARTS]
        for between in BETWEEN
        for act in (redact, undecided_from)
        if grows(act, seed + between)
    ]
    assert not slow


def test_a_part_of_a_key_that_its_line_repeats_is_hidden_in_it_at_once() -> None:
    """Each place where the part stands was tried by reading all of the line again."""
    secret = "sk-" + "ant-Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4f"
    parts = [secret[:16], secret[16:], " and on"]

    def streamed(count: int) -> list[bytes]:
        redactor = line_redactor()
        for part in parts:
            fields = {"pad": [part] * count, "type": "text", "stream_id": 0, "message_id": "m"}
            redactor.push([msgspec.json.encode({**fields, "block": 0, "delta": part})])
        return redactor.pop(last=True)

    for count in (2, 1000):
        shown = [msgspec.json.decode(line) for line in streamed(count)]
        assert "".join(line["delta"] for line in shown) == "sk-ant-" + "*" * 32 + " and on"
    few, many = seconds(streamed, 1000, 5), seconds(streamed, 1000 * GROWTH, 5)
    assert many < max(MOST_GROWTH * few, UNMEASURED_SECONDS)
