"""Whatever the chunks of a source, what comes out is redacted, whole and at its offset."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.redact.secret import KEY, SEEN, bits_in
from tests.redact.test_lines import claude, cut, said
from unbraid.read.chunk import Chunk
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.redact.reader import redact_title
from unbraid.redact.source import (
    OVERLONG_BYTES,
    SourceRedactor,
    unredacted_ends,
)


@settings(max_examples=150)
@given(
    st.lists(said(), min_size=1, max_size=3),
    st.lists(st.integers(0, 400), max_size=60),
    st.randoms(use_true_random=False),
)
def test_any_words_of_any_sources_come_out_redacted_at_their_offsets(
    output: list[tuple[str, str]], cuts: list[int], dice: random.Random
) -> None:
    lines = {f"s{n}": claude(text, cut(text, cuts)) for n, (text, _) in enumerate(output)}
    waiting = {source: b"".join(parts) for source, parts in lines.items()}
    offsets, out = dict.fromkeys(waiting, 0), dict.fromkeys(waiting, b"")

    def pieces() -> Iterator[Chunk]:
        for _ in range(dice.randrange(1, 6)):
            source = dice.choice([name for name, data in waiting.items() if data] or ["s0"])
            data = waiting[source][: dice.randrange(1, 600)]
            yield Chunk(source, offsets[source], data)
            waiting[source] = waiting[source][len(data) :]
            offsets[source] += len(data)

    def take(given: Iterator[Chunk]) -> None:
        for source, offset, data, _ in given:
            assert offset == len(out[source])
            out[source] += data

    redactor = SourceRedactor()
    while any(waiting.values()):
        take(redactor.redact(pieces()))
    take(redactor.rest())
    assert not list(redactor.rest())
    for source, (_, seen) in zip(waiting, output, strict=True):
        assert len(out[source]) == offsets[source]
        assert spoken(out[source]) == [seen] * 3


def spoken(data: bytes) -> list[str]:
    """The words of one message: in bits, whole, and in the result."""
    records: list[dict[str, Any]] = [json.loads(line) for line in data.splitlines()]
    bits = [r["event"]["delta"]["text"] for r in records if "delta" in r.get("event", {})]
    (whole,) = [r["message"]["content"][0]["text"] for r in records if r["type"] == "assistant"]
    return ["".join(bits), whole, records[-1]["result"]]


@pytest.mark.parametrize(
    ("head", "tail", "known"),
    [
        (b"all of it", b"and the end", (b"all of it", b"and the end")),
        (b"a **bold** head", b"a **bold** tail", (b"a **bold** head", b"a **bold** tail")),
        (b"a key ******** and more", b"more ******** and a key", (b"a key ", b" and a key")),
        (b"cut within ***", b"*** cut within", (b"cut within ", b" cut within")),
    ],
)
def test_a_file_is_known_again_by_what_is_not_redacted(
    head: bytes, tail: bytes, known: tuple[bytes, bytes]
) -> None:
    assert unredacted_ends(head, tail) == known


def test_a_title_that_was_cut_within_a_secret_ends_before_it() -> None:
    assert redact_title(f"Use {KEY}") == f"Use {SEEN}"
    assert redact_title("What is a token") == "What is a token"
    assert redact_title(("x" * 190 + " " + KEY)[:200]) == "x" * 190 + " "


def test_a_line_without_an_end_is_neither_held_nor_shown() -> None:
    """What an agent prints without a newline could fill the memory, at quadratic cost."""
    redactor, out, sent = SourceRedactor(), bytearray(), 0

    def send(data: bytes) -> None:
        nonlocal sent
        for chunk in redactor.redact([Chunk("s", sent, data)]):
            assert chunk.offset == len(out)
            out.extend(chunk.data)
        sent += len(data)

    send(b"before\n")
    piece = (KEY.encode() + b" ") * 8192
    while sent < 2 * DEFAULT_MAX_LINE_BYTES:
        send(piece)
        assert sent - len(out) <= DEFAULT_MAX_LINE_BYTES
    send(b"end\nafter " + KEY.encode() + b"\n")
    assert len(out) == sent
    head, long, after = bytes(out).splitlines()
    assert (head, after) == (b"before", b"after " + SEEN.encode())
    assert not long.strip(b"*")


def test_a_sender_is_not_asked_for_an_endless_line_again_and_again() -> None:
    """What is not taken is sent again with what follows; more than a request may have never is."""
    redactor, out, waiting = SourceRedactor(OVERLONG_BYTES), b"", b""
    piece = ((KEY.encode() + b" ") * (OVERLONG_BYTES // len(KEY)))[:OVERLONG_BYTES]
    for data in (b"before\n", *[piece] * 4, b"end\nafter " + KEY.encode() + b"\n"):
        waiting += data
        taken = redactor.accepted(Chunk("s", len(out), waiting), end=False)
        out, waiting = out + taken, waiting[len(taken) :]
        assert len(waiting) <= OVERLONG_BYTES
    assert not waiting
    head, long, after = out.splitlines()
    assert (head, after) == (b"before", b"after " + SEEN.encode())
    assert len(long) == 4 * len(piece) + 3 and not long.strip(b"*")
    # After a restart in the middle of such a line, nothing more of it is shown either.
    again = SourceRedactor(OVERLONG_BYTES)
    again.seen(Chunk("s", 0, out[: len(piece)]))
    rest = Chunk("s", len(piece), KEY.encode() + b"\nmore\n")
    assert again.accepted(rest, end=False) == b"*" * len(KEY) + b"\nmore\n"


def test_a_long_line_that_can_be_sent_whole_is_shown() -> None:
    redactor, line = SourceRedactor(OVERLONG_BYTES), b"word " * (OVERLONG_BYTES // 4)
    assert redactor.accepted(Chunk("s", 0, line[:OVERLONG_BYTES]), end=False) == b""
    assert redactor.accepted(Chunk("s", 0, line + b"\n"), end=False) == line + b"\n"


def test_what_waits_comes_out_hidden_when_too_much_waits_elsewhere() -> None:
    parts = claude(text := f"I use {KEY}", cut(text, [10, 20]))[:5]
    redactor, data = SourceRedactor(), b"".join(parts)
    out = redactor.accepted(Chunk("s", 0, data), end=False)
    assert redactor.held_bytes == len(data) - len(out) > 0
    again = Chunk("s", len(out), data[len(out) :])
    assert redactor.accepted(again, end=False) == b""
    out += redactor.accepted(again._replace(data=again.data + b"\n"), end=False, full=True)
    assert redactor.held_bytes == 0 and len(out) == len(data) + 1
    assert not bits_in(out)
