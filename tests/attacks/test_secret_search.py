"""Attack: a viewer reads a redacted key back, one guess after the other.

Answers were redacted, but searches and filters ran over what is stored: "does any run match
`ghp_A`?", "`ghp_Ab`?", and 505 questions later the key was known. A redacting server searches what
it shows. Titles, folders, errors and metrics are redacted like everything else.
"""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from tests.serve.conftest import Start
from unbraid.log import SqliteLog
from unbraid.log.contract import story

# Made here, so that no scanner takes this file for a leak.
BODY = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4f"
SECRET = "ghp" + "_" + BODY


@pytest.fixture
async def redacting(
    start: Start, client_of: Callable[..., httpx.AsyncClient], log: SqliteLog
) -> httpx.AsyncClient:
    events = story([f"a needle with {SECRET}", " in a haystack"])
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
