"""When things happened, whichever way they are read: as recorded, live, late, from history.

What holds of the times of every run is among the invariants; here is what they are compared with:
the arrival of each line as it was recorded, and the times in a session's own files.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.block_rows import FOLDERS, log_of, sources_of, stream_of
from tests.record.watch.writing import Writer, append
from unbraid import events as e
from unbraid.fold.pipeline import Pipeline
from unbraid.log import opened_log
from unbraid.read.record import milliseconds
from unbraid.record.sessions.importer import import_sessions, open_or_import
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.system.clock import now_ms
from unbraid.testing import Recording, assert_fleet, load, random_cuts

DAY_MS = 86_400_000
A_LONG_TIME_AGO = 1_500_000_000
TIMES = ("timestamp", "time", "created", "updated", "completed", "start", "end", "emittedAtMs")
TIMED = (e.FleetTurnComplete, e.FleetProgress)

every_recording = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def times_in(record: object) -> Iterator[int]:
    """All times that a record says, wherever in it."""
    if isinstance(record, dict):
        for name, value in record.items():
            if name in TIMES and isinstance(value, str | int):
                yield milliseconds(value)
            else:
                yield from times_in(value)


def own_times(recording: Recording) -> list[int]:
    """The last time that each line says, or 0."""
    return [max(times_in(record), default=0) for record in recording.records]


def arrivals(recording: Recording) -> list[int]:
    """When each line arrived: none of them before its own time."""
    after = [round(seconds * 1000) for seconds in recording.times]
    own = zip(own_times(recording), after, strict=True)
    began = max((at - later for at, later in own if at), default=1_800_000_000_000)
    return [began + later for later in after]


def said_to_last(events: list[e.FleetEvent]) -> int:
    """For how long the agents say that they have worked."""
    return max([x.duration_ms or 0 for x in events if isinstance(x, TIMED)], default=0)


def replayed(recording: Recording, at: list[int]) -> list[e.FleetEvent]:
    """Reads each line when it arrives: nothing in it happens after that, unless the agent itself
    says that it has worked for longer than its lines were seen."""
    pipeline = Pipeline()
    events: list[e.FleetEvent] = []
    for line, now in zip(recording.lines, at, strict=True):
        new = pipeline.feed(line + b"\n", now=now)
        events += new
        if new:
            assert max(x.ts for x in new) <= now + said_to_last(events)
    events += pipeline.finish(at[-1])
    assert_fleet(events)
    return events


@every_recording
def test_what_is_read_live_happens_when_it_says_so_or_arrives(folder: Path) -> None:
    recording = load(folder)
    at, own = arrivals(recording), own_times(recording)
    events = replayed(recording, at)
    assert events[0].ts >= min(at[0], *filter(None, own), at[0])
    assert at[-1] <= events[-1].ts <= at[-1] + said_to_last(events)
    # Every word of a stream without times of its own is dated by the line that brought it.
    if not any(own):
        words = [x.ts for x in events if isinstance(x, e.Text | e.Thinking | e.FleetToolUse)]
        assert set(at).issuperset(words)


@every_recording
def test_a_recording_that_is_played_later_lasts_as_long_as_it_did(folder: Path) -> None:
    recording = load(folder)
    at = arrivals(recording)
    # As fast as it can be read, a day after it happened.
    pipeline = Pipeline()
    now = at[-1] + DAY_MS
    lines = [line + b"\n" for line in recording.lines]
    events = [x for line in lines for x in pipeline.feed(line, now=now)] + pipeline.finish(now)
    assert_fleet(events)
    own = [x.ts for x in play(lines) if x.ts]
    done = events[-1]
    assert isinstance(done, e.Done)
    assert (done.duration_ms or 0) >= max(own, default=0) - min(own, default=0)
    assert (done.duration_ms or 0) >= said_to_last(events)


def play(lines: list[bytes]) -> list[e.FleetEvent]:
    pipeline = Pipeline()
    return [x for line in lines for x in pipeline.feed(line)] + pipeline.finish()


@every_recording
def test_times_do_not_depend_on_how_a_live_stream_is_cut(folder: Path) -> None:
    data, now = stream_of(folder).read_bytes(), arrivals(load(folder))[-1]
    logs = []
    for pieces in ([data], random_cuts(data, 1), random_cuts(data, 2)):
        pipeline = Pipeline()
        events = [x for piece in pieces for x in pipeline.feed(piece, now=now)]
        events += pipeline.finish(now)
        assert_fleet(events)
        logs.append(log_of(events))
    assert logs[1:] == logs[:1] * 2


@every_recording
def test_a_recorded_file_has_its_own_times(folder: Path) -> None:
    own = [at for at in own_times(load(folder)) if at]
    for full in (False, True):
        (run,) = runs_of_sources(sources_of(folder, full=full), {})
        events = list(events_of(run))
        assert_fleet(events)
        if own:
            assert min(own[0], *filter(None, stored_times(folder)), own[0]) <= events[0].ts
            # What follows the last record with a time happened then, or as long after the start as
            # its agent says.
            latest = max(max(own), *stored_times(folder), events[0].ts + said_to_last(events))
            assert events[-1].ts <= latest


def stored_times(folder: Path) -> Iterator[int]:
    """All times in what a recording's CLI has stored."""
    yield 0
    for path in folder.glob("projects/**/*.jsonl"):
        for line in path.read_text().split("\n")[:-1]:
            yield milliseconds(json.loads(line).get("timestamp"))
    for path in folder.glob("*.db"):
        with closing(sqlite3.connect(path)) as database:
            for table in ("session", "message", "part"):
                for row in database.execute(f"SELECT time_created, time_updated FROM {table}"):
                    yield from row


