"""Many blocks that are open at once cost no more than their lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from tests.redact.secret import BITS, KEY, SEEN
from tests.redact.test_lines import cut, line
from unbraid.redact.lines import HELD_BLOCKS, LineRedactor
from unbraid.redact.source import line_redactor


def event(stream: int, **fields: Any) -> bytes:
    return line(type="text", stream_id=stream, message_id="m", block=0, **fields)[:-1]


def part(session: int, text: str) -> bytes:
    given = {"sessionID": f"s{session}", "messageID": "m", "partID": "p", "delta": text}
    return line(type="message.part.delta", properties=given)[:-1]


def whole(session: int) -> bytes:
    idle = {"sessionID": f"s{session}"}
    return line(type="session.idle", properties=idle)[:-1]


def skipped(redactor: LineRedactor, data: bytes) -> None:
    redactor.skip([data])


def pushed(redactor: LineRedactor, data: bytes) -> None:
    redactor.push([data])
    redactor.pop()


def calls(count: int, give: Callable[[LineRedactor, bytes], None], text: str = "words ") -> int:
    """How many functions are called for lines of so many blocks, all open, then all closed."""
    redactor, called = line_redactor(), 0

    def count_call(frame: FrameType, what: str, argument: object) -> None:
        nonlocal called
        called += what in ("call", "c_call")

    lines = [part(number, text) for number in range(count)]
    lines += [line(type="system", subtype="status")[:-1]] * count
    lines += [whole(number) for number in range(count)]
    sys.setprofile(count_call)
    try:
        for each in lines:
            give(redactor, each)
    finally:
        sys.setprofile(None)
    return called


@pytest.mark.parametrize("give", [skipped, pushed])
def test_the_work_grows_with_the_lines_alone(give: Callable[[LineRedactor, bytes], None]) -> None:
    assert calls(8000, give) / 8000 < 2 * calls(200, give) / 200


@pytest.mark.parametrize("text", ["a x7Q", "sk-" + "ant-A0b1", "PASSWORD=x1"])
def test_thousands_of_words_that_wait_keep_nobody_waiting(text: str) -> None:
    """Attack: blocks that are all open in the middle of what may be a key; 8,000 took seconds."""
    assert calls(2000, pushed, text) / 2000 < 3 * calls(200, pushed, text) / 200
    redactor, shown = line_redactor(), list[bytes]()
    for number in range(2000):
        redactor.push([part(number, text)])
        shown += redactor.pop(expired=redactor.full)
    # Not all of them wait, and what went out is redacted.
    assert len(shown) > 2000 - 2 * HELD_BLOCKS
    assert not [line for line in shown if text.encode() in line]


def test_what_waits_is_read_once_however_long_it_waits() -> None:
    """One stream stalls in the middle of a word, all others go on."""
    redactor = line_redactor()
    redactor.push([event(0, delta="a x7Q")])
    assert redactor.pop() == []
    decoded = 0

    def count(frame: FrameType, what: str, argument: object) -> None:
        nonlocal decoded
        decoded += what == "c_call" and getattr(argument, "__name__", "") == "decode"

    lines = [event(1, delta=f"{number} words ") for number in range(1000)]
    sys.setprofile(count)
    try:
        for each in lines:
            redactor.push([each])
            assert redactor.pop() == []
    finally:
        sys.setprofile(None)
    assert decoded < 10 * len(lines)
    redactor.push([event(0, delta=" of it.")])
    assert len(redactor.pop()) == len(lines) + 2


def test_what_expired_is_hidden_and_so_is_what_it_becomes() -> None:
    text = f"I use {KEY}, and it works"
    for first in range(1, len(text)):
        redactor, shown = line_redactor(), list[bytes]()
        for number, words in enumerate([text[:first], *cut(text[first:], list(range(0, 60, 3)))]):
            redactor.push([event(0, delta=words)])
            shown += redactor.pop(expired=number == 0)
        shown += redactor.pop(last=True)
        said = b"".join(each.split(b'"delta": "')[1].split(b'"')[0] for each in shown)
        assert len(said) == len(text)
        assert not [bit for bit in BITS if bit in said]
        hidden = f"I use {SEEN}, and it works".encode()
        assert all(
            is_one in (shown_one, ord("*")) for is_one, shown_one in zip(said, hidden, strict=True)
        )
