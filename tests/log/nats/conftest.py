"""One node and a cluster of three, for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.nats_servers import NatsCluster


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