def main_times(home: Path, session: str) -> Iterator[int]:
    """The times in the main transcript of a session."""
    (main,) = home.glob(f"projects/*/{session}.jsonl")
    for line in main.read_text().split("\n")[:-1]:
        yield milliseconds(json.loads(line).get("timestamp"))


def kept_of(folder: Path) -> list[tuple[str, dict[str, str]]]:
    """The sessions that a recording has stored, and where."""
    mains = folder.glob("projects/*/*.jsonl")
    sessions = [path.stem for path in mains if not path.name.startswith("agent-")]
    if sessions:
        return [(session, {"CLAUDE_CONFIG_DIR": str(folder)}) for session in sessions]
    database = folder / "opencode.db"
    if not database.exists():
        return []
    with closing(sqlite3.connect(database)) as opened:
        roots = opened.execute("SELECT id FROM session WHERE parent_id IS NULL").fetchall()
    return [(root, {"OPENCODE_DB": str(database)}) for (root,) in roots]


@pytest.mark.parametrize(
    "folder", [f for f in FOLDERS if kept_of(f)], ids=lambda folder: folder.name
)
async def test_a_session_that_is_opened_from_history_has_its_own_times(
    folder: Path, tmp_path: Path
) -> None:
    home = shutil.copytree(folder, tmp_path / "home")
    for path in home.rglob("*"):
        os.utime(path, (A_LONG_TIME_AGO, A_LONG_TIME_AGO))
    own = [at for at in stored_times(home) if at]
    for session, env in kept_of(home):
        async with opened_log("memory:") as log:
            summary = await open_or_import(log, session, {"HOME": str(tmp_path), **env})
            entries = await log.read(summary.run, 0, summary.last_seq + 1)
            events = [e.decode_event(entry.data) for entry in entries]
            assert_fleet(events)
            assert min(own) <= events[0].ts
            assert events[-1].ts <= max(own)
            assert (summary.started, summary.updated) == (events[0].ts, events[-1].ts)
            if len(kept_of(home)) == 1 and "CLAUDE_CONFIG_DIR" in env:
                assert events[0].ts == next(filter(None, main_times(home, session)))


@pytest.mark.parametrize("redact", [False, True])
async def test_a_session_that_ended_just_now_has_ended_when_its_file_was_last_written(
    tmp_path: Path, redact: bool
) -> None:
    """Not when somebody looked; and notes without a time, in between, move nothing."""
    began_ms = now_ms() - 40_000
    writer = Writer(tmp_path)
    lines = []
    for second, words in ((0, ""), (10, "one"), (20, "two")):
        time = datetime.fromtimestamp((began_ms + second * 1000) / 1000, UTC)
        writer.timestamp = f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"
        lines.append(writer.text(words) if words else writer.prompt())
        title = {"type": "ai-title", "aiTitle": f"Title {second}", "sessionId": writer.session}
        lines.append(json.dumps(title).encode() + b"\n")
    append(writer.main, b"".join(lines))
    ended_ms = began_ms + 25_000
    os.utime(writer.main, ns=(ended_ms * 1_000_000,) * 2)
    async with opened_log("memory:") as log:
        env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path)}
        async for _ in import_sessions(log, [writer.session], env, redact=redact):
            pass
        events = [e.decode_event(entry.data) for entry in await log.read(writer.session)]
    output = [
        (x.type, x.ts - began_ms) for x in events if isinstance(x, e.Text | e.FleetSessionMeta)
    ]
    assert ("text", 10_000) in output
    assert ("text", 20_000) in output
    assert max(x.ts for x in events) == ended_ms
