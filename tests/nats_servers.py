"""Real NATS servers for tests: one node or several, on free ports of this machine."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sysconfig
import urllib.request
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.namespaces import NetworkHost
from tests.polling import PATIENCE_SECONDS, blocked_until
from tests.ports import free_port

SERVER = Path(
    os.environ.get("UNBRAID_NATS_SERVER") or Path(sysconfig.get_path("scripts"), "nats-server")
)
LOOPBACK = NetworkHost("127.0.0.1", (), "")


def free_ports(count: int) -> list[int]:
    """Returns ports that nobody listens on now."""
    ports: set[int] = set()
    while len(ports) < count:
        ports.add(free_port())
    return list(ports)


class NatsNode:
    """One server, which can be killed and started again."""

    def __init__(
        self, folder: Path, name: str, config: str, *, host: NetworkHost, http_port: int
    ) -> None:
        self.name, self.host, self._http_port = name, host, http_port
        self._config, self._output = folder / f"{name}.conf", folder / f"{name}.log"
        folder.mkdir(parents=True, exist_ok=True)
        self._config.write_text(config)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts the server; it may not be ready yet."""
        with self._output.open("ab") as output:
            self.process = subprocess.Popen(
                [*self.host.command, SERVER, "-c", self._config], stdout=output, stderr=output
            )

    def edit(self, before: str, after: str) -> None:
        """Changes its configuration, for the next start."""
        self._config.write_text(self._config.read_text().replace(before, after))

    def stop(self) -> None:
        """Ends the server in good order, as for an upgrade."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE_SECONDS)
            self.process = None

    def kill(self) -> None:
        """Ends the server at once, as a power cut of its machine would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def is_healthy(self) -> bool:
        """Returns whether it takes requests, JetStream and all."""
        with suppress(OSError):
            url = f"http://{self.host.address}:{self._http_port}/healthz"
            with closing(urllib.request.urlopen(url, timeout=1)) as answer:
                return bool(answer.status == 200)
        return False


class NatsCluster:
    """Some nodes that belong together, each on a host of its own if there are `hosts`. Use it as a
    context manager.
    """

    def __init__(
        self,
        folder: Path,
        nodes: int = 1,
        *,
        more: str = "",
        sync: str = "2m",
        hosts: Sequence[NetworkHost] = (),
    ) -> None:
        ports = free_ports(3 * nodes)
        places = list(hosts) or [LOOPBACK] * nodes
        addresses = [host.address for host in places]
        self.addresses = [f"{at}:{port}" for at, port in zip(addresses, ports, strict=False)]
        ours = zip(addresses, ports[nodes:], strict=False)
        routes = ", ".join(f'"nats://{at}:{port}"' for at, port in ours)
        self.nodes: list[NatsNode] = []
        for number in range(nodes):
            http = ports[2 * nodes + number]
            config = f"""
                server_name: n{number}
                listen: "{self.addresses[number]}"
                http: "{addresses[number]}:{http}"
                jetstream {{
                    store_dir: "{folder}/n{number}", max_mem: 256MB, max_file: 4GB,
                    sync_interval: {sync}
                }}
                {more}
            """
            if nodes > 1:
                config += f"""cluster {{
                    name: test, listen: "{addresses[number]}:{ports[nodes + number]}",
                    routes: [{routes}], ping_interval: "2s", ping_max: 2
                }}"""
            node = NatsNode(folder, f"n{number}", config, host=places[number], http_port=http)
            self.nodes.append(node)

    @property
    def hosts(self) -> str:
        """All nodes, as a URL of a log has them."""
        return ",".join(self.addresses)

    def url(
        self, stream: str, view: Path, *, user: str = "", more: str = "", at: str | None = None
    ) -> str:
        """Returns the URL of a log in this cluster, or `at` one node of it, with its copy in a
        file.
        """
        if not self.addresses[0].startswith(LOOPBACK.address):
            more += "&insecure=1"
        return f"nats://{user}{at or self.hosts}/{stream}?view={view}{more}"

    def __enter__(self) -> Self:
        for node in self.nodes:
            node.start()
        self.wait_healthy()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for node in self.nodes:
            node.kill()

    def wait_healthy(self) -> None:
        """Waits until every node takes requests."""
        blocked_until(lambda: all(node.is_healthy() for node in self.nodes))

    async def leader(self, stream: str) -> NatsNode | None:
        """Returns the node that leads a stream, if there is one."""
        import msgspec
        from nats.aio.client import Client
        from nats.errors import Error

        client = Client()
        live = [
            f"nats://{address}"
            for address, node in zip(self.addresses, self.nodes, strict=True)
            if node.process is not None
        ]
        with suppress(Error, OSError, TimeoutError):
            async with asyncio.timeout(3):
                await client.connect(live, connect_timeout=1, max_reconnect_attempts=2)
                answer = await client.request(f"$JS.API.STREAM.INFO.{stream}", b"", timeout=1)
                name = (msgspec.json.decode(answer.data).get("cluster") or {}).get("leader")
                await client.close()
                return next((node for node in self.nodes if node.name == name), None)
        with suppress(Exception):
            await client.close()
        return None
