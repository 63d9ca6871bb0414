"""The commands that send traces beside their work, as processes."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.record.run.agents import UNBRAID
from tests.send.otel.agreement import check_agreement, tree_of
from tests.send.otel.receiver import Receiver
from tests.send.otel.test_live import receiver
from tests.send.otel.test_otel import NESTED, append, home, otel, recorded
from unbraid.errors import CallerError
from unbraid.send.otel import collector_of, usable
from unbraid.system.home import make_private_folder

__all__ = ["home", "receiver"]  # fixtures
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.mark.parametrize("command", ["serve", "watch"])
async def test_a_log_is_sent_while_it_is_served_or_watched(
    command: str, home: Path, tmp_path: Path, receiver: Receiver
) -> None:
    make_private_folder(home)
    events = recorded(NESTED[0])
    env = {**os.environ, "HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    argv = [UNBRAID, "serve", "--port", "0", "--otlp", receiver.url]
    if command == "watch":
        argv, env[ENDPOINT] = [UNBRAID, "watch", "--no-page"], receiver.url
    process = await asyncio.create_subprocess_exec(*argv, env=env, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    try:
        assert await process.stderr.readline()  # it is there
        await asyncio.to_thread(append, home, "run", events[:30])
        await asyncio.to_thread(receiver.wait, lambda: len(receiver.spans) > 0)
        assert not [span for span in receiver.spans if span.name == "invoke_agent main"]
        await asyncio.to_thread(append, home, "run", events[30:])
        # It is asked to end at once: what is in the log is sent all the same.
        process.send_signal(signal.SIGTERM)
        await process.communicate()
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    check_agreement(await asyncio.to_thread(tree_of, "run"), receiver.spans)


def test_without_the_extra(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing: Callable[[str], None] = lambda name: None  # noqa: E731
    monkeypatch.setattr("unbraid.send.otel.find_spec", missing)
    append(home, "run", recorded(NESTED[0]))
    asked = otel("--endpoint", "http://127.0.0.1:1", "run")
    assert (asked.exit_code, "unbraid[otel]" in asked.output) == (2, True)
    said: list[str] = []
    # A variable that is there for other programs is no reason to fail.
    assert usable(collector_of(None, {ENDPOINT: "http://a"}), {}, said.append) is None
    assert "unbraid[otel]" in said[0]
    with pytest.raises(CallerError):
        usable(collector_of("http://a", {}), {}, said.append)
