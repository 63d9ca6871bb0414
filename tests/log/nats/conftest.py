"""One node and a cluster of three, for all tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.nats_servers import NatsCluster
from unbraid.log import open_log
from unbraid.log.replicated.log import ReplicatedLog

Opener = Callable[[str], Coroutine[Any, Any, ReplicatedLog]]


@pytest.fixture(scope="session")
def one_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsCluster]:
    with NatsCluster(tmp_path_factory.mktemp("nats")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def three_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsCluster]:
    with NatsCluster(tmp_path_factory.mktemp("nats3"), 3) as cluster:
        yield cluster


@pytest.fixture
def stream(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A name that no other test has."""
    return f"T{abs(hash((request.node.nodeid, tmp_path))):x}"


@pytest.fixture
async def opened(one_node: NatsCluster, stream: str, tmp_path: Path) -> AsyncIterator[Opener]:
    """Opens the log as on another machine: with a copy of its own."""
    async with opening(one_node, stream, tmp_path) as open_one:
        yield open_one


@asynccontextmanager
async def opening(cluster: NatsCluster, stream: str, folder: Path) -> AsyncIterator[Opener]:
    """Gives what opens a log on a machine of some name, and closes all of them."""
    async with AsyncExitStack() as stack:

        async def open_one(name: str) -> ReplicatedLog:
            log = await open_log(cluster.url(stream, folder / f"{name}.db"))
            assert isinstance(log, ReplicatedLog)
            stack.push_async_callback(log.close)
            return log

        yield open_one
