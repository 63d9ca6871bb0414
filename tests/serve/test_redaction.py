"""With `--redact` no answer shows a secret, however it came into the log."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import httpx
import pytest

from tests.polling import PATIENCE_SECONDS
from tests.redact.test_lines import cut
from tests.serve.conftest import Start
from tests.serve.sse import data_of, events_of, read_events
from unbraid.log import SqliteLog
from unbraid.testing.log_contract import sample_run

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
    events = sample_run([words])
    events[0].prompt = events[1].prompt = words  # type: ignore[attr-defined]
    await log.append("r", events)
    client = client_of(await start(redact=redact))
    output = [(await client.get(path)).text for path in PATHS]
    for kind in ("text/event-stream", "application/x-ndjson"):
        answer = await client.get("/v1/runs/r/events", headers={"accept": kind})
        output.append(answer.text)
        page = await client.get("/v1/runs/r/events?limit=9", headers={"accept": kind})
        output.append(page.text)
    packed = await client.get("/v1/runs/r/events", headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    output.append(packed.text)
    for text in output:
        assert (BODY in text) != redact
        assert ("*" * len(BODY) in text) == redact
    seen = await read_events(client, "/v1/runs/r/events")
    assert [event["id"] for event in seen[1:]] == [str(event.seq) for event in events]


async def test_a_place_that_is_cut_within_a_secret(
    start: Start, client_of: Callable[..., httpx.AsyncClient], log: SqliteLog
) -> None:
    for number in range(30):
        words = f"{SECRET} {'and so on ' * number} needle {'and so on ' * (30 - number)} {SECRET}"
        await log.append(f"r{number}", sample_run([words]))
    client = client_of(await start(redact=True))
    output = (await client.get("/v1/search?q=needle&limit=100")).text
    assert output.count("needle") >= 30
    assert not [at for at in range(len(BODY) - 3) if BODY[at : at + 4] in output]


# --- a key that was stored in small parts --------------------------------------------------------

KEY = "sk-" + "ant-" + BODY
TEXT = f"a needle, then {KEY}, and so on"
SHOWN = f"a needle, then sk-ant-{'*' * len(BODY)}, and so on"
PARTS = cut(TEXT, list(range(0, 100, 3)))


def leaked(text: str) -> list[str]:
    """Parts of the key in a text, or in what its deltas say together."""
    deltas = re.findall(r'"delta":"([^"]*)"', text)
    both = text + "".join(deltas)
    return [BODY[at : at + 3] for at in range(len(BODY) - 2) if BODY[at : at + 3] in both]


def said(events: list[dict[str, str]]) -> str:
    """The text of SSE events."""
    return "".join(data_of(event).get("delta", "") for event in events if "data" in event)


PLACES = (
    "/v1/runs/r/events",
    "/v1/runs/r/events?types=text",
    "/v1/runs/r/events?stream=0",
    "/v1/runs/r/events?limit=1000",
    "/v1/runs/r/events?limit=1000&types=text&stream=0",
    "/v1/runs/r/streams/0",
    "/v1/runs/r/tree",
    "/v1/runs",
    "/v1/search?q=needle",
)


@pytest.mark.parametrize("over", [True, False], ids=["over", "live"])
async def test_a_key_in_small_parts_is_nowhere_shown(
    over: bool, start: Start, client_of: Callable[..., httpx.AsyncClient], log: SqliteLog
) -> None:
    events = sample_run(PARTS)
    await log.append("r", events if over else events[:-4])
    client = client_of(await start(redact=True))
    for path in PLACES:
        for kind in ("text/event-stream", "application/x-ndjson"):
            if not over and "events" in path and "limit" not in path:
                continue  # it would not end
            answer = await client.get(path, headers={"accept": kind})
            assert answer.status_code == 200
            assert not leaked(answer.text), path
    # One event at a time, each asked for by itself.
    found = ""
    for event in events if over else events[:-4]:
        page = await client.get(f"/v1/runs/r/events?limit=1&since={event.seq - 1}")
        assert f"id: {event.seq}\n" in page.text
        found += page.text
    assert not leaked(found)


@pytest.mark.parametrize("path", ["/v1/runs/r/events", "/v1/runs/r/events?types=text&stream=0"])
async def test_a_viewer_may_come_back_in_the_middle_of_a_key(
    path: str, start: Start, client_of: Callable[..., httpx.AsyncClient], log: SqliteLog
) -> None:
    events = sample_run(PARTS)
    await log.append("r", events)
    client = client_of(await start(redact=True))
    whole = await read_events(client, path)
    assert said(whole) == SHOWN
    for event in events[:-1]:
        headers = {"last-event-id": str(event.seq)}
        rest = await read_events(client, path, headers=headers)
        assert rest[1:] == [each for each in whole[1:] if int(each["id"]) > event.seq]


@pytest.mark.parametrize("path", ["/v1/runs/r/events", "/v1/events?since=0", "/v1/events"])
async def test_a_key_is_redacted_while_it_is_said(
    path: str, start: Start, client_of: Callable[..., httpx.AsyncClient], log: SqliteLog
) -> None:
    """Replayed in part and then live, without a gap or a repeat."""
    events = sample_run(PARTS)
    await log.append("r", events[:2])
    client, seen = client_of(await start(redact=True)), list[dict[str, str]]()
    async with asyncio.timeout(PATIENCE_SECONDS), client.stream("GET", path) as answer:
        coming = events_of(answer)
        seen.append(await anext(coming))
        for event in events[2:]:
            await log.append("r", [event])
        while data_of(seen[-1]).get("type") != "done" if "data" in seen[-1] else True:
            seen.append(await anext(coming))
            assert not leaked(said(seen))
    assert said(seen) == SHOWN
    ids = [int(event["id"]) for event in seen if "id" in event]
    assert ids == list(range(ids[0], len(events) + 1))
    assert ids[0] <= 3
