"""Runs over AG-UI while they go on, withdrawn words, places to come back to, secrets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import msgspec

from tests.block_rows import logged_rows
from tests.polling import until
from tests.send.ag_ui.official import check_protocol, client_folder, read_runs, rows_of
from tests.send.ag_ui.test_run import played, recorded
from tests.serve.conftest import Start, client_of, log, start
from unbraid import events as e
from unbraid.log import SqliteLog
from unbraid.serve import Server
from unbraid.testing.sample_runs import sample_run

__all__ = ["client_of", "log", "start"]  # fixtures
Clients = Callable[..., httpx.AsyncClient]
KEY = "sk-ant-" + "api03-" + "Zk3" * 32 + "AA"


async def looked_at(server: Server) -> None:
    """Wait until somebody looks."""
    await until(lambda: server.services.hub.viewers)


async def test_a_viewer_who_comes_late_stays_to_the_end(start: Start, log: SqliteLog) -> None:
    installed, server = client_folder(), await start()
    events = recorded("nested.partial-fwd.2.1.260")
    # In the middle of a block of a sub-agent's.
    place = [x.seq for x in events if isinstance(x, e.Text) and x.depth == 2][1]
    await log.append("run", events[:place])
    job = {"name": "late", "url": f"{server.url}/v1/runs/run/ag-ui"}
    reading = asyncio.create_task(read_runs(installed, [job]))
    await looked_at(server)
    for start_at in range(place, len(events), 7):
        await log.append("run", events[start_at : start_at + 7])
    result = (await reading)["late"]
    check_protocol(result)
    assert sorted(rows_of(result)) == sorted(logged_rows(events))
    assert result["runs"][-1]["type"] == "RUN_FINISHED"


def numbered(events: list[e.FleetEvent]) -> list[e.FleetEvent]:
    return [
        e.decode_event(msgspec.json.encode(json.loads(e.encode(event)) | {"seq": seq}))
        for seq, event in enumerate(events, 1)
    ]


async def test_words_that_were_withdrawn_are_gone(start: Start, log: SqliteLog) -> None:
    installed, server = client_folder(), await start()
    begun, started, first, second, *rest = sample_run(["first words", "second words"])
    assert isinstance(first, e.Text) and isinstance(second, e.Text)
    retracted = e.FleetRetracted(
        seq=0, ts=first.ts, stream_id=0, depth=0, agent="main", message_ids=[first.message_id]
    )
    second = msgspec.structs.replace(second, message_id="m2")
    await log.append("run", numbered([begun, started, first, retracted, second, *rest]))
    urls = {q: f"{server.url}/v1/runs/run/ag-ui{q}" for q in ("", "?replay=true")}
    found = await read_runs(installed, [{"name": q, "url": url} for q, url in urls.items()])
    for result in found.values():
        check_protocol(result)
        assert [words for _, _, words in rows_of(result)] == ["second words"]


async def frames(client: httpx.AsyncClient, path: str, **headers: str) -> list[tuple[str, Any]]:
    """Each event with its id, which may be empty."""
    answer = await client.get(path, headers=headers)
    assert answer.status_code == 200
    found: list[tuple[str, Any]] = []
    for frame in answer.text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in frame.splitlines() if ": " in line)
        if "data" in fields:
            found.append((fields.get("id", ""), json.loads(fields["data"])))
    return found


async def test_whoever_comes_back_misses_nothing(
    start: Start, log: SqliteLog, client_of: Clients
) -> None:
    client = client_of(await start())
    events = recorded("permission.stdin.2.1.325")
    await log.append("run", events)
    path = "/v1/runs/run/ag-ui"
    whole = await frames(client, f"{path}?replay=true")
    assert [event for _, event in whole] == played(events)
    places = [number for number, (seen, _) in enumerate(whole) if seen]
    for place in places[1:-1:5]:
        rest = await frames(client, path, **{"last-event-id": whole[place][0]})
        assert rest == whole[place + 1 :]
    last = whole[-1][0]
    assert (await client.get(path, params={"since": last})).status_code == 204


async def test_secrets_are_redacted(start: Start, log: SqliteLog, client_of: Clients) -> None:
    client = client_of(await start(redact=True))
    await log.append("run", sample_run([f"the key is {KEY} indeed"]))
    for query in ("", "?replay=true"):
        text = json.dumps(await frames(client, f"/v1/runs/run/ag-ui{query}"))
        assert KEY not in text
        assert "the key is" in text
