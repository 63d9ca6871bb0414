"""A stream that has lost what it acknowledged, and what it has let go of by itself."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

import unbraid.log.replicated.copy as follower_module
import unbraid.log.replicated.log as log_module
from tests.nats_servers import NatsCluster
from tests.polling import until
from unbraid.log import Log, LogUnusable, opened_log, staleness
from unbraid.log.nats.connection import NatsConnection, parse_address
from unbraid.log.repair import repair_log
from unbraid.log.replicated.copy import JournalCopy
from unbraid.log.replicated.journal import StoredRecord
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.log.sqlite.file import DamagedCopy
from unbraid.serve.problems import as_problem
from unbraid.testing.sample_runs import sample_run
from unbraid.timings import FORGOTTEN_KEPT_SECONDS

pytestmark = pytest.mark.xdist_group("nats")


async def lost(log: Log) -> str:
    """Waits until a log says that it has lost something; returns what it says."""
    assert isinstance(log, ReplicatedLog)
    await until(lambda: _is_lost(log))
    return str((await log.replication()).problem)


async def _is_lost(log: ReplicatedLog) -> bool:
    return (await log.replication()).lost


async def test_a_stream_that_was_set_back_is_noticed_and_brought_forward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As from a snapshot of the node's disk: it is the same stream, and some of it is missing."""
    monkeypatch.setattr(follower_module, "NATS_LOST_SECONDS", 1.0)
    folder = tmp_path / "nats"
    with NatsCluster(folder) as cluster:
        node, url = cluster.nodes[0], cluster.url("S", tmp_path / "one.db")
        async with opened_log(url) as log:
            await log.append("kept", sample_run(["x"]))
            node.kill()
            shutil.copytree(folder / "n0", tmp_path / "snapshot")
            node.start()
            for number in range(3):
                await log.append(f"r{number}", sample_run([str(number)]))
            assert len(await log.run_names()) == 4
            node.kill()
            shutil.rmtree(folder / "n0")
            shutil.copytree(tmp_path / "snapshot", folder / "n0")
            node.start()
            assert "has fewer records" in await lost(log)
            with pytest.raises(LogUnusable) as caught:
                await log.append("new", sample_run(["x"]))
            assert caught.value.reason == "lost"
            assert len(await log.read("r2")) == len(sample_run(["x"]))
        repaired = await repair_log(url)
        assert repaired.restored is not None
        assert repaired.restored.events == 3 * len(sample_run(["x"]))
        async with opened_log(cluster.url("S", tmp_path / "late.db")) as late:
            assert len(await late.run_names()) == 4


async def test_a_stream_that_was_emptied_is_brought_back(
    one_node: NatsCluster, stream: str, tmp_path: Path
) -> None:
    url = one_node.url(stream, tmp_path / "one.db")
    async with opened_log(url) as log:
        await log.append("r", sample_run(["x"]))
        assert len(await log.read("r")) == len(sample_run(["x"]))
    connection = await NatsConnection.open(parse_address(url))
    await connection.ask(f"STREAM.PURGE.{stream}")
    await connection.close()
    async with opened_log(url) as log:
        assert "was emptied" in await lost(log)
    repaired = await repair_log(url)
    assert repaired.restored is not None
    assert repaired.restored.events == len(sample_run(["x"]))
    async with opened_log(url) as log:
        assert len(await log.read("r")) == len(sample_run(["x"]))


async def test_a_run_that_was_forgotten_long_ago_can_begin_again(
    one_node: NatsCluster, stream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "FORGOTTEN_KEPT_SECONDS", 1.0)
    away = tmp_path / "away.db"
    async with opened_log(one_node.url(stream, tmp_path / "one.db")) as log:
        assert isinstance(log, ReplicatedLog)
        journal = log.journal
        for run in ("again", "other", "stays"):
            await log.append(run, sample_run(["needle"]))
        async with opened_log(one_node.url(stream, away)) as other:
            assert isinstance(other, ReplicatedLog)
            await other.settle()
            assert len(await other.run_names()) == 3
        for run in ("again", "other"):
            await log.forget(run)
        last = (await journal.info()).last_seq

        async def gone() -> bool:
            return await journal.record_id(last) is None

        # What said that it is forgotten expires.
        await until(gone)
        assert not (await log.replication()).lost
        await log.append("again", sample_run(["anew"]))
        assert len(await log.read("again")) == len(sample_run(["anew"]))
        await log.forget("again")
    # Nor does a machine that comes back take it for a loss. One that was away for longer than it is
    # known what was forgotten makes its copy anew.
    long_ago = time.time() - FORGOTTEN_KEPT_SECONDS - 60
    os.utime(away, (long_ago, long_ago))
    for path in (tmp_path / "one.db", away, away):
        async with opened_log(one_node.url(stream, path)) as log:
            assert isinstance(log, ReplicatedLog)
            await log.settle()
            assert (await log.replication()).problem is None
            assert [run.run for run in await log.runs()] == ["stays"]
            assert [found.run for found in await log.search("needle")] == ["stays"]


