"""Real NATS servers for tests: one node or several, on free ports of this machine."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sysconfig
import time
import urllib.request
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.ports import free_port

SERVER = Path(sysconfig.get_path("scripts")) / "nats-server"
PATIENCE_SECONDS = 30.0


def free_ports(count: int) -> list[int]:
    """Returns ports that nobody listens on now."""
    ports: set[int] = set()
    while len(ports) < count:
        ports.add(free_port())
    return list(ports)


class NatsNode:
    """One server, which can be killed and started again."""

    def __init__(self, folder: Path, name: str, config: str, http_port: int) -> None:
        self.name, self._http_port = name, http_port
        self._config, self._output = folder / f"{name}.conf", folder / f"{name}.log"
        folder.mkdir(parents=True, exist_ok=True)
        self._config.write_text(config)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts the server; it may not be ready yet."""
        with self._output.open("ab") as output:
            self.process = subprocess.Popen(
                [SERVER, "-c", self._config], stdout=output, stderr=output
            )

    def send(self, number: signal.Signals) -> None:
        """Sends a signal to the server, if it runs."""
        if self.process is not None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """Ends the server at once, as a power cut of its machine would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def is_healthy(self) -> bool:
        """Returns whether it takes requests, JetStream and all."""
        with suppress(OSError):
            url = f"http://127.0.0.1:{self._http_port}/healthz"
            with closing(urllib.request.urlopen(url, timeout=1)) as answer:
                return bool(answer.status == 200)
        return False


class NatsCluster:
    """Some nodes that belong together. Use it as a context manager."""

    def __init__(self, folder: Path, nodes: int = 1, *, more: str = "", sync: str = "2m") -> None:
        ports = free_ports(3 * nodes)
        self.ports = ports[:nodes]
        routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in ports[nodes : 2 * nodes])
        self.nodes: list[NatsNode] = []
        for number in range(nodes):
            http = ports[2 * nodes + number]
            config = f"""
                server_name: n{number}
                listen: "127.0.0.1:{ports[number]}"
                http: "127.0.0.1:{http}"
                jetstream {{
                    store_dir: "{folder}/n{number}", max_mem: 256MB, max_file: 4GB,
                    sync_interval: {sync}
                }}
                {more}
            """
            if nodes > 1:
                config += f"""cluster {{
                    name: test, listen: "127.0.0.1:{ports[nodes + number]}", routes: [{routes}]
                }}"""
            self.nodes.append(NatsNode(folder, f"n{number}", config, http))

    @property
    def hosts(self) -> str:
        """All nodes, as a URL of a log has them."""
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def url(self, stream: str, view: Path, *, user: str = "", more: str = "") -> str:
        """Returns the URL of a log in this cluster, with its copy in a file."""
        return f"nats://{user}{self.hosts}/{stream}?view={view}{more}"

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
        until = time.monotonic() + PATIENCE_SECONDS
        while not all(node.is_healthy() for node in self.nodes):
            assert time.monotonic() < until, "the NATS servers do not start"
            time.sleep(0.05)

    async def leader(self, stream: str) -> NatsNode | None:
        """Returns the node that leads a stream, if there is one."""
        import msgspec
        from nats.aio.client import Client
        from nats.errors import Error

        client = Client()
        live = [
            f"nats://127.0.0.1:{port}"
            for port, node in zip(self.ports, self.nodes, strict=True)
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
