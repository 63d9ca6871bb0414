"""Secrets are masked whole or cut, and nothing else is."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from unbraid.events import FleetEvent, FleetToolUse, Text
from unbraid.hub.ingest import Ingest
from unbraid.hub.redact import SecretMask, mask_bytes
from unbraid.log import MemoryLog
from unbraid.pipeline import Pipeline

# Made here, so that no scanner takes this file for a leak.
BODY = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4f"
WHOLE = [
    "sk-" + "ant-api03-" + BODY,
    "sk-" + "proj-" + BODY,
    "sk-" + BODY,
    "ghp" + "_" + BODY,
    "github" + "_pat_" + BODY,
    "xoxb" + "-" + BODY,
    "AKIA" + "IOSFODNN7ABCDEFG",
    "AIza" + BODY,
    "hf" + "_" + BODY,
    "eyJ" + f"{BODY}.{BODY}.{BODY}",
    f"Authorization: Bearer {BODY}",
    f"MY_API_KEY={BODY}",
    f'"password": "{BODY}"',
]
PLAIN = [
    "sk-learn is fine, and so is a task-anticipation-of-something",
    "the token count is 1234567890 and max_tokens: 4096",
    "chf_x hf_ ghp_ alone",
    '{"input_tokens":123456,"cache_read_tokens":99999999}',
    "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
    "/home/user/projects/some-long-folder-name/with_many_parts",
]


@pytest.mark.parametrize("secret", WHOLE)
def test_whole_secrets_are_masked_and_offsets_stay_true(secret: str) -> None:
    line = msgspec.json.encode({"text": f"before {secret} after"}) + b"\n"
    masked = mask_bytes(line)
    assert len(masked) == len(line)
    assert BODY[8:].encode() not in masked
    assert b"7ABCDEFG" not in masked
    assert b"before " in masked
    assert b" after" in masked
    msgspec.json.decode(masked)
    assert mask_bytes(masked) == masked


@pytest.mark.parametrize("plain", PLAIN)
def test_other_words_are_left_alone(plain: str) -> None:
    assert mask_bytes(plain.encode()) == plain.encode()


def said(parts: list[str]) -> str:
    mask = SecretMask()
    events: list[FleetEvent] = [
        Text(seq=seq, ts=1, stream_id=0, depth=0, agent="a", delta=part, message_id="m", block=0)
        for seq, part in enumerate(parts, 1)
    ]
    return "".join(event.delta for event in mask.events(events) if isinstance(event, Text))


@given(st.sampled_from(WHOLE[:2] + WHOLE[3:9]), st.lists(st.integers(0, 60), max_size=20))
def test_secrets_that_deltas_cut_are_masked_wherever_they_are_cut(
    secret: str, cuts: list[int]
) -> None:
    text = f"my key: {secret} and {'on ' * 40}"
    places = sorted({0, *(min(cut, len(text)) for cut in cuts), len(text)})
    parts = [text[a:b] for a, b in itertools.pairwise(places)]
    masked = said(parts)
    assert len(masked) == len(text)
    assert masked.startswith("my key: ")
    assert masked.endswith(f" and {'on ' * 40}")
    hidden = masked.removeprefix("my key: ").removesuffix(f" and {'on ' * 40}")
    assert hidden.endswith("*" * 16)


@given(st.text(), st.lists(st.integers(0, 50)))
def test_masking_never_changes_the_length(text: str, cuts: list[int]) -> None:
    places = sorted({0, *(min(cut, len(text)) for cut in cuts), len(text)})
    parts = [text[a:b] for a, b in itertools.pairwise(places)]
    assert len(said(parts)) == len(text)


def test_calls_are_masked() -> None:
    raw = Raw(msgspec.json.encode({"command": f"curl -H 'Authorization: Bearer {BODY}'"}))
    call = FleetToolUse(
        seq=1, ts=1, stream_id=0, depth=0, agent="a", tool_use_id="t", tool="Bash", input_json=raw
    )
    (masked,) = SecretMask().events([call])
    assert isinstance(masked, FleetToolUse)
    assert masked.input["command"].startswith("curl -H 'Authorization: Bearer ***")


async def test_nothing_secret_is_stored_and_restarts_agree() -> None:
    message = {"id": "m", "role": "assistant", "content": [{"type": "text", "text": WHOLE[0]}]}
    line = msgspec.json.encode({"type": "assistant", "session_id": "s", "message": message}) + b"\n"
    log = MemoryLog()
    ingest = Ingest(log, Pipeline, redactor=SecretMask)
    # Cut in the middle of the secret: the sender is asked for the whole line again.
    middle = line.index(b"Ab3d") + 6
    assert await ingest.feed("r", "out", 0, line[:middle], now=1) == 0
    assert await ingest.feed("r", "out", 0, line + line[:9], now=1) == len(line)
    ingest = Ingest(log, Pipeline, redactor=SecretMask)
    assert await ingest.feed("r", "out", len(line), b"{}\n", now=2, end=True) == len(line) + 3
    stored = b"".join([entry.data for entry in await log.read("r")])
    assert BODY[4:].encode() not in stored
    assert b"sk-ant-**" in stored
