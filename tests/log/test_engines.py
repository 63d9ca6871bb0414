"""Which log an address opens."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from unbraid.cli.checkup import checkup
from unbraid.errors import CallerError
from unbraid.log import Log, MemoryLog, SqliteLog, machine_log, open_log, opened_log
from unbraid.machine import Machine
from unbraid.testing.log_contract import LogContract, sample_run


async def test_without_an_address_it_is_the_log_of_this_machine(tmp_path: Path) -> None:
    env = {"UNBRAID_HOME": str(tmp_path / "home")}
    assert not machine_log(env).exists()
    async with opened_log(env=env) as log:
        await log.append("r", sample_run(["x"]))
    assert machine_log(env) == tmp_path / "home" / "log.db"
    async with opened_log(machine_log(env), {}) as again:
        assert await again.run_names() == ["r"]


async def test_a_path_and_a_url_open_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened_log("some.db") as log:
        assert isinstance(log, SqliteLog)
        await log.append("r", sample_run(["x"]))
    for place in (Path("some.db"), f"{tmp_path}/some.db", f"sqlite://{tmp_path}/some.db"):
        async with opened_log(place) as log:
            assert isinstance(log, SqliteLog)
            assert await log.run_names() == ["r"]


async def test_a_log_in_memory_is_a_new_one_each_time() -> None:
    async with opened_log("memory:") as one, opened_log("memory:") as two:
        assert isinstance(one, MemoryLog)
        await one.append("r", sample_run(["x"]))
        assert await two.run_names() == []


@pytest.mark.parametrize(
    "url",
    ["kafka://host:4222", "sqlite:", "sqlite:///", "sqlite://host/x.db", "memory:x", "http:x"],
)
async def test_other_addresses_are_refused_with_what_is_possible(url: str) -> None:
    with pytest.raises(CallerError, match="path of a file, sqlite:///path or memory:") as caught:
        await open_log(url)
    assert url in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("natz://server:s3cret@a,b/X", "'natz://a,b/X'"),
        ("server:s3cret@a,b/X", "'a,b/X'"),
        ("sqlite://server:s3cret@a", "'sqlite://a'"),
    ],
)
async def test_no_secret_of_a_mistyped_address_is_shown(url: str, shown: str) -> None:
    with pytest.raises(CallerError, match=shown) as caught:
        await open_log(url)
    assert "s3cret" not in str(caught.value)


async def test_a_variable_names_the_log_that_is_used_if_none_is_named(tmp_path: Path) -> None:
    env = {"UNBRAID_HOME": str(tmp_path / "home"), "UNBRAID_LOG": str(tmp_path / "other.db")}
    async with opened_log(env=env) as log:
        await log.append("r", sample_run(["x"]))
    assert not machine_log(env).exists()
    async with opened_log(tmp_path / "other.db") as log:
        assert await log.run_names() == ["r"]


ENGINE = """\
from unbraid.log import MemoryLog

class ToyLog(MemoryLog):
    @classmethod
    async def open_url(cls, url, env, *, even_away=False):
        return cls()

not_a_log = object()
"""
ENTRIES = """\
[unbraid.logs]
toy = toy_log:ToyLog
odd = toy_log:not_a_log
gone = toy_log_that_is_missing:ToyLog
memory = toy_log:ToyLog
"""


@pytest.fixture
def toy_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Installs a package that brings an engine."""
    (tmp_path / "toy_log.py").write_text(ENGINE, encoding="utf-8")
    info = tmp_path / "toy_log-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-log\nVersion: 1\n")
    (info / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("toy_log", None)


@pytest.mark.usefixtures("toy_engine")
class TestEngineOfAnotherPackage(LogContract):
    @pytest.fixture
    async def log(self) -> AsyncIterator[Log]:
        async with opened_log("toy://somewhere") as log:
            yield log


@pytest.mark.usefixtures("toy_engine")
async def test_an_engine_of_another_package_is_used_by_its_scheme(tmp_path: Path) -> None:
    env = {"UNBRAID_HOME": str(tmp_path / "home"), "UNBRAID_LOG": "toy:one"}
    async with Machine(env=env) as machine:
        assert type(machine.log).__name__ == "ToyLog"
        await machine.log.append("r", sample_run(["x"]))
        async with Machine(machine.log, env=env) as other:
            assert await other.log.run_names() == ["r"]
        await machine.log.check()  # it was given open, and is left open
    findings = await checkup(env, log="TOY:two")
    assert ("log", "ok", "0 runs") in [(each.about, each.status, each.found) for each in findings]


@pytest.mark.usefixtures("toy_engine")
async def test_an_engine_that_cannot_be_used_says_why() -> None:
    with pytest.raises(CallerError, match=r"odd: .* is not a subclass of Log"):
        await open_log("odd:x")
    with pytest.raises(CallerError, match=r"gone: .*No module named 'toy_log_that_is_missing'"):
        await open_log("gone:x")
    async with opened_log("memory:") as ours:
        assert type(ours) is MemoryLog
