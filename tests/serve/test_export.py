"""`GET /v1/runs/{run}/export`: a run as a file."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from tests.redact.secret import KEY
from tests.serve.conftest import Start
from unbraid.log import SqliteLog
from unbraid.testing.sample_runs import sample_run


async def test_a_run_is_a_file_to_save(client: httpx.AsyncClient, log: SqliteLog) -> None:
    await log.append("r", sample_run(["Some <b>words</b>."]))
    page = await client.get("/v1/runs/r/export")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-disposition"] == 'attachment; filename="r.html"'
    assert page.headers["content-security-policy"].startswith("sandbox;")
    assert "Some &lt;b&gt;words" in page.text
    for form, kind in (("markdown", "text/markdown"), ("json", "application/json")):
        answer = await client.get(f"/v1/runs/r/export?format={form}&stream=0")
        assert answer.headers["content-type"].startswith(kind)
        assert "words" in answer.text
    for wrong, status in (("format=pdf", 400), ("stream=9", 404), ("stream=x", 400)):
        assert (await client.get(f"/v1/runs/r/export?{wrong}")).status_code == status
    assert (await client.get("/v1/runs/nobody/export")).status_code == 404


async def test_a_server_that_redacts_exports_no_secret(
    start: Start, client_of: Callable[..., httpx.AsyncClient], log: SqliteLog
) -> None:
    await log.append("r", sample_run([f"I use {KEY[:9]}", f"{KEY[9:]}, and it works."]))
    client = client_of(await start(redact=True))
    for form in ("html", "markdown", "json"):
        shown = (await client.get(f"/v1/runs/r/export?format={form}")).text.replace("\\", "")
        assert "and it works" in shown
        assert KEY[9:24] not in shown
