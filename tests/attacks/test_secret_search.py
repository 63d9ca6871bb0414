"""Attack: a viewer reads a redacted key back, one guess after the other.

Answers were redacted, but searches and filters ran over what is stored: "does any run match
`ghp_A`?", "`ghp_Ab`?", and 505 questions later the key was known. A redacting server searches what
it shows, and neither the order of what it finds nor its excerpts depend on anything else. Titles,
folders, errors and metrics are redacted like everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace

from tests.record.watch.writing import Writer, append
from tests.serve.conftest import Start
from unbraid.agents.port import SearchHit
from unbraid.log import MemoryLog, SqliteLog
from unbraid.log.port import Found
from unbraid.record.sessions.stored_sessions import search_files
from unbraid.redact.reader import RedactedLog
from unbraid.testing.log_contract import sample_run

# Made here, so that no scanner takes this file for a leak.
BODY = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4f"
SECRET = "ghp" + "_" + BODY


@pytest.fixture
async def redacting(
    start: Start, client_of: Callable[..., httpx.AsyncClient], log: SqliteLog
) -> httpx.AsyncClient:
    events = sample_run([f"a needle with {SECRET}", " in a haystack"])
    for event in events[:2]:
        event.prompt = f"Please use {SECRET} for it"  # type: ignore[attr-defined]
    events[0].cwd = f"/home/dev/{SECRET}/app"  # type: ignore[attr-defined]
    await log.append("r", events)
    return client_of(await start(redact=True))


async def test_no_guess_is_confirmed(redacting: httpx.AsyncClient) -> None:
    for size in range(1, len(BODY)):
        for guess in (f"ghp_{BODY[:size]}", BODY[-size:], BODY[size:]):
            if len(guess) < 3:
                continue
            listed = (await redacting.get("/v1/runs", params={"q": guess})).json()
            assert listed["runs"] == [], guess
            for query in (guess, f"needle {guess}", f'"with ghp {guess}"'):
                found = (await redacting.get("/v1/search", params={"q": query})).json()
                assert found["places"] == [], query


async def test_what_is_shown_is_found(redacting: httpx.AsyncClient) -> None:
    listed = (await redacting.get("/v1/runs", params={"q": "please use"})).json()
    assert [run["run"] for run in listed["runs"]] == ["r"]
    for query in ("needle", "haystack", "needle haystack", '"a needle"'):
        found = (await redacting.get("/v1/search", params={"q": query})).json()
        assert found["places"], query


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/runs/r", "/metrics", f"/v1/runs/{SECRET}"])
async def test_titles_folders_errors_and_metrics_are_redacted(
    path: str, redacting: httpx.AsyncClient
) -> None:
    assert BODY not in (await redacting.get(path)).text


# One of them has the word that is searched for, the other has not.
SECRETS = [f"ghp_{word}Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD" for word in ("bolt", "Wq7Z")]
QUERIES = ("bolt", "bol", "olt", "lt", "bolt hay", '"a bolt"')


async def found_in_log(secret: str) -> list[list[Found]]:
    log = MemoryLog()
    hay = "hay " * 100
    for number, text in enumerate((f"{secret} {hay} thunderbolts {hay}", f"{hay} a bolt", "bolts")):
        events = [replace(event, ts=event.ts - 1000 * number) for event in sample_run([text])]
        await log.append(f"r{number}", events)
    return [await RedactedLog(log).search(query) for query in QUERIES]


def found_in_files(secret: str, config: Path) -> list[list[SearchHit]]:
    writer = Writer(config, timestamp="2026-01-05T10:00:00.000Z")
    append(writer.main, writer.text(f"{secret} {'hay ' * 100} a bolt, thunderbolts"))
    env = {"CLAUDE_CONFIG_DIR": str(config), "HOME": str(config)}
    return [search_files(query, env, redact=True) for query in QUERIES]


async def test_what_is_found_does_not_depend_on_what_is_hidden(tmp_path: Path) -> None:
    with_word, without = [await found_in_log(secret) for secret in SECRETS]
    assert with_word == without
    assert [place.run for place in without[0]] == ["r1", "r2", "r0"]
    stored = [found_in_files(secret, tmp_path / secret) for secret in SECRETS]
    assert stored[0] == stored[1]
    assert all(map(len, stored[0]))
