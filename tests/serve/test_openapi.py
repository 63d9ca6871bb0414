"""The description that is served is true: every route is in it, and every answer is as it says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.access import HEADERS, TOKEN
from unbraid.log import SqliteLog
from unbraid.serve import ServeConfig, ServeLimits, Server, serving
from unbraid.serve.openapi import document
from unbraid.serve.routes import OPERATIONS
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run


class Background:
    """A server on a thread of its own, for a client that cannot wait."""

    def __init__(self, path: Path) -> None:
        self._path, self._ready, self._stop = path, threading.Event(), asyncio.Event()
        self.server: Server | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))
        self._thread.start()
        assert self._ready.wait(PATIENCE_SECONDS)

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        log = await SqliteLog.open(self._path)
        await log.append("r", sample_run(["a"]))
        # Streams that do not end by themselves are cut off soon, so that a test of them ends.
        limits = ServeLimits(heartbeat_seconds=0.2, shutdown_seconds=1)
        async with serving(ServeConfig(port=0, tokens=(TOKEN,), limits=limits), log) as self.server:
            self._ready.set()
            await self._stop.wait()
        await log.close()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    background = Background(tmp_path_factory.mktemp("openapi") / "log.db")
    assert background.server is not None
    yield background.server.url
    background.close()


# All but the streams, which need not end; their parameters are tested with everyone else's.
STREAMS = ("events", "ag-ui")
described = document(op for op in OPERATIONS if op.method != "GET" or not op.path.endswith(STREAMS))
schema = schemathesis.openapi.from_dict(described)


@schema.parametrize()
@settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_as_described(case: schemathesis.Case[Any], url: str) -> None:
    answer = case.call(base_url=url, headers=HEADERS)
    assert answer.status_code < 500 or answer.status_code in (501, 503)
    case.validate_response(
        answer,
        checks=[status_code_conformance, content_type_conformance, response_schema_conformance],
    )


def test_what_is_served_is_the_whole_of_it(url: str) -> None:
    with httpx.Client(base_url=url, headers=HEADERS, trust_env=False) as client:
        served = client.get("/openapi.json").json()
        assert served == document(OPERATIONS)
        for path, methods in served["paths"].items():
            for method in {"get", "post", "put", "delete", "patch"} - methods.keys():
                probe = path.replace("{run}", "r").replace("{stream_id}", "0")
                answer = client.request(method, probe.replace("{request_id}", "x"))
                assert answer.status_code == 405, (method, path)
