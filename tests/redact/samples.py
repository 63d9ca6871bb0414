"""A hundred secrets, made up, as they stand in files, logs, code and commands; and what is none.

Each is a text, and the part of it that must not be seen. They are put together here, so that no
scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import json
import random
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.redact.samples_found_later import found_later
from tests.redact.samples_third import third
from tests.redact.samples_unseen import unseen

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
LOWER = "abcdefghijklmnopqrstuvwxyz0123456789"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"


class Sample(NamedTuple):
    """A text with a secret, and the bits of it that must not be seen."""

    name: str
    text: str
    hidden: tuple[str, ...]


class _Maker:
    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    def __call__(self, size: int, letters: str = ALNUM) -> str:
        """Random characters; a digit and a letter among the first, as keys have nearly always."""
        made = "".join(self._dice.choice(letters) for _ in range(size))
        return made if any(c.isdigit() for c in made[:12]) else made[:3] + "7" + made[4:]

    def uuid(self) -> str:
        return str(uuid.UUID(int=self._dice.getrandbits(128), version=4))


def _keys(k: _Maker) -> Iterator[tuple[str, str, str]]:
    """Name, what may be seen of a key, the rest of it."""
    yield "anthropic", "sk-" + "ant-api03-", k(80, URLSAFE) + k(13) + "AA"
    yield "openai project", "sk-" + "proj-", k(48) + "T3Blbk" + "FJ" + k(48)
    yield "openai", "sk-", k(48)
    yield "openrouter", "sk-" + "or-v1-", k(64, HEX)
    yield "github", "ghp" + "_", k(36)
    yield "github oauth", "gho" + "_", k(36)
    yield "github app", "ghs" + "_", k(36)
    yield "github fine", "github" + "_pat_", "11" + k(20, UPPER) + "_" + k(59)
    yield "gitlab", "glpat" + "-", k(20)
    yield "gitlab runner", "glrt" + "-", k(20)
    yield "npm", "npm" + "_", k(36)
    yield "pypi", "pypi" + "-", "AgEIcHlwaS5vcmc" + k(120, URLSAFE)
    yield "slack bot", "xoxb" + "-", f"{k(12, '123456789')}-{k(12, '123456789')}-{k(24)}"
    yield "slack app", "xapp" + "-", f"1-A{k(10, UPPER)}-{k(13, '123456789')}-{k(64, HEX)}"
    yield "stripe", "sk" + "_live_", k(24)
    yield "stripe restricted", "rk" + "_live_", k(24)
    yield "stripe webhook", "whsec" + "_", k(32)
    yield "aws id", "AKIA", k(16, UPPER)
    yield "aws session id", "ASIA", k(16, UPPER)
    yield "google api", "AIza", "Sy" + k(33, ALNUM)
    yield "google oauth", "ya29" + ".", "a0" + k(120, URLSAFE)
    yield "google client", "GOCSPX" + "-", k(28)
    yield "sendgrid", "SG" + ".", k(22) + "." + k(43)
    yield "groq", "gsk" + "_", k(52)
    yield "xai", "xai" + "-", k(80)
    yield "hugging face", "hf" + "_", k(34)
    yield "replicate", "r8" + "_", k(37)
    yield "perplexity", "pplx" + "-", k(48)
    yield "nvidia", "nvapi" + "-", k(64)
    yield "digital ocean", "dop" + "_v1_", k(64, HEX)
    yield "docker hub", "dckr" + "_pat_", k(27)
    yield "vault", "hvs" + ".", "CAES" + k(90)
    yield "doppler", "dp" + ".pt.", k(43)
    yield "databricks", "dapi", k(32, HEX)
    yield "linear", "lin" + "_api_", k(40)
    yield "notion", "ntn" + "_", k(9, "123456789") + k(37)
    yield "figma", "figd" + "_", k(40)
    yield "shopify", "shpat" + "_", k(32, HEX)
    yield "square", "sq0" + "csp-", k(43)
    yield "tailscale", "tskey" + "-auth-", k(17) + "-" + k(32)
    yield "planetscale", "pscale" + "_tkn_", k(43)
    yield "postman", "PMAK" + "-", k(24, HEX) + "-" + k(34, HEX)
    yield "newrelic", "NRAK" + "-", k(27, UPPER)
    yield "grafana", "glsa" + "_", k(32) + "_" + k(8, HEX)
    yield "supabase", "sbp" + "_", k(40, HEX)
    yield "age", "AGE-SECRET" + "-KEY-1", k(58, UPPER)
    yield "telegram", k(9, "123456789") + ":AA", k(33)
    yield "twilio", "SK", k(32, HEX)
    yield "discord", "", "MTAx" + k(22) + "." + k(6) + "." + k(38)
    yield "jwt", "eyJ", "hbGciOiJIUzI1NiJ9." + "eyJ" + k(60) + "." + k(43)
    yield "unknown provider", "acme" + "_", k(32)
    yield "unknown provider, small letters", "acme" + "_sk_", k(40, LOWER)
    yield "unknown", "", k(40)
    yield "unknown base64", "", k(43, BASE64) + "="


def _contexts() -> list[str]:
    return [
        "export MY_SETTING={}",
        '{{"config": {{"value": "{}"}}}}',
        "config:\n  value: {}\n  debug: true",
        "curl -H 'X-Thing: {}' https://example.org/v1/things",
        "2026-11-16T10:00:00Z INFO client started with {} (retry 3)",
        'client = Client("{}")',
        "I found {} in the file, and use it.",
        "<value>{}</value>",
    ]


def _named(k: _Maker) -> Iterator[tuple[str, str, str]]:
    """Name, a text with a place for the secret, the secret."""
    yield "aws secret", "aws_secret_access_key = {}", k(40, BASE64)
    yield "aws secret env", "AWS_SECRET_ACCESS_KEY={}", k(40, BASE64)
    yield "aws secret json", '{{"SecretAccessKey": "{}"}}', k(40, BASE64)
    yield "aws session", '"SessionToken": "{}"', "IQoJb3JpZ2luX2VjE" + k(200, BASE64)
    yield "x-api-key", "x-api-key: {}", k(32, HEX)
    yield "x-api-key curl", "curl -H 'X-API-Key: {}' https://example.org", k(24, LOWER)
    yield "option", "tool --api-key={} --verbose", k(32, LOWER)
    yield "option, apart", "tool --token {} --verbose", k(32, HEX)
    yield "option json", '["tool", "--password", "{}"]', "Tr0ub4dor&3"
    yield "bearer", "Authorization: Bearer {}", k(40, HEX)
    yield "token scheme", "authorization: token {}", k(40, HEX)
    basic = base64.b64encode(b"admin:" + k(14).encode()).decode()
    yield "basic", "Authorization: Basic {}", basic
    yield "postgres", "postgres://app:{}@db.internal:5432/main", "s3cr3t-pw"
    yield "mysql", "mysql+pymysql://root:{}@127.0.0.1/x", "hunter2"
    yield "redis", "redis://:{}@cache:6379/0", k(16, LOWER)
    yield "mongo", "mongodb+srv://svc:{}@cluster0.example.net", "P4ssw0rd!x"
    yield "git remote", "https://x-access-token:{}@github.com/a/b.git", k(40, HEX)
    yield (
        "azure storage",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};",
        (k(86, BASE64) + "=="),
    )
    yield (
        "azure sas",
        "https://a.blob.core.windows.net/c?sv=2022-11-02&sig={}&se=2026",
        (k(43, ALNUM) + "%3D"),
    )
    yield (
        "azure service bus",
        "Endpoint=sb://x/;SharedAccessKeyName=R;SharedAccessKey={}",
        (k(43, BASE64) + "="),
    )
    yield "password env", "DB_PASSWORD={}", "hunter2xyz9"
    yield "password yaml", "password: '{}'", "Sommer2026!"
    yield "password json", '{{"user": "a", "password": "{}"}}', "c0rrect-h0rse"
    yield "password said", "the password is {} as before", "Winter-2027-x"
    yield "client secret", 'client_secret: "{}"', k(32, URLSAFE.replace("-", ""))
    yield "secret key", "SECRET_KEY = '{}'", "django-insecure-" + k(34, LOWER)
    yield "datadog", "DD_API_KEY={}", k(32, HEX)
    yield "heroku", "HEROKU_API_KEY={}", k.uuid()
    yield "token json", '"access_token":"{}"', k(36, LOWER)
    yield "query", "GET /v1/things?access_token={}&page=2 HTTP/1.1 https://e.org", k(32, HEX)
    yield "netrc", "machine example.org login me password {}", "Xk29fjw8"
    yield "npmrc", "//registry.example.org/:_authToken={}", k.uuid()
    yield "signed address", "https://s3.amazonaws.com/b/k?X-Amz-Signature={}", k(64, HEX)
    yield "cookie", "Cookie: theme=dark; sessionid={}", k(32, LOWER)
    yield "sql", "CREATE USER a WITH PASSWORD '{}';", "q8Zk2mPw"


def samples() -> list[Sample]:
    """Returns the hundred, and a few more."""
    k, contexts, out = _Maker(14), _contexts(), list[Sample]()
    for number, (name, lead, rest) in enumerate(_keys(k)):
        text = contexts[number % len(contexts)].format(lead + rest)
        out.append(Sample(name, text, bits(rest)))
    for name, text, secret in _named(k):
        out.append(Sample(name, text.format(secret), bits(secret)))
    out += _forms(k)
    for name, text, secret in unseen(_Maker(99)):
        out.append(Sample(f"unseen {name}", text.format(secret), bits(secret)))
    for name, text, secret in found_later(_Maker(4711)):
        out.append(Sample(f"later {name}", text.format(secret), bits(secret)))
    for name, text, secret in third(_Maker(31337)):
        out.append(Sample(f"third {name}", text.format(secret), bits(secret)))
    return out


def _forms(k: _Maker) -> Iterator[Sample]:
    lines = [k(64, BASE64) for _ in range(8)] + [k(21, BASE64) + "="]
    for name, kind in (("pem", "RSA PRIVATE KEY"), ("pgp", "PGP PRIVATE KEY BLOCK")):
        block = "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])
        yield Sample(name, f"here:\n{block}\nand on", tuple(lines))
    gcp = {"type": "service_account", "private_key": "-----BEGIN " + "PRIVATE KEY-----\n"}
    gcp["private_key"] += "\n".join(lines) + "\n-----END PRIVATE KEY-----\n"
    yield Sample("gcp", json.dumps(gcp), tuple(lines))
    yield Sample("gcp in json", json.dumps({"file": json.dumps(gcp)}), tuple(lines))
    key = "ghp" + "_" + k(36)
    for name, form in (
        ("wrapped", key[:20] + "\n" + key[20:]),
        ("wrapped, indented", key[:12] + "\\\n    " + key[12:]),
        ("coloured", key[:14] + "\x1b[31m" + key[14:25] + "\x1b[0m" + key[25:]),
        ("zero width", key[:10] + "\u200b" + key[10:24] + "\u2060" + key[24:]),
        ("spelled out", '{"t":"\\u0067' + key[1:] + '"}'),
    ):
        yield Sample(name, f"it is\n{form}\nthere", bits(key[26:]))
    encoded = base64.b64encode(f"token: {key} and more words that follow it here".encode()).decode()
    yield Sample("base64 of a key", f"echo {encoded} | base64 -d", bits(encoded[12:]))
    inside = base64.b64encode(("-----BEGIN " + "PRIVATE KEY-----\n" + lines[0]).encode()).decode()
    yield Sample("base64 of pem", f"data: {inside}", bits(inside[40:]))


def bits(secret: str) -> tuple[str, ...]:
    """Returns parts of a secret that nothing else has."""
    size = 6 if len(secret) > 12 else 4
    return tuple(secret[at : at + size] for at in range(4, len(secret) - size + 1)) or (secret,)


def leaked(sample: Sample, shown: str) -> bool:
    """Returns whether more than a little of the secret can be seen."""
    return any(bit in shown for bit in sample.hidden)


# --- what is no secret ---------------------------------------------------------------------------


def harmless(count: int) -> list[str]:
    """Returns so many lines without a secret: code, lockfiles, logs, hashes, ids, pictures."""
    lines = list(_code())
    dice, k = random.Random(7), _Maker(8)
    made = list(_lines(k, dice, count - min(len(lines), count // 2)))
    return [*lines[: count - len(made)], *made]


def _code() -> Iterator[str]:
    """The lines of Python's own library, as it is installed here."""
    folder = Path(json.__file__).parent.parent
    names = ("argparse", "ssl", "imaplib", "smtplib", "ftplib", "tokenize", "secrets", "hmac")
    more = ("getpass", "netrc", "urllib/request", "http/client", "http/cookies", "uuid", "hashlib")
    for name in (*names, *more):
        yield from (folder / f"{name}.py").read_text().splitlines()


