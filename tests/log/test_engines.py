"""Which log an address opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid.errors import CallerError
from unbraid.log import MemoryLog, SqliteLog, machine_log, open_log, opened_log
from unbraid.log.contract import sample_run


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