@pytest.mark.parametrize("first_byte", [0, 4096])
async def test_a_copy_that_is_damaged_is_made_anew(
    one_node: NatsCluster, stream: str, tmp_path: Path, first_byte: int
) -> None:
    url, path = one_node.url(stream, tmp_path / "one.db"), tmp_path / "one.db"
    async with opened_log(url) as log:
        for number in range(20):
            await log.append(f"r{number}", sample_run(["x" * 1000]))
        assert len(await log.run_names()) == 20
    with path.open("r+b") as file:
        file.seek(first_byte)
        file.write(b"no page" * 5000)
    with pytest.raises(LogUnusable, match="unbraid doctor --repair"):
        async with opened_log(url) as log:
            assert isinstance(log, ReplicatedLog)
            await log.check_copy()
    repaired = await repair_log(url)
    assert repaired.damaged is not None and repaired.damaged.exists()
    assert repaired.restored is None
    async with opened_log(url) as log:
        assert isinstance(log, ReplicatedLog)
        await log.settle()
        assert len(await log.run_names()) == 20
    assert (await repair_log(url)).damaged is None


def overwritten(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Changes a file where it is."""
    with path.open("r+b") as file:
        changed = change(file.read())
        file.seek(0)
        file.write(changed)
        file.truncate()


@pytest.mark.parametrize("even_open", [True, False])
@pytest.mark.parametrize(
    ("change", "unharmed"),
    [
        (lambda whole: whole[:4096] + b"no page" * (len(whole) // 7), "none"),
        (lambda whole: whole[:4096], "none"),
        (lambda whole: whole.replace(b'"last_seq":', b'"last_seq";'), "read bounds search append"),
        (lambda whole: whole.replace(b"needle x", b"need\xff\xfe x"), "runs read bounds append"),
        # Found by who decodes an event, which is said of its run (tests/cli/test_tail.py).
        (lambda whole: whole.replace(b'"delta":', b'"delta"!'), "runs read bounds search append"),
    ],
    ids=["pages", "short", "summaries", "words", "events"],
)
async def test_whoever_reads_a_copy_that_was_overwritten_is_told_what_helps(
    one_node: NatsCluster,
    stream: str,
    tmp_path: Path,
    change: Callable[[bytes], bytes],
    unharmed: str,
    even_open: bool,
) -> None:
    url, path = one_node.url(stream, tmp_path / "one.db"), tmp_path / "one.db"
    async with opened_log(url) as log:
        for number in range(20):
            await log.append(f"r{number}", sample_run([f"needle {'x' * 1000}"]))
        assert isinstance(log, ReplicatedLog)
        assert len(await log.search("needle", limit=50)) == 20
    if not even_open:
        overwritten(path, change)
    with suppress(DamagedCopy):
        async with opened_log(url) as log:
            assert isinstance(log, ReplicatedLog)
            if even_open:
                overwritten(path, change)
            acts: dict[str, Callable[[], Awaitable[object]]] = {
                "runs": log.runs,
                "read": lambda: log.read("r7"),
                "bounds": log.bounds,
                "search": lambda: log.search("needle"),
                "append": lambda: log.append("r7", sample_run([f"needle {'x' * 1000}"])),
            }
            harmed = [name for name in acts if name not in unharmed]
            for name in harmed:
                with pytest.raises(DamagedCopy, match="unbraid doctor --repair") as caught:
                    await acts[name]()
                # Neither what an agent has said nor a path of this machine is for everybody.
                assert "needle" not in str(caught.value)
                assert str(tmp_path) not in as_problem(caught.value).message
                assert "unbraid doctor --repair" in as_problem(caught.value).message
    assert (await repair_log(url)).damaged is not None
    async with opened_log(url) as log:
        assert len(await log.run_names()) == 20


async def test_a_copy_that_is_deleted_under_a_process_is_made_anew_by_the_next(
    one_node: NatsCluster, stream: str, tmp_path: Path
) -> None:
    url = one_node.url(stream, tmp_path / "one.db")
    async with opened_log(url) as old:
        assert isinstance(old, ReplicatedLog)
        await old.append("r", sample_run(["x"]))
        assert len(await old.run_names()) == 1
        for suffix in ("", "-wal", "-shm"):
            (tmp_path / f"one.db{suffix}").unlink(missing_ok=True)
        # It has the lock: as long as it keeps that, nobody else can apply records.
        async with opened_log(url) as new:
            assert isinstance(new, ReplicatedLog)
            await new.settle()
            assert len(await new.run_names()) == 1
            assert "deleted or replaced" in str((await old.replication()).problem)
            with pytest.raises(LogUnusable, match="start this process again"):
                await old.append("r2", sample_run(["x"]))
            await new.append("r2", sample_run(["x"]))
            assert len(await new.run_names()) == 2


async def test_a_copy_whose_disk_is_full_hinders_no_append_and_catches_up(
    one_node: NatsCluster, stream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.db"
    async with opened_log(one_node.url(stream, path)) as log, asyncio.timeout(20):
        assert isinstance(log, ReplicatedLog)
        await log.append("before", sample_run(["x"]))
        await log.settle()
        fold = JournalCopy.fold

        async def full(self: JournalCopy, batch: Sequence[StoredRecord]) -> None:
            raise LogUnusable(str(path), "full", "the disk is full")

        monkeypatch.setattr(JournalCopy, "fold", full)
        for number in range(5):
            await log.append(f"r{number}", sample_run(["x"]))

        async def says_so() -> bool:
            return "the disk is full" in str((await log.replication()).problem)

        await until(says_so)
        assert len(await log.run_names()) == 1
        assert "lacks 5 records" in str(await staleness(log))
        monkeypatch.setattr(JournalCopy, "fold", fold)
        await log.settle()
        assert len(await log.run_names()) == 6
        assert await staleness(log) is None
