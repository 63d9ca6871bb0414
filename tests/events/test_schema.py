"""The types of events that are shipped for other languages are those of the events."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.block_rows import RECORDINGS, sources_of
from unbraid.events import FLEET_EVENTS, RELAY_EVENTS, encode
from unbraid.record.sessions.sources import events_of, relay_events_of, runs_of_sources

WEB = Path(__file__).parents[2] / "web"


def shipped(name: str) -> str:
    return files("unbraid.events").joinpath(name).read_text()


def schema_of(name: str) -> dict[str, Any]:
    schema = json.loads(shipped("events.schema.json"))
    return {**schema, "$ref": f"#/$defs/{name}"}


def test_every_event_of_every_recording_is_valid() -> None:
    fleet = jsonschema_rs.validator_for(schema_of("FleetEvent"))
    relay = jsonschema_rs.validator_for(schema_of("RelayEvent"))
    seen: set[str] = set()
    for folder in sorted(RECORDINGS.iterdir()):
        if not (folder / "truth.json").exists():
            continue
        for run in runs_of_sources(sources_of(folder, full=True), {}):
            for event in events_of(run):
                fleet.validate(json.loads(encode(event)))
                seen.add(event.type)
            for output in relay_events_of(run):
                relay.validate(json.loads(encode(output)))
    assert {"text", "tool_use", "tool_result", "token_usage", "permission_asked"} <= seen


def test_what_is_no_event_is_not_valid() -> None:
    fleet = jsonschema_rs.validator_for(schema_of("FleetEvent"))
    text = {"type": "text", "seq": 1, "ts": 1, "stream_id": 0, "depth": 0, "agent": "main"}
    text |= {"delta": "words", "message_id": "m", "block": 0}
    assert fleet.is_valid(text)
    assert fleet.is_valid({**text, "later": "fields may be added at any time"})
    others: list[Any] = [
        {**text, "seq": "1"},
        {**text, "type": "words"},
        {"type": "text"},
        [],
        None,
    ]
    for wrong in others:
        assert not fleet.is_valid(wrong)


def test_every_event_has_a_type_in_typescript(tmp_path: Path) -> None:
    module = shipped("events.d.ts")
    for kind in (*FLEET_EVENTS, *RELAY_EVENTS):
        assert (
            f"export interface {kind.__name__} {{\n  type: '{kind.__struct_config__.tag}';"
            in module
        )
    compiler = WEB / "node_modules" / ".bin" / "tsc"
    if shutil.which("node") is None or not compiler.exists():
        pytest.skip("the TypeScript compiler of the page is not installed")
    (tmp_path / "events.d.ts").write_text(module)
    (tmp_path / "use.ts").write_text(
        """import type { FleetEvent } from './events';
        export function words(event: FleetEvent): string {
          if (event.type === 'tool_result') return event.content;
          return event.type === 'text' ? event.delta : String(event.seq);
        }"""
    )
    argv = [str(compiler), "--strict", "--noEmit", "--target", "es2022", str(tmp_path / "use.ts")]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
