"""A file that cannot be used says why, and what was acknowledged before stays."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from pathlib import Path

import pytest

from unbraid.events import encode
from unbraid.log import LogUnusable, SqliteLog
from unbraid.log.sqlite import file
from unbraid.log.sqlite.file import (
    APPLICATION_ID,
    COMMIT_FRESH_SECONDS,
    MIGRATIONS,
    Alone,
    migrate,
    open_writer,
)
from unbraid.log.sqlite.log import SLOW_COMMIT_SECONDS
from unbraid.testing.log_contract import sample_run
from unbraid.testing.sample_runs import all_chunks


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def bytes_of(path: Path) -> bytes:
    return path.read_bytes()


def write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def move(path: Path, target: Path) -> None:
    path.rename(target)


async def refusal(path: Path) -> str:
    with pytest.raises(LogUnusable) as caught:
        await SqliteLog.open(path, busy_seconds=0.05)
    assert str(path) in str(caught.value)
    return caught.value.reason


async def test_a_newer_file_is_refused_and_not_touched(path: Path) -> None:
    log = await SqliteLog.open(path)
    await log.append("r", sample_run(["a"]))
    await log.close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = bytes_of(path)
    assert await refusal(path) == "newer"
    assert bytes_of(path) == before


async def test_an_older_file_is_brought_up_to_date(path: Path) -> None:
    older = open_writer(path)
    migrate(older, "older", MIGRATIONS[:1])
    older.close()
    newer = open_writer(path)
    step = ("CREATE TABLE later (x)", "INSERT INTO later VALUES (1)")
    migrate(newer, "newer", (*MIGRATIONS, step))
    assert newer.execute("SELECT x FROM later").fetchone() == (1,)
    assert newer.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
    newer.close()


async def test_a_file_of_version_1_opens(path: Path) -> None:
    """Written by hand as version 1 did, so that no later version can forget it."""
    connection = sqlite3.connect(path)
    for statement in MIGRATIONS[0]:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    summary = (
        b'{"run":"old","source":"claude","session_id":"s1","title":"Hi","status":"live","agents":1,"started":1,'
        b'"updated":2,"usage":{"input_tokens":3},"first_seq":1,"last_seq":1,"bytes":92}'
    )
    connection.execute(
        "INSERT INTO runs VALUES (1, 'old', 'live', 1, 2, 92, 1, 2, 'old', ?)", (summary,)
    )
    data = encode(sample_run(["a"])[0])
    connection.execute(
        "INSERT INTO events VALUES (1, 1, 1, 1000, 0, 'request_received', ?)", (data,)
    )
    connection.execute("INSERT INTO positions VALUES (1, 'out', 7)")
    connection.execute("INSERT INTO spool VALUES (1, 1, 'out', 0, 5, 'rawdata')")
    connection.commit()
    connection.close()
    log = await SqliteLog.open(path)
    assert [(run.title, run.status) for run in await log.runs(status="live")] == [("Hi", "working")]
    assert [run.title for run in await log.runs_of("s1")] == ["Hi"]
    assert [entry.data for entry in await log.read("old")] == [data]
    assert await log.offsets("old") == {"out": 7}
    assert len(await all_chunks(log, "old")) == 1
    await log.append("old", sample_run(["a needle"]))
    assert [found.run for found in await log.search("needle")] == ["old"]
    await log.close()


async def test_a_failing_migration_leaves_the_version_it_found(path: Path) -> None:
    connection = open_writer(path)
    migrate(connection, "x")
    with pytest.raises(sqlite3.Error):
        migrate(connection, "x", (*MIGRATIONS, ("CREATE TABLE later (x)", "NOT SQL")))
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    connection.close()
    log = await SqliteLog.open(path)
    await log.append("r", sample_run(["a"]))
    await log.close()


async def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    write(path, b"certainly not a database file" * 100)
    assert await refusal(path) == "corrupt"


async def test_a_database_of_another_program_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    assert await refusal(path) == "corrupt"
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,)
    connection.close()


async def test_a_damaged_page_is_reported_and_not_taken_for_an_end(path: Path) -> None:
    log = await SqliteLog.open(path)
    await log.append("r", sample_run(["x" * 500] * 500))
    await log.vacuum()
    await log.close()
    whole = bytes_of(path)
    write(path, whole[:8192] + b"\xff" * (len(whole) - 8192))
    with pytest.raises(LogUnusable) as caught:
        log = await SqliteLog.open(path)
        try:
            await log.read("r")
        finally:
            await log.close()
    assert caught.value.reason == "corrupt"


async def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LogUnusable) as caught:
        await SqliteLog.open(tmp_path / "file" / "log.db")
    assert caught.value.reason == "io"


async def test_a_locked_file_is_reported_and_works_again_later(path: Path) -> None:
    log = await SqliteLog.open(path, busy_seconds=0.05)
    await log.append("r", sample_run(["a"])[:2])
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogUnusable) as caught:
        await log.append("r", sample_run(["a"]))
    assert caught.value.reason == "locked"
    with pytest.raises(LogUnusable):
        await log.check()
    assert len(await log.read("r")) == 2
    holder.execute("ROLLBACK")
    holder.close()
    await log.append("r", sample_run(["a"]))
    assert len(await log.read("r")) == len(sample_run(["a"]))
    await log.close()


async def test_a_full_disk_is_reported_and_loses_nothing_acknowledged(path: Path) -> None:
    log = await SqliteLog.open(path)
    # SQLite's own limit on pages gives the very error of a full disk.
    limit = "PRAGMA max_page_count = 60"
    await log.writer.submit(Alone(lambda connection: connection.execute(limit).fetchone()))
    acknowledged = []
    with pytest.raises(LogUnusable) as caught:
        for number in range(1000):
            await log.append(f"r{number}", sample_run(["x" * 1000, "y" * 1000]))
            acknowledged.append(f"r{number}")
    assert caught.value.reason == "full"
    assert acknowledged
    for run in acknowledged:
        assert len(await log.read(run)) == len(sample_run(["x", "y"]))
    assert len(await log.runs(limit=1000)) == len(acknowledged)
    await log.retain(max_bytes=2000)
    await log.append("again", sample_run(["z"]))
    await log.close()
    log = await SqliteLog.open(path)
    assert [found.run for found in await log.search("z")] == ["again"]
    await log.close()


async def test_one_bad_append_does_not_take_its_group_along(path: Path) -> None:
    log = await SqliteLog.open(path)

    def broken(_: sqlite3.Connection) -> None:
        raise ZeroDivisionError

    outcomes = await asyncio.gather(
        log.append("r1", sample_run(["a"])),
        log.writer.submit(broken),
        log.append("r2", sample_run(["a"])),
        return_exceptions=True,
    )
    assert isinstance(outcomes[1], ZeroDivisionError)
    assert len(await log.runs()) == 2
    await log.close()


async def test_every_commit_is_synced_to_the_disk(path: Path) -> None:
    log = await SqliteLog.open(path)
    ask = "PRAGMA synchronous"
    level = await log.writer.submit(lambda connection: connection.execute(ask).fetchone())
    assert level == (2,)
    await log.close()


FILLER = """
import asyncio, resource, sys
from pathlib import Path
from unbraid.log import LogUnusable, SqliteLog
from unbraid.testing.log_contract import sample_run