def _lines(k: _Maker, dice: random.Random, count: int) -> Iterator[str]:
    forms = (
        lambda: f"commit {k(40, HEX)} Merge branch 'feature/token-refresh'",
        lambda: f"index {k(7, HEX)}..{k(7, HEX)} 100644",
        lambda: f'{{"uuid":"{k.uuid()}","parentUuid":"{k.uuid()}","sessionId":"{k.uuid()}"}}',
        lambda: f'{{"type":"tool_use","id":"toolu_01{k(22)}","name":"Bash","input":{{}}}}',
        lambda: f'{{"tool_use_id":"toolu_01{k(22)}","content":"ok","is_error":false}}',
        lambda: f'{{"id":"msg_01{k(22)}","model":"claude-sonnet-4-5-20250929","role":"assistant"}}',
        lambda: f'{{"requestId":"req_011{k(21)}","usage":{{"input_tokens":{k(5, "123456789")}}}}}',
        lambda: f'{{"sessionID":"ses_{k(12, HEX)}{k(14)}","messageID":"msg_{k(12, HEX)}{k(14)}"}}',
        lambda: f'{{"partID":"prt_{k(12, HEX)}{k(14)}","callID":"call_{k(24)}","state":"done"}}',
        lambda: f'{{"call_id":"call_{k(24)}","id":"fc_{k(48, HEX)}","name":"shell"}}',
        lambda: f'"node_modules/a": {{"integrity": "sha512-{k(86, BASE64)}=="}},',
        lambda: f"golang.org/x/net v0.17.0 h1:{k(43, BASE64)}=",
        lambda: f'checksum = "{k(64, HEX)}"',
        lambda: f"sha256:{k(64, HEX)} nginx:1.27 {k(12, HEX)}",
        lambda: f'<img src="data:image/png;base64,iVBORw0KGgo{k(600, BASE64)}">',
        lambda: f'{{"type":"thinking","signature":"{k(300, BASE64)}"}}',
        lambda: f'{{"signature":"{k(120, BASE64)}==","thinking":"the token count is low"}}',
        lambda: f"2026-11-16 10:11:12,{k(3, HEX)} INFO worker-7 GET /v1/runs/{k.uuid()} 200",
        lambda: f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{k(200, BASE64)} me@example.org",
        lambda: 'function n(e,t){for(var r=0;r<t.length;r++)e.set(t[r].key,t[r].token)};a.b="c1"',
        lambda: "password = getpass.getpass(prompt='Password for %s: ' % user)",
        lambda: "const token = await fetchToken(process.env.API_TOKEN ?? '', { secretName });",
        lambda: "    api_key=os.environ['OPENAI_API_KEY'], max_tokens=4096, token_type='bearer',",
        lambda: "npm_config_registry=https://registry.npmjs.org/ npm_package_version=1.2.3",
        lambda: "from huggingface_hub import hf_hub_download, hf_raise_for_status",
        lambda: 'password: "${DB_PASSWORD}"  # see vault; token: <your-token-here>',
        lambda: f"/home/dev/app/.git/objects/{k(2, HEX)}/{k(38, HEX)}",
        lambda: f"dist/assets/index-{k(8)}.js   {k(3, '123456789')}.12 kB │ gzip: 45.67 kB",
        lambda: "The secret of good tests is that the password of the user is never needed.",
        lambda: f"trace_id={k(32, HEX)} span_id={k(16, HEX)} duration=12ms",
    )
    for _ in range(count):
        yield dice.choice(forms)()
