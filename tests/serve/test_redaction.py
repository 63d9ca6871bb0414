"""With `--redact` no answer shows a secret, however it came into the log."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from tests.serve.conftest import Start
from tests.serve.sse import read_events
from unbraid.log import SqliteLog
from unbraid.log.contract import story

# Made here, so that no scanner takes this file for a leak.
BODY = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4f"
SECRET = "ghp" + "_" + BODY

PATHS = (
    "/v1/runs/r/streams/0",
    "/v1/runs",
    "/v1/search?q=needle",
)


@pytest.mark.parametrize("redact", [False, True])
async def test_what_the_log_has_is_shown_redacted(
    redact: bool, start: Start, client_of: Callable[..., httpx.AsyncClient], log: SqliteLog
) -> None:
    words = f"a needle\n{SECRET} in a haystack"
    events = story([words])
    events[0].prompt = events[1].prompt = words  # type: ignore[attr-defined]
    await log.append("r", events)
    client = client_of(await start(redact=redact))
    told = [(await client.get(path)).text for path in PATHS]
    for kind in ("text/event-stream", "application/x-ndjson"):
        answer = await client.get("/v1/runs/r/events", headers={"accept": kind})
        told.append(answer.text)
        page = await client.get("/v1/runs/r/events?limit=9", headers={"accept": kind})
        told.append(page.text)
    packed = await client.get("/v1/runs/r/events", headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    told.append(packed.text)
    for text in told:
        assert (BODY in text) != redact
        assert ("*" * len(BODY) in text) == redact
    seen = await read_events(client, "/v1/runs/r/events")
    assert [event["id"] for event in seen[1:]] == [str(event.seq) for event in events]


async def test_a_place_that_is_cut_within_a_secret(
    start: Start, client_of: Callable[..., httpx.AsyncClient], log: SqliteLog
) -> None:
    for number in range(30):
        words = f"{SECRET} {'and so on ' * number} needle {'and so on ' * (30 - number)} {SECRET}"
        await log.append(f"r{number}", story([words]))
    client = client_of(await start(redact=True))
    told = (await client.get("/v1/search?q=needle&limit=100")).text
    assert told.count("needle") >= 30
    assert not [at for at in range(len(BODY) - 3) if BODY[at : at + 4] in told]
