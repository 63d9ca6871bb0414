"""A hundred secrets are hidden, ten thousand harmless lines are left alone, in bounded time."""

from __future__ import annotations

import itertools
import json
import random
import time

import pytest

from tests.redact.samples import Sample, harmless, leaked, samples
from unbraid.redact.secrets import redact, undecided_from
from unbraid.redact.source import line_redactor

SAMPLES = samples()


def as_json(text: str) -> bytes:
    return json.dumps(
        {"type": "text", "stream_id": 0, "message_id": "m", "block": 0, "delta": text},
        ensure_ascii=False,
    ).encode()


def streamed(parts: list[str]) -> str:
    """What is shown of a block that comes in these parts."""
    redactor, lines = line_redactor(), list[bytes]()
    for part in parts:
        redactor.push([as_json(part)])
        lines += redactor.pop()
    lines += redactor.pop(last=True)
    return "".join(json.loads(line)["delta"] for line in lines)


def test_there_are_a_hundred() -> None:
    assert len(SAMPLES) >= 100
    assert len({sample.name for sample in SAMPLES}) == len(SAMPLES)


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample.name for sample in SAMPLES])
def test_a_secret_is_hidden_in_text_and_in_json(sample: Sample) -> None:
    plain = redact(sample.text.encode())
    assert not leaked(sample, plain.decode())
    assert redact(plain) == plain
    quoted = json.dumps({"text": sample.text})
    redacted = redact(quoted.encode())
    assert len(redacted) == len(quoted)
    assert not leaked(sample, json.loads(redacted)["text"])
    # Once more: a file in JSON that a tool printed, in JSON.
    twice = redact(json.dumps({"text": quoted}).encode())
    assert not leaked(sample, json.loads(twice)["text"])


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample.name for sample in SAMPLES])
def test_a_secret_is_hidden_wherever_it_is_cut(sample: Sample) -> None:
    dice, text = random.Random(sample.name), f"Look: {sample.text} and on"
    whole = json.loads(redact(as_json(text)))["delta"]
    places = range(1, len(text))
    cuts = [[place] for place in dice.sample(places, min(len(places), 40))]
    cuts += [sorted(dice.sample(places, 8)), list(places)]
    for cut in cuts:
        parts = [text[a:b] for a, b in itertools.pairwise([0, *cut, len(text)])]
        assert streamed(parts) == whole


def test_what_is_harmless_is_left_alone() -> None:
    """Code, logs, lockfiles, hashes, pictures, and above all the ids by which agents are known."""
    lines = harmless(10_000)
    assert len(lines) == 10_000
    changed = [line for line in lines if redact(line.encode()) != line.encode()]
    assert not changed


@pytest.mark.parametrize(
    "part",
    [
        *("a", "a.", "a-", "_", "/", "aB3", "aB3/", "Ab", "sk-", "eyJ", "eyJaaaaaaaaaaa.", "AKIA"),
        *(
            "password",
            "password=",
            "api_key",
            "token ",
            "bearer ",
            "basic ",
            "://a:",
            "https://x?a=1&",
        ),
        *(
            "-",
            "-----BEGIN PRIVATE KEY-----",
            "*",
            "\\",
            'password\\\\"',
            "\\u001b[",
            "\x1b[",
            "\u200b",
        ),
        *("ghp_a\\n", "QUJD", "aB3dEf6hIj9lMn2p ", " ", "&key=", "is ", "x-y_z.", "sk_live_"),
    ],
)
def test_no_line_takes_long(part: str) -> None:
    """Not by far the time that a pattern takes which tries every way to match."""
    line = (part * (200_000 // len(part))).encode()
    started = time.process_time()
    redact(line)
    undecided_from(line)
    assert time.process_time() - started < 5
