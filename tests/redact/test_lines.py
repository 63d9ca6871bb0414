"""Secrets are redacted, whole or in parts; nothing else is changed, nothing is recorded twice."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from unbraid.events import FleetToolUse, Text, decode_event
from unbraid.fold.pipeline import Pipeline
from unbraid.log import MemoryLog
from unbraid.read.chunk import Chunk
from unbraid.record.ingest import Ingest
from unbraid.redact.keys import LONGEST
from unbraid.redact.lines import redact_event
from unbraid.redact.secrets import redact
from unbraid.redact.source import SourceRedactor
from unbraid.testing.sample_runs import all_chunks

# Made here, so that no scanner takes this file for a leak.
BODY = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4f"
PREFIXES = [
    "sk-" + "ant-api03-",
    "sk-" + "proj-",
    "sk-",
    "ghp" + "_",
    "github" + "_pat_",
    "xoxb" + "-",
    "AIza",
    "hf" + "_",
    "rk" + "_live_",
    "Authorization: Bearer ",
    "MY_API_KEY=",
    '"password": "',
    "token : '",
]
WHOLE = [
    *(prefix + BODY for prefix in PREFIXES),
    "AKIA" + "IOSFODNN7ABCDEFG",
    "unbraid" + "_" + BODY + BODY[:11],
    "eyJ" + f"{BODY}.{BODY}.{BODY}",
    "-----BEGIN RSA " + f"PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----",
]
PLAIN = [
    "sk-learn is fine, and so is a task-anticipation-of-something",
    "the token count is 1234567890 and max_tokens: 4096",
    "chf_x hf_ ghp_ alone",
    '{"input_tokens":123456,"cache_read_tokens":99999999}',
    "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
    "/home/user/projects/some-long-folder-name/with_many_parts",
    "token: **configuration** and a secret: yes",
]


@pytest.mark.parametrize("before", ["before ", "", "line\n", "tab\t", "bell\x07", '"'])
@pytest.mark.parametrize("secret", WHOLE)
def test_whole_secrets_are_redacted_and_offsets_stay_true(secret: str, before: str) -> None:
    line = msgspec.json.encode({"text": f"{before}{secret} after"}) + b"\n"
    redacted = redact(line)
    assert len(redacted) == len(line)
    assert BODY[8:].encode() not in redacted
    assert b"7ABCDEFG" not in redacted
    assert b" after" in redacted
    assert msgspec.json.decode(redacted)["text"].startswith(before)
    assert redact(redacted) == redacted


@pytest.mark.parametrize("plain", PLAIN)
def test_other_words_are_left_alone(plain: str) -> None:
    assert redact(plain.encode()) == plain.encode()


# --- any secret, any cut -------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        *("the bearer of tokens: 5", "is it a secret?", "token=short", '{"key": "value"}'),
        *("C:\\new\\table", "a_b-c.d/e+f", "**bold**", "ünïcödé", "🙂", "hf_x", "unbraid_x"),
        *"password api token passwd a s e ey eyJ - -- ---- -----BEGIN gh ghp_ AKIA".split(),
        *"sk sk- sk-ant sk-learn task pypi- xox".split(),
    ]
)
# With a tab, each of these is the head of a table: what stands below it is hidden whole.
COLUMN_NAMES = ("password", "passwd")
BODIES = "ABCDEFGHabcdefgh01234567_-"


def body(least: int, most: int, letters: str = BODIES) -> st.SearchStrategy[str]:
    """What nobody takes for words: it changes between letters and digits."""
    head = "A0b1" if "b" in letters else "A0B1"
    middle = st.text(letters, min_size=max(0, least - 5), max_size=most - 5)
    return st.builds(f"{head}{{}}1".format, middle)


# (what may be seen, what must not be, what follows)
SECRETS = st.one_of(
    st.tuples(st.sampled_from(["sk-" + "ant-", "xoxp" + "-"]), body(12, 60), st.just("")),
    st.tuples(st.sampled_from(["gho" + "_", "npm" + "_"]), body(12, 60, BODIES[:-1]), st.just("")),
    st.tuples(st.just("sk-"), body(20, 60, "ABCDabcd0123"), st.just("")),
    st.tuples(st.just("ASIA"), body(12, 20, "ABCD0123"), st.just("")),
    st.tuples(st.just("unbraid" + "_"), body(43, 43), st.just("")),
    st.tuples(st.just("eyJ"), st.builds("{}.{}.{}".format, *[body(10, 80)] * 3), st.just("")),
    st.tuples(st.sampled_from(["Bearer ", "bearer\n", "BEARER  "]),
              body(16, 60, "ABCDabcd0123-._~+/"), st.just("")),
    st.tuples(st.sampled_from(["PASSWORD=", "api_key: ", "'token' : '", '{"secret":"']),
              body(12, 60, "ABCDabcd0123-._+/"), st.sampled_from(["", "'", '"'])),
    st.tuples(st.just("-----BEGIN EC " + "PRIVATE KEY-----"),
              st.text("ABCDabcd0123+/\n", min_size=1, max_size=200),
              st.just("-----END EC PRIVATE KEY-----")),
)  # fmt: skip


@st.composite
def said(draw: st.DrawFn) -> tuple[str, str]:
    """What an agent says, and what may be seen of it; by how it was made, not by any pattern."""
    text, seen = "", ""
    gaps, words = [" ", "\n", " ("], WORDS
    if draw(st.booleans()):
        gaps, words = [*gaps, "\t"], WORDS.filter(lambda word: word not in COLUMN_NAMES)
    for secret in draw(st.lists(st.booleans(), max_size=6)):
        gap = draw(st.sampled_from(gaps))
        if secret:
            lead, hidden, rest = draw(SECRETS)
            text += gap + lead + hidden + rest
            seen += gap + lead + "*" * (len(json.dumps(hidden)) - 2) + rest
        else:
            plain = draw(words)
            text, seen = text + gap + plain, seen + gap + plain
    # Nothing that stands behind may become a part of the last one.
    return text + " .", seen + " ."


def line(**fields: Any) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def claude(text: str, parts: list[str]) -> list[bytes]:
    """One message, bit by bit and then whole, and the result: what `--include-partial-messages`
    prints."""

    def event(**fields: Any) -> bytes:
        return line(type="stream_event", event=fields, session_id="s", parent_tool_use_id=None)

    message = {"id": "m", "role": "assistant", "model": "x"}
    whole = {**message, "content": [{"type": "text", "text": text}]}
    deltas = [
        event(type="content_block_delta", index=0, delta={"type": "text_delta", "text": part})
        for part in parts
    ]
    return [
        line(type="system", subtype="init", session_id="s", cwd="/w", model="x"),
        event(type="message_start", message={**message, "content": []}),
        event(type="content_block_start", index=0, content_block={"type": "text", "text": ""}),
        *deltas,
        line(type="assistant", message=whole, session_id="s", parent_tool_use_id=None, uuid="u"),
        event(type="content_block_stop", index=0),
        event(type="message_stop"),
        line(type="result", subtype="success", is_error=False, session_id="s", result=text),
    ]


def cut(data: Any, cuts: list[int]) -> list[Any]:
    places = sorted({0, *(min(place, len(data)) for place in cuts), len(data)})
    return [data[a:b] for a, b in itertools.pairwise(places)]


async def ingested(
    data: bytes, redacted: bytes, posts: list[int], restarts: set[int]
) -> list[Text]:
    """What is logged of a source when its sender sends what it has from where the server wants it,
    and the server is killed between some of the posts. What is stored is always `redacted`.
    """
    log = MemoryLog()
    ingest, wanted = Ingest(log, Pipeline, redact=True), 0
    for number, place in enumerate(sorted({*(min(post, len(data)) for post in posts), len(data)})):
        if number in restarts:
            ingest = Ingest(log, Pipeline, redact=True)
        sent = data[wanted : max(wanted, place)]
        wanted = await ingest.feed("r", "out", wanted, sent, now=1)
        assert b"".join(part.data for part in await all_chunks(log, "r")) == redacted[:wanted]
    assert await ingest.feed("r", "out", wanted, data[wanted:], now=1, end=True) == len(data)
    events = [decode_event(entry.data) for entry in await log.read("r", limit=10**6)]
    assert events[-1].type == "done"
    return [event for event in events if isinstance(event, Text)]


def key(body: str) -> str:
    """A private key on one line."""
    return f"-----BEGIN EC PRIVATE KEY-----{body}-----END EC PRIVATE KEY-----"


# Cut in the dashes of its last line.
@example(output=(key("0"), key("*")), cuts=[32], posts=[], restarts=set())
@example(output=(key("0" * 8), key("*" * 8)), cuts=[40], posts=[], restarts=set())
@settings(max_examples=150, deadline=None)
@given(
    output=said(),
    cuts=st.lists(st.integers(0, 400), max_size=60),
    posts=st.lists(st.integers(0, 20_000), max_size=40),
    restarts=st.sets(st.integers(0, 40), max_size=4),
)
def test_any_secret_cut_anywhere_is_neither_stored_nor_shown(
    output: tuple[str, str], cuts: list[int], posts: list[int], restarts: set[int]
) -> None:
    text, seen = output
    data = b"".join(claude(text, cut(text, cuts)))
    escaped, hidden = (json.dumps(words, ensure_ascii=False)[1:-1] for words in (text, seen))
    sizes = [len(json.dumps(part, ensure_ascii=False)) - 2 for part in cut(text, cuts)]
    places = itertools.accumulate(sizes, initial=0)
    bits = [hidden[at : at + size] for at, size in zip(places, sizes, strict=False)]
    redacted = b"".join(
        part.replace(json.dumps(before, ensure_ascii=False).encode(), f'"{after}"'.encode())
        for part, before, after in zip(
            claude(text, cut(text, cuts)),
            itertools.chain([""] * 3, cut(text, cuts), [text] * 4),
            itertools.chain([""] * 3, bits, [hidden] * 4),
            strict=True,
        )
    )
    assert len(escaped) == len(hidden)
    words = asyncio.run(ingested(data, redacted, posts, restarts))
    assert {(event.message_id, event.block) for event in words} <= {("m", 0)}
    assert "".join(event.delta for event in words) == json.loads(f'"{hidden}"')


def test_calls_are_redacted() -> None:
    raw = Raw(msgspec.json.encode({"command": f"curl -H 'Authorization: Bearer {BODY}'"}))
    call = FleetToolUse(
        seq=1, ts=1, stream_id=0, depth=0, agent="a", tool_use_id="t", tool="Bash", input_json=raw
    )
    redacted = redact_event(call)
    assert isinstance(redacted, FleetToolUse)
    assert redacted.input["command"].startswith("curl -H 'Authorization: Bearer ***")


@pytest.mark.parametrize("size", [3, 1000])
def test_what_never_ends_is_redacted_and_held_only_for_so_long(size: int) -> None:
    """A word that may be a token for ever is not asked for again and again."""
    text = "eyJ" + "Ab3d" * LONGEST
    parts = claude(text, cut(text, list(range(0, len(text), size))))
    redactor, taken, waiting, most = SourceRedactor(), b"", b"", 0
    for part in parts[:-4]:
        waiting += part
        given = redactor.accepted(Chunk("out", len(taken), waiting), end=False)
        taken, waiting = taken + given, waiting[len(given) :]
        most = max(most, len(given))
    assert waiting == b""
    assert most < 2 * LONGEST * len(parts[5])
    shown = "".join(re.findall(r'"text_delta", "text": "([^"]*)"', taken.decode()))
    assert shown == "eyJ" + "*" * 4 * LONGEST


def test_opencode_deltas_are_redacted() -> None:
    secret = "token=" + BODY
    deltas = [
        line(
            type="message.part.delta",
            properties={"sessionID": "s", "messageID": "m", "partID": "p", "delta": part},
        )
        for part in cut(f"a {secret} b", list(range(0, 60, 3)))
    ]
    redactor, taken, waiting = SourceRedactor(), b"", b""
    for delta in deltas:
        waiting += delta
        given = redactor.accepted(Chunk("out", len(taken), waiting), end=False)
        taken, waiting = taken + given, waiting[len(given) :]
    taken += redactor.accepted(Chunk("out", len(taken), waiting), end=True)
    output = "".join(json.loads(one)["properties"]["delta"] for one in taken.splitlines())
    assert output == f"a token={'*' * len(BODY)} b"


def test_another_agent_that_is_done_cuts_no_word_of_this_one() -> None:
    """OpenCode's agents talk at once, and each is idle when it is done."""

    def delta(part: str) -> bytes:
        given = {"sessionID": "s", "messageID": "m", "partID": "p", "delta": part}
        return line(type="message.part.delta", properties=given)

    idle = line(type="session.idle", properties={"sessionID": "other"})
    deltas = [delta(part) for part in cut(f"a token={BODY} b", list(range(0, 60, 3)))]
    redactor, taken, waiting = SourceRedactor(), b"", b""
    for one in itertools.chain.from_iterable((each, idle) for each in deltas):
        waiting += one
        given = redactor.accepted(Chunk("out", len(taken), waiting), end=False)
        taken, waiting = taken + given, waiting[len(given) :]
    taken += redactor.accepted(Chunk("out", len(taken), waiting), end=True)
    output = [json.loads(one)["properties"].get("delta", "") for one in taken.splitlines()]
    assert "".join(output) == f"a token={'*' * len(BODY)} b"
