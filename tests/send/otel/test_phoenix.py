"""A fleet in Phoenix, the real one: it takes the spans, and shows the tree, tokens and kinds."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.polling import blocked_until
from tests.ports import free_port
from tests.send.otel.agreement import tree_of
from tests.send.otel.phoenix import installed
from tests.send.otel.test_otel import NESTED, append, home, otel, recorded
from unbraid.testing import CliUnavailable

__all__ = ["home"]  # a fixture
START_SECONDS, INGEST_SECONDS = 240, 120
KINDS = {"invoke_agent": "AGENT", "chat": "LLM", "execute_tool": "TOOL"}

pytestmark = [pytest.mark.timeout(700), pytest.mark.large]


@pytest.fixture
def phoenix() -> Iterator[str]:
    """The address of a Phoenix with nothing in it."""
    try:
        program = installed() / "bin" / "phoenix"
    except CliUnavailable as reason:
        pytest.skip(str(reason))
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        env = {
            **os.environ,
            "PHOENIX_WORKING_DIR": folder,
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(free_port()),
            "PHOENIX_TELEMETRY_ENABLED": "false",
        }
        output = stack.enter_context(Path(folder, "output").open("wb"))
        process = subprocess.Popen([program, "serve"], env=env, stdout=output, stderr=output)

        def stop() -> None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

        stack.callback(stop)
        url = f"http://127.0.0.1:{port}"

        def is_ready() -> bool:
            assert process.poll() is None, Path(folder, "output").read_text()[-2000:]
            try:
                return httpx.get(f"{url}/healthz", timeout=5, trust_env=False).is_success
            except httpx.HTTPError:
                return False

        blocked_until(is_ready, seconds=START_SECONDS)
        yield url


def stored(url: str, count: int) -> list[dict[str, Any]]:
    """The spans that Phoenix has, once there are so many."""

    def spans() -> list[dict[str, Any]]:
        path = f"{url}/v1/projects/default/spans"
        try:
            answer = httpx.get(path, params={"limit": 1000}, timeout=30, trust_env=False)
        except httpx.HTTPError:
            return []
        return list(answer.json()["data"]) if answer.is_success else []

    return blocked_until(spans, lambda found: len(found) >= count, seconds=INGEST_SECONDS)


def test_phoenix_shows_a_fleet(home: Path, phoenix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_TIMEOUT")
    append(home, "run", recorded(NESTED[0]))
    sent = otel("--endpoint", phoenix, "--content", "run")
    assert sent.exit_code == 0, sent.output
    count = int(sent.stdout.split()[0])
    spans = stored(phoenix, count)
    by_id = {span["context"]["span_id"]: span for span in spans}
    assert len(by_id) == len(spans) == count
    for span in spans:
        assert span["span_kind"] == KINDS[span["name"].split()[0]]

    def above(span: dict[str, Any]) -> dict[str, Any] | None:
        parent = by_id.get(span["parent_id"] or "")
        while parent is not None and parent["span_kind"] != "AGENT":
            parent = by_id.get(parent["parent_id"] or "")
        return parent

    agents = {
        span["attributes"]["unbraid.stream_id"]: span
        for span in spans
        if span["span_kind"] == "AGENT"
    }
    tree = tree_of("run")
    (middle,) = tree["children"]
    (leaf,) = middle["children"]
    assert above(agents[leaf["stream_id"]]) is agents[middle["stream_id"]]
    assert above(agents[middle["stream_id"]]) is agents[0]
    used = [span["attributes"] for span in spans if span["span_kind"] == "LLM"]
    total = tree["total"]
    read = sum(each["llm.token_count.prompt"] for each in used)
    written = sum(each["llm.token_count.completion"] for each in used)
    names = ("input_tokens", "cache_read_tokens", "cache_creation_tokens")
    assert read == sum(total[name] for name in names)
    assert written == total["output_tokens"]
    # Sent again, it is the same.
    assert otel("--endpoint", phoenix, "--content", "run").exit_code == 0
    time.sleep(1)  # long enough for a second row, if there were to be any
    assert len(stored(phoenix, count)) == count
