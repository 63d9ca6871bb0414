"""What a person names, as runs: kinds are detected, sources of one run are joined."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.block_rows import CLEAN, RECORDINGS, judge, logged_rows, sources_of, stream_of
from unbraid.errors import SourceError
from unbraid.events import encode
from unbraid.log import SqliteLog
from unbraid.read.tracks import RunTracks
from unbraid.record.sessions.sources import events_of, relay_events_of, runs_of_sources
from unbraid.system.home import LOG_FILE_NAME
from unbraid.testing import load

NESTED = RECORDINGS / "nested.stdin.2.1.197"
LAYOUTS = ["nested.plain.1.0.128", "nested.plain.2.0.76", "nested.stdin.2.1.197"]
SESSION = next(NESTED.glob("projects/*/*.jsonl")).stem


def one(*names: str | Path, env: dict[str, str] | None = None) -> RunTracks:
    (run,) = runs_of_sources([str(name) for name in names], env or {})
    return run


def said(*names: str | Path, env: dict[str, str] | None = None) -> list[tuple[str, str, str]]:
    return logged_rows(events_of(one(*names, env=env)))


def pipe_in(monkeypatch: pytest.MonkeyPatch, data: bytes, *, piece: int = 1 << 16) -> None:
    class Pipe(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            return super().read1(piece)

    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=Pipe(data)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_transcript_alone_holds_all_that_was_said_in_every_layout(layout: str) -> None:
    folder = RECORDINGS / layout
    transcript = sources_of(folder, full=True)[1]
    run = one(transcript)
    assert run.source == "claude"
    assert run.session == Path(transcript).stem
    assert judge(folder, events_of(run), full=True) == CLEAN


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("single.plain.2.0.76/stdout.ndjson", "claude"),
        ("nested.run.opencode/stdout.ndjson", "opencode"),
        ("nested.run.opencode/opencode.db", "opencode"),
        ("nested.serve.opencode/events.ndjson", "opencode"),
        ("nested.serve.opencode/event.sse", "opencode"),
        ("fan-same-opening.run.kilo-7.7.9/stdout.ndjson", "kilo"),
        ("fan-same-opening.run.kilo-7.7.9/kilo.db", "kilo"),
        ("child-fails.serve.kilo-7.7.9/events.ndjson", "kilo"),
    ],
)
def test_the_kind_of_a_file_is_seen_in_it(name: str, source: str, tmp_path: Path) -> None:
    nameless = tmp_path / "source"
    shutil.copy(RECORDINGS / name, nameless)
    run = one(nameless)
    assert run.source == source
    assert logged_rows(events_of(run))


def test_a_session_is_found_by_its_id_in_the_home_folder(tmp_path: Path) -> None:
    shutil.copytree(NESTED / "projects", tmp_path / ".claude" / "projects")
    events = events_of(one(SESSION, env={"HOME": str(tmp_path)}))
    assert judge(NESTED, events, full=True) == CLEAN


def test_a_session_is_found_by_its_id_in_the_config_folder(tmp_path: Path) -> None:
    shutil.copytree(NESTED / "projects", tmp_path / "config" / "projects")
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "config")}
    assert judge(NESTED, events_of(one(SESSION, env=env)), full=True) == CLEAN
    with pytest.raises(SourceError, match="no Claude Code session"):
        runs_of_sources([SESSION], {"HOME": str(tmp_path)})


@pytest.mark.parametrize("backwards", [False, True])
def test_sources_of_one_run_are_joined_in_any_order(backwards: bool) -> None:
    names = sources_of(NESTED, full=True)
    run = one(*(reversed(names) if backwards else names))
    assert judge(NESTED, events_of(run), full=True) == CLEAN


def test_a_source_named_twice_is_read_once() -> None:
    stream = stream_of(RECORDINGS / "twins.partial.2.1.325")
    assert said(stream, stream) == said(stream)


def test_different_sessions_are_different_runs() -> None:
    names = [str(stream_of(RECORDINGS / name)) for name in LAYOUTS]
    names.append(str(RECORDINGS / "nested.serve.opencode" / "events.ndjson"))
    runs = runs_of_sources(names, {})
    assert len(runs) == 4
    assert [logged_rows(events_of(run)) for run in runs] == [said(name) for name in names]


@pytest.mark.parametrize("shape", ["lines", "text"])
def test_the_global_event_stream_is_the_event_stream(shape: str, tmp_path: Path) -> None:
    events = RECORDINGS / "nested.serve.opencode" / "events.ndjson"
    prefix, suffix = ("data: ", "\n\n") if shape == "text" else ("", "\n")
    capture = tmp_path / "capture"
    with capture.open("w", encoding="utf-8") as file:
        for line in events.read_bytes().split(b"\n"):
            if line:
                wrapped = {"directory": "/home/dev/app", "payload": json.loads(line)}
                file.write(prefix + json.dumps(wrapped) + suffix)
    assert said(capture) == said(events)


@pytest.mark.parametrize("piece", [7, 1 << 16])
@pytest.mark.parametrize(
    "name",
    [
        "nested.plain.2.0.76/stdout.ndjson",
        "nested.run.opencode/stdout.ndjson",
        "nested.serve.opencode/event.sse",
    ],
)
def test_standard_input_is_read_like_a_file(
    name: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe_in(monkeypatch, (RECORDINGS / name).read_bytes(), piece=piece)
    assert said("-") == said(RECORDINGS / name)


def test_a_transcript_may_come_over_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RECORDINGS / "nested.plain.1.0.128"
    transcript = Path(sources_of(folder, full=True)[1])
    pipe_in(monkeypatch, transcript.read_bytes(), piece=100)
    assert judge(folder, events_of(one("-")), full=True) == CLEAN


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_an_encoding_is_known_by_its_mark(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = stream_of(NESTED).read_text(encoding="utf-8")
    data = ("\ufeff" + text).encode(mark.removesuffix("-sig"))
    (tmp_path / "kept.txt").write_bytes(data)
    pipe_in(monkeypatch, data, piece=7)
    for name in (tmp_path / "kept.txt", "-"):
        events = list(events_of(one(name)))
        assert judge(NESTED, events, full=False) == CLEAN
        assert [event.type for event in events].count("malformed") == 0


def test_a_file_may_begin_with_a_line_of_someone_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b'[12:30] this isn"t an array\n' + stream_of(NESTED).read_bytes()
    (tmp_path / "kept.txt").write_bytes(data)
    pipe_in(monkeypatch, data, piece=1)
    for name in (tmp_path / "kept.txt", "-"):
        assert judge(NESTED, events_of(one(name)), full=False) == CLEAN


def test_an_array_may_come_over_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe_in(monkeypatch, b" \n" + json.dumps(load(NESTED).records, indent=1).encode(), piece=2)
    assert judge(NESTED, events_of(one("-")), full=False) == CLEAN


def test_standard_input_and_a_file_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, transcript = sources_of(NESTED, full=True)
    pipe_in(monkeypatch, Path(stream).read_bytes(), piece=1000)
    assert judge(NESTED, events_of(one("-", transcript)), full=True) == CLEAN


def test_a_pipe_with_a_name_is_read_once(tmp_path: Path) -> None:
    stream = stream_of(NESTED)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(stream.read_bytes()))
    writer.start()
    assert said(pipe) == said(stream)
    writer.join()


def test_relay_events_are_what_the_translator_says() -> None:
    events = list(relay_events_of(one(stream_of(NESTED))))
    types = [event.type for event in events]
    assert types.count("sub_agent_spawned") == types.count("sub_agent_ended") == 2


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"\n\n", "is not a kind of source that unbraid knows"),
        (b"Dear diary,\n", "is not a kind of source that unbraid knows"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not a kind of source that unbraid knows"),
        (b'{"hello": "world"}\n', "is not a kind of source that unbraid knows"),
        (
            b'{"type":"FeatureCollection","features":[]}',
            "is not a kind of source that unbraid knows",
        ),
        (b'{"name":"app","type":"module"}', "is not a kind of source that unbraid knows"),
        (b"[1,2,3]", "is not a kind of source that unbraid knows"),
        (b"[]", "is not a kind of source that unbraid knows"),
        (b'[{"hello": "world"}, {"name": "app"}]', "is not a kind of source that unbraid knows"),
        (b"\xff\xfe{\0", "is not a kind of source that unbraid knows"),
        (b"SQLite format 3\0" + b"x" * 100, "is not an OpenCode database"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "source"
    path.write_bytes(content)
    with pytest.raises(SourceError) as caught:
        runs_of_sources([str(path)], {})
    assert caught.value.source == str(path)
    assert caught.value.problem.startswith(problem)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing.ndjson", "No such file"),
        (".", "is a folder"),
        ("", "is not the name of a source"),
        ("dangling", "No such file"),
        ("circle", "symbolic links"),
        ("x" * 5000, "name too long|No such file"),  # from Python 3.14 on, the second
        ("a\0b", "No such file"),
        ("/proc/self/mem", "Input/output error"),
        ("ses_0000", "no OpenCode session"),
        ("00000000-0000-0000-0000-000000000000", "no Claude Code session"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(
    name: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dangling").symlink_to("nowhere")
    Path("circle").symlink_to("circle")
    with pytest.raises(SourceError, match=problem):
        runs_of_sources([name], {"HOME": str(tmp_path)})


def test_a_log_that_was_printed_can_be_read_again(tmp_path: Path) -> None:
    events = [encode(event) for event in events_of(one(*sources_of(NESTED, full=True)))]
    path = tmp_path / "log.ndjson"
    path.write_bytes(b"\n".join(events) + b"\n")
    assert [encode(event) for event in events_of(one(str(path)))] == events


def test_a_run_of_the_log_is_found_by_its_id(tmp_path: Path) -> None:
    events = list(events_of(one(*sources_of(NESTED, full=True))))
    env = {"UNBRAID_HOME": str(tmp_path)}

    async def write() -> None:
        log = await SqliteLog.open(tmp_path / LOG_FILE_NAME)
        await log.append("a-run", events)
        await log.close()

    asyncio.run(write())
    again = [encode(event) for event in events_of(one("a-run", env=env))]
    assert again == [encode(event) for event in events]


def test_a_log_with_a_broken_line_says_which(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    first = next(iter(events_of(one(*sources_of(NESTED, full=True)))))
    path.write_bytes(encode(first) + b"\n{}\n")
    with pytest.raises(SourceError, match="line 2 is not a fleet event"):
        list(events_of(one(str(path))))
