"""`--redact` of commands that only read: what the log has in clear is redacted as it is shown."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.record.run.test_passing import finished, start
from tests.record.watch.writing import HOURS_AGO, SESSION, Writer, append
from tests.redact.secret import KEY, SEEN, bits_in, leaks
from tests.redact.test_lines import cut
from tests.web.stories import Story
from unbraid.events import encode
from unbraid.log import SqliteLog
from unbraid.testing import Script, Spawn, run_claude, say
from unbraid.testing.log_contract import sample_run

TEXT = f"I use {KEY}, and it works."
SHOWN = f"I use {SEEN}, and it works."


async def written(home: Path) -> None:
    """A run whose agent printed a key in small parts, in a log that is not redacted."""
    log = await SqliteLog.open(home / "unbraid" / "log.db")
    await log.append("r", sample_run(cut(TEXT, list(range(0, 100, 3)))))
    await log.close()
    assert leaks(home / "unbraid")


@pytest.mark.parametrize(
    "argv", [("tail", "r"), ("attach", "r"), ("attach", "r/0"), ("cat", "r")], ids=" ".join
)
async def test_a_key_in_bits_is_redacted_as_it_is_shown(
    argv: tuple[str, ...], tmp_path: Path
) -> None:
    await written(tmp_path)
    for options, seen in (((), TEXT), (("--redact",), SHOWN)):
        code, out, err = await finished(tmp_path, *argv, *options, COLUMNS="200")
        assert (code, err) == (0, b"")
        assert seen.encode() in out
        assert bool(bits_in(out)) == (not options)


async def test_events_of_all_runs_are_redacted(tmp_path: Path) -> None:
    await written(tmp_path)
    process = await start(tmp_path, "tail", "--json", "--since", "0", "--redact")
    assert process.stdout is not None
    events: list[dict[str, Any]] = []
    async with asyncio.timeout(60):
        while not events or events[-1]["type"] != "done":
            events.append(json.loads(await process.stdout.readline()))
        process.send_signal(signal.SIGINT)
        await process.wait()
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert "".join(event.get("delta", "") for event in events) == SHOWN


async def test_a_file_whose_agent_printed_a_key_in_bits(tmp_path: Path) -> None:
    helper = Spawn("helper", prompt=f"Use {KEY}.")
    script = Script({"main": [say(TEXT, helper), say("Done.")], "helper": [say(TEXT)]})
    recording = await run_claude("2.1.325", script, home=tmp_path / "home", mode="partial")
    (tmp_path / "stdout.ndjson").write_bytes(recording.stdout)
    (transcript, *_), *_ = recording.transcripts.values()
    argv = ["cat", str(tmp_path / "stdout.ndjson"), str(transcript)]
    for shape, redact in itertools.product(("", "--json", "--relay"), ("", "--redact")):
        options = filter(None, (shape, redact))
        code, out, err = await finished(tmp_path, *argv, *options, COLUMNS="200")
        assert (code, err) == (0, b""), shape
        assert bool(bits_in(out)) == (not redact), shape
        if not shape:
            assert out.count((SHOWN if redact else TEXT).encode()) == 2


async def test_a_tree_is_drawn_redacted(tmp_path: Path) -> None:
    story = Story(f"Go with {KEY}.").spawn(f"use {KEY}")
    log = tmp_path / "log.ndjson"
    log.write_bytes(b"".join(encode(event) + b"\n" for event in story.events))
    for options in ((), ("--redact",)):
        code, out, err = await finished(tmp_path, "tree", str(log), *options, COLUMNS="200")
        assert (code, err) == (0, b"")
        assert (f"use {SEEN if options else KEY}").encode() in out


async def test_titles_and_places_are_listed_redacted(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "claude")
    # `ps` lists the last day.
    writer.timestamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    append(writer.main, writer.prompt(f"Go with {KEY}.") + writer.text(f"I use {KEY}."))
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "COLUMNS": "200"}
    for command in (["ps"], ["ps", "--json"], ["search", "use"], ["search", "use", "--json"]):
        for options in ((), ("--redact",)):
            code, out, err = await finished(tmp_path, *command, *options, **env)
            assert (code, err) == (0, b"")
            assert bool(bits_in(out)) == (not options), (command, out)
            assert b"I use sk-" in out or b"Go with sk-" in out


@pytest.mark.parametrize("command", ["tail", "attach"])
async def test_a_session_of_the_past_is_stored_redacted(command: str, tmp_path: Path) -> None:
    writer = Writer(tmp_path / "claude", timestamp=HOURS_AGO)
    append(writer.main, writer.prompt(f"Go with {KEY}.") + writer.text(f"I use {KEY}."))
    os.utime(writer.main, (time.time() - 3600,) * 2)
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "COLUMNS": "200"}
    _, out, _ = await finished(tmp_path, command, SESSION, "--redact", **env)
    assert f"I use {SEEN}.".encode() in out
    assert not leaks(tmp_path / "unbraid")


async def test_what_the_agents_own_cli_shows_is_not_taken_for_redacted(tmp_path: Path) -> None:
    await written(tmp_path)
    code, out, err = await finished(tmp_path, "attach", "r", "--resume", "--redact")
    assert (out, code) == (b"", 2)
    assert b"--redact has no effect with --resume" in err
