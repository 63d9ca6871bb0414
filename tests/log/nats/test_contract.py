"""The log on NATS keeps the contract: on one node, on three, and when it is opened elsewhere for
every append.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.nats_servers import NatsCluster
from unbraid.log import Log, open_log
from unbraid.testing.log_contract import LogContract


@pytest.mark.xdist_group("nats")
class TestOneNode(LogContract):
    @pytest.fixture
    async def log(self, one_node: NatsCluster, stream: str, tmp_path: Path) -> AsyncIterator[Log]:
        log = await open_log(one_node.url(stream, tmp_path / "view.db"))
        yield log
        await log.close()


@pytest.mark.xdist_group("nats")
class TestThreeNodes(LogContract):
    @pytest.fixture
    async def log(
        self, three_nodes: NatsCluster, stream: str, tmp_path: Path
    ) -> AsyncIterator[Log]:
        log = await open_log(three_nodes.url(stream, tmp_path / "view.db"))
        yield log
        await log.close()
