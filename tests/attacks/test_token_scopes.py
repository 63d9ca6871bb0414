"""Attack: a machine that may only send its runs uses its token for more.

A token on a build machine can be read by whatever runs there. It could read every run of the team,
steer agents, write into runs of other machines, and have programs run on the server. Now a token
does what its scopes say, and `ingest` is only: send runs, named after the token, and read nothing.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import msgspec
import pytest

from tests.record.run.agents import UNBRAID
from tests.record.run.test_passing import environment
from tests.serve.conftest import Start
from tests.serve.test_crash import lines_of
from unbraid.cli.token import SCOPES as OFFERED
from unbraid.log import SqliteLog
from unbraid.serve import Server, TokenFile, hash_token, new_token
from unbraid.serve.access import SCOPES, Token
from unbraid.testing.log_contract import sample_run

Clients = Callable[..., httpx.AsyncClient]

TOKENS = {scope: new_token(f"{scope}-token", [scope]) for scope in SCOPES}
OTHER, OTHER_TOKEN = new_token("other-machine", ["ingest"])

# What each scope may do; everything else is refused with 403.
ALLOWED = {
    "ingest": {"send"},
    "read": {"read", "page"},
    "control": {"read", "page", "steer", "answer"},
    "orchestrate": {"read", "page", "steer", "answer", "orchestrate"},
    "admin": {"send", "read", "page", "steer", "answer", "orchestrate"},
}


@pytest.fixture
async def shared(start: Start) -> Server:
    return await start(tokens=(*(token for _, token in TOKENS.values()), OTHER_TOKEN))


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


@pytest.mark.parametrize("scope", SCOPES)
async def test_a_token_does_what_its_scope_says_and_nothing_else(
    shared: Server, client_of: Clients, log: SqliteLog, scope: str
) -> None:
    await log.append("local", sample_run(["a secret of the team"]))
    client = client_of(shared, headers=bearer(TOKENS[scope][0]))  # type: ignore[index]
    tried = {
        "send": [("POST", "/v1/ingest/own?source=stdout&offset=0")],
        "read": [
            ("GET", path)
            for path in (
                "/v1/runs", "/v1/runs/local", "/v1/runs/local/tree", "/v1/runs/local/usage",
                "/v1/runs/local/streams/0", "/v1/search?q=secret", "/v1/permissions",
                "/v1/control", "/metrics", "/v1/runs/local/events?limit=9", "/openapi.json",
            )
        ],
        "page": [("GET", "/")],
        "steer": [
            ("POST", f"/v1/runs/local/{verb}") for verb in ("interrupt", "cancel", "streams/1/stop")
        ],
        "answer": [("POST", "/v1/permissions/q1")],
        "orchestrate": [("POST", "/v1/orchestrate")],
    }  # fmt: skip
    for act, requests in tried.items():
        for method, path in requests:
            answer = await client.request(method, path)
            assert (answer.status_code == 403) == (act not in ALLOWED[scope]), (path, answer.text)
            if answer.status_code == 403:
                assert "secret" not in answer.text


async def test_a_machine_writes_only_to_runs_that_it_began(
    shared: Server, client_of: Clients, log: SqliteLog
) -> None:
    await log.append("local", sample_run(["a"])[:2])
    mine = client_of(shared, headers=bearer(TOKENS["ingest"][0]))
    other = client_of(shared, headers=bearer(OTHER))
    admin = client_of(shared, headers=bearer(TOKENS["admin"][0]))
    lines = lines_of(1)
    begun = lines.index(b"\n") + 1
    first = await mine.post("/v1/ingest/s1?source=stdout&offset=0", content=lines[:begun])
    assert first.json() == {"offset": begun}
    for run in ("s1", "local"):
        refused = await other.post(f"/v1/ingest/{run}?source=x&offset=0", content=b"{}\n")
        assert refused.status_code == 403, run
    # The owner's helpers, and the machine itself, go on where it was.
    after = f"/v1/ingest/s1?source=stdout&offset={begun}"
    assert (await admin.post(after, content=lines[begun : begun + 9])).status_code == 200
    rest = await mine.post(
        f"/v1/ingest/s1?source=stdout&offset={begun}&end=1", content=lines[begun:]
    )
    assert rest.json() == {"offset": len(lines)}
    # The run says which machine it is from, whatever its content claims.
    summary = await log.run("s1")
    assert summary is not None and (summary.machine, summary.status) == ("ingest-token", "done")
    assert (await admin.get("/v1/runs/s1")).json()["machine"] == "ingest-token"
    again = await other.post("/v1/ingest/s1?source=stdout&offset=0", content=lines)
    assert again.status_code == 403


def test_tokens_from_before_keep_working_but_for_running_programs(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    stored = {"name": "old", "sha256": hash_token("x"), "scopes": ["control", "read"]}
    wall = {"name": "wall", "sha256": hash_token("y"), "scopes": ["read"]}
    path.write_bytes(msgspec.json.encode([stored, wall]))
    old, reader = TokenFile(path).tokens()
    assert old.scopes == {"ingest", "read", "control"}
    assert reader.scopes == {"read"}


def test_scopes_are_given_and_shown_by_the_command(tmp_path: Path) -> None:
    def token(*words: str) -> str:
        command = [UNBRAID, "token", *words]
        done = subprocess.run(command, env=environment(tmp_path), capture_output=True, check=True)
        return done.stdout.decode()

    assert OFFERED == SCOPES
    token("add", "build", "--scope", "ingest")
    token("add", "me", "--scope", "control", "--scope", "orchestrate")
    token("add", "wall", "--read-only")
    token("add", "some")
    assert token("list").splitlines() == [
        "build  ingest",
        "me  control, orchestrate",
        "wall  read",
        "some  ingest, read, control",
    ]


async def test_a_server_runs_no_programs_unless_it_was_started_for_that(
    shared: Server, client_of: Clients
) -> None:
    client = client_of(shared, headers=bearer(TOKENS["orchestrate"][0]))
    answer = await client.post("/v1/orchestrate", json={"prompt": "go"})
    assert answer.status_code == 501


def test_a_stored_token_needs_no_scopes_to_be_read() -> None:
    token = msgspec.json.decode(b'{"name":"a","sha256":"b"}', type=Token)
    assert "orchestrate" not in token.scopes and "admin" not in token.scopes
