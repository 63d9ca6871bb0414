"""A hundred secrets are hidden, ten thousand harmless lines are left alone, in bounded time."""

from __future__ import annotations

import itertools
import json
import random
import string
import time
from pathlib import Path

import pytest

import unbraid
from tests.block_rows import RECORDINGS
from tests.redact.samples import Sample, harmless, leaked, samples
from unbraid.redact.secrets import redact, secret_ranges, undecided_from
from unbraid.redact.source import line_redactor

SAMPLES = samples()
ROOT = Path(__file__).parents[2]
SOURCES = Path(unbraid.__file__).parent
# Those that have the words and beginnings of secrets in them.
OURS = ("redact", "rules")


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


def test_there_are_as_many_as_the_docs_say() -> None:
    docs = (ROOT / "docs" / "security.md").read_text()
    assert f"{len(SAMPLES)} made-up secrets" in " ".join(docs.split())
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


def test_our_own_sources_and_what_agents_printed_are_left_alone() -> None:
    """A recording is read alike with redaction: its ids, paths and texts have no secrets."""
    sources = [path for path in SOURCES.rglob("*.py") if path.parent.name not in OURS]
    recorded = [path for end in ("ndjson", "jsonl") for path in RECORDINGS.rglob(f"*.{end}")]
    assert len(sources) > 100
    assert len(recorded) > 100
    changed = [
        data[start - 40 : end + 20]
        for path in (*sources, *recorded)
        for data in [path.read_bytes()]
        for start, end in secret_ranges(data)
    ]
    assert not changed


@pytest.mark.parametrize(
    "text",
    [
        *("api_key = <your-key>", "API_KEY=xxxxxxxxxxxxxxxx", 'password: "${DB_PASSWORD}"'),
        *('token = os.environ["TOKEN"]', "password: str = Field(default=None)", "secret: &str,"),
        *("curl -u user:password https://e.org", "curl -u $USER:$PASS e.org", "mysql -u root -p"),
        *(
            "docker run -p 8080:80 nginx",
            "docker login -u me --password-stdin",
            "sshpass -p $PW ssh",
        ),
        *('"password": "Your password must be long"', "password for the user is required"),
        *('{"name": "token", "value": "none"}', "token: refresh_token_handler", "unzip -p a.zip b"),
        *("const password = form.password.value", "secretName: my-app-tls", "the token is expired"),
        *('"key": "Password", "label": "Value"', "session_id=record.session_id_stdout,"),
        *("auth: github.actor", "private_key_id", "identified by 'name'", "git@github.com:a/b.git"),
    ],
)
def test_a_name_without_a_secret_is_left_alone(text: str) -> None:
    assert redact(text.encode()) == text.encode()


NAMED = (
    *('{"password": "%s"}', "password=%s", "--api-key=%s", "--password %s", "password: %s"),
    *('{"apiKey": "%s"}', 'api_key = "%s"', "client_secret=%s&x=1", "--token=%s", "DB_PASSWORD=%s"),
    *('"secret": "%s"', "access_token=%s", "'passwd' => '%s'", "<password>%s</password>"),
)


@pytest.mark.parametrize("letters", [string.ascii_lowercase, string.ascii_letters])
@pytest.mark.parametrize("form", NAMED)
def test_ten_letters_behind_a_name_are_hidden(form: str, letters: str) -> None:
    """All but the few that look like words."""
    dice = random.Random(form)
    made = ["".join(dice.choices(letters, k=10)) for _ in range(200)]
    shown = [word for word in made if word in redact((form % word).encode()).decode()]
    assert len(shown) <= 14


@pytest.mark.parametrize(
    "word", ["production", "mypassword", "refreshToken", "bot-credentials", "databaseUrl"]
)
def test_words_behind_a_name_are_left_alone(word: str) -> None:
    for form in ("api_key=%s", "--token=%s", '"secret": "%s"', "token: %s"):
        assert redact((form % word).encode()).decode() == form % word


@pytest.mark.parametrize("encode", ["%%%02X", "%%%02x", "&#%d;", "&#x%x;", "&#%04d;"])
@pytest.mark.parametrize("prefix", ["sk-" + "ant-api03-", "ghp" + "_", "xoxb" + "-", "password="])
@pytest.mark.parametrize("whole", [False, True], ids=["signs", "all"])
def test_a_key_is_hidden_that_is_encoded_for_addresses_or_pages(
    whole: bool, prefix: str, encode: str
) -> None:
    body = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4f"
    encoded = "".join(
        encode % ord(each) if whole or not each.isalnum() else each for each in prefix + body
    )
    hidden = encoded[len(encoded) - (len(body) * len(encode % 65) if whole else len(body)) :]
    shown = redact(f"see {encoded} here".encode()).decode()
    assert shown.endswith("*" * len(hidden) + " here") and hidden not in shown


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
            "curl -u a",
            "mysql -",
            'password="a ',
            "password for a ",
            "token: a",
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
        *(
            "echo a ",
            "echo a | ",
            "printf '%s' ",
            "sudo -S <<< ",
            "password%3D",
            "&quot;a",
            "$6$a$",
        ),
        *(
            "auth=('a', '",
            "mnemonic: a ",
            "password: |\n ",
            'password" {',
            'password a="b"',
            ":a@tcp(",
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