async def main():
    log = await SqliteLog.open(Path(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    try:
        for number in range(10_000):
            await log.append(f"r{number}", sample_run(["x" * 1000]))
            print(f"r{number}", flush=True)
    except LogUnusable as error:
        print(error.reason, flush=True)

asyncio.run(main())
"""


async def test_a_disk_that_takes_no_more_keeps_what_it_took(path: Path) -> None:
    """A real process whose files really cannot grow."""
    pytest.importorskip("resource", reason="needs limits on the size of files")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", FILLER, str(path), stdout=asyncio.subprocess.PIPE
    )
    output = (await process.communicate())[0].decode().split()
    *acknowledged, reason = output
    assert reason in ("full", "io")
    assert acknowledged
    log = await SqliteLog.open(path)
    for run in acknowledged:
        assert len(await log.read(run)) == len(sample_run(["x"]))
    await log.append("after", sample_run(["y"]))
    await log.close()


async def test_whether_it_can_append_is_said_soon_though_the_disk_is_slow(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = await SqliteLog.open(path, busy_seconds=60)
    await log.append("r", sample_run(["a"])[:2])
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    async with asyncio.timeout(COMMIT_FRESH_SECONDS):
        await log.check()
    # But not for ever after the last commit.
    monkeypatch.setattr(file, "COMMIT_FRESH_SECONDS", 0)
    late = asyncio.create_task(log.check())
    await asyncio.wait([late], timeout=2 * SLOW_COMMIT_SECONDS)
    assert not late.done()
    holder.execute("ROLLBACK")
    holder.close()
    await late
    await log.close()


@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
async def test_nothing_is_acknowledged_that_goes_with_the_process(
    path: Path, replaced: bool
) -> None:
    log = await SqliteLog.open(path)
    await log.append("before", sample_run(["hi"]))
    move(path, path.with_name("away.db"))
    if replaced:
        await (await SqliteLog.open(path)).close()
    with pytest.raises(LogUnusable, match="deleted or replaced"):
        await log.append("after", sample_run(["hi"]))
    with pytest.raises(LogUnusable):
        await log.check()
    await log.close()
