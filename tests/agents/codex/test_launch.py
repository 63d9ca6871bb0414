"""A process of Codex: what it stores and prints, as one run; and how its threads are resumed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.agents.codex.rollouts import CHILD, ROOT, head, line, says, spawns, turn, write
from tests.block_rows import CLEAN, FOLDERS, judge, logged_rows, stream_of
from unbraid import events as e
from unbraid.agents.codex.launch import CodexLauncher
from unbraid.agents.port import Recorded, StoredAgent
from unbraid.errors import CallerError, SourceError
from unbraid.fold.pipeline import Pipeline
from unbraid.testing import load

EXEC = [
    folder
    for folder in FOLDERS
    if ".exec" in folder.name and not folder.name.startswith(("compressed", "resumed"))
]


@pytest.mark.parametrize("folder", EXEC, ids=lambda folder: folder.name)
async def test_what_was_printed_and_stored_is_one_run(folder: Path, tmp_path: Path) -> None:
    launcher = CodexLauncher({"CODEX_HOME": str(tmp_path)})
    command = await launcher.command(["codex", "exec", "--json", "x"], steered=False)
    assert command.captured
    assert command.argv == ["codex", "exec", "--json", "x"]
    source = launcher.source(command, tmp_path)
    printed = stream_of(folder).read_bytes()
    source.printed(printed[:100])
    assert list(source.read()) == []
    shutil.copytree(folder / "sessions", tmp_path / "sessions")
    source.printed(printed[100:])
    assert source.session_id == load(folder).truth["thread"]
    source.begin(Recorded())
    pipeline = Pipeline()
    chunks = list(source.read())
    source.end()
    chunks += source.read()
    events = [x for chunk in chunks for x in pipeline.feed(chunk.data, chunk.source)]
    events += pipeline.finish()
    assert judge(folder, events, full=True) == CLEAN
    assert b"".join(c.data for c in chunks if c.source.startswith("stdout")) == printed


async def test_a_session_that_stores_nothing_is_read_from_its_stdout(tmp_path: Path) -> None:
    (folder,) = [each for each in EXEC if each.name.startswith("tools")]
    launcher = CodexLauncher({"CODEX_HOME": str(tmp_path)})
    command = await launcher.command(["codex", "exec", "--json", "x"], steered=False)
    source = launcher.source(command, tmp_path)
    source.printed(stream_of(folder).read_bytes())
    source.begin(Recorded())
    source.end()
    pipeline = Pipeline()
    events = [x for chunk in source.read() for x in pipeline.feed(chunk.data, chunk.source)]
    assert judge(folder, events + pipeline.finish(), full=False) == CLEAN


async def test_a_resumed_thread_begins_where_it_was(tmp_path: Path) -> None:
    path = write(tmp_path, ROOT, head(ROOT), *turn("t1", says("before")))
    launcher = CodexLauncher({"CODEX_HOME": str(tmp_path)})
    argv = ["codex", "exec", "--json", "resume", ROOT, "x"]
    command = await launcher.command(argv, steered=False)
    assert (command.session, command.resumes) == (ROOT, True)
    source = launcher.source(command, tmp_path)
    with path.open("ab") as file:
        later = turn("t2", says("after", 1100), at=1000, end=1200)
        file.write(b"".join(each + b"\n" for each in later))
    source.begin(Recorded())
    pipeline = Pipeline()
    events = [x for chunk in source.read() for x in pipeline.feed(chunk.data, chunk.source)]
    assert [row[2] for row in logged_rows(events)] == ["after"]
    assert [x.session_id for x in events if isinstance(x, e.FleetSessionMeta)] == [ROOT]


async def test_a_sub_agent_that_is_resumed_is_part_of_its_session(tmp_path: Path) -> None:
    """Or the log would have it twice: whoever watches follows the session."""
    write(tmp_path, ROOT, head(ROOT), *turn("t1", spawns("call", CHILD)))
    path = write(tmp_path, CHILD, head(CHILD, ROOT), *turn("t2", says("before")))
    launcher = CodexLauncher({"CODEX_HOME": str(tmp_path)})
    argv = ["codex", "exec", "--json", "resume", CHILD, "x"]
    command = await launcher.command(argv, steered=False)
    assert command.session == ROOT
    steered = await launcher.command(argv, steered=True)
    assert (steered.session, launcher.source(steered, tmp_path).session_id) == (ROOT, ROOT)
    source = launcher.source(command, tmp_path)
    source.begin(Recorded())
    with path.open("ab") as file:
        later = turn("t3", says("after", 1100), at=1000, end=1200)
        file.write(b"".join(each + b"\n" for each in later))
    pipeline = Pipeline()
    live = [x for chunk in source.read() for x in pipeline.feed(chunk.data, chunk.source)]
    # Nobody waits for a call: the agent above it is not at work.
    assert [x.delta for x in live if isinstance(x, e.Text)] == ["after"]
    assert [x.stream_id for x in live if isinstance(x, e.StreamEnd)] == [1]
    assert [x.ok for x in live if isinstance(x, e.FleetTurnComplete)] == [True]
    events = live + pipeline.finish()
    assert not [x for x in events if isinstance(x, e.FleetError)]
    assert [x.reason for x in events if isinstance(x, e.StreamEnd)] == ["completed"] * 2


async def test_what_draws_on_the_terminal_is_found_by_its_folder(tmp_path: Path) -> None:
    path = write(tmp_path, CHILD, head(CHILD))
    launcher = CodexLauncher({"CODEX_HOME": str(tmp_path)})
    command = await launcher.command(["codex"], steered=False)
    assert not command.captured
    source = launcher.source(command, Path("/x"))
    list(source.read())
    assert source.session_id is None
    with path.open("ab") as file:
        file.write(line(2000, "event_msg", {"type": "task_started", "turn_id": "t"}) + b"\n")
    while source.session_id is None:
        list(source.read())
    assert source.session_id == CHILD


def test_a_thread_is_continued_by_its_id(tmp_path: Path) -> None:
    write(tmp_path, ROOT, head(ROOT))
    write(tmp_path, CHILD, head(CHILD, ROOT))
    launcher = CodexLauncher({"CODEX_HOME": str(tmp_path)})
    assert launcher.resume(StoredAgent(ROOT), ["--search"]).argv == [
        "codex",
        "resume",
        ROOT,
        "--search",
    ]
    command = launcher.resume(StoredAgent(ROOT, agent_id=CHILD), ["exec", "--json", "Go on."])
    assert command.argv == ["codex", "exec", "--json", "resume", CHILD, "Go on."]
    assert command.cwd == "/x"
    with pytest.raises(SourceError, match="not stored"):
        launcher.resume(StoredAgent("01a1e370-0009-7000-8000-000000000002"), [])
    with pytest.raises(CallerError):
        launcher.resume(StoredAgent("--config=x"), [])
