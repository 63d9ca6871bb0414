"""A machine of its own, with a log that it shares with others."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.access import LINK
from tests.polling import PATIENCE_SECONDS
from tests.record.run.agents import UNBRAID


class MachineHome:
    """A machine of its own: its files, its name, and the log that it shares with others."""

    def __init__(self, folder: Path, name: str, log: str) -> None:
        self.home = folder / name
        self.home.mkdir()
        kept = ("PATH", "LANG", "PYTHONPATH")
        self.env = {key: os.environ[key] for key in kept if key in os.environ} | {
            "HOME": str(self.home),
            "UNBRAID_HOME": str(self.home / "u"),
            "UNBRAID_MACHINE": name,
            "UNBRAID_LOG": log,
            "LOGNAME": f"{name}-user",
        }

    def call(self, *args: str, given: bytes = b"") -> bytes:
        """Runs a command to its end; returns what it prints."""
        done = subprocess.run(
            [UNBRAID, *args], env=self.env, input=given, capture_output=True, timeout=60
        )
        assert done.returncode == 0, done.stderr.decode()
        assert b"s3cret" not in done.stdout + done.stderr
        return done.stdout

    def behind(self) -> str:
        """Returns what `ps` says if nobody brings this machine's copy up to date."""
        (lock,) = (self.home / "u" / "views").glob("*.fold")
        with lock.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            command = [UNBRAID, "ps", "--all"]
            done = subprocess.run(command, env=self.env, capture_output=True, timeout=60)
        return done.stderr.decode()

    def runs(self, *args: str) -> dict[str, Any]:
        """Returns what `ps` lists."""
        listed = json.loads(self.call("ps", "--all", "--json", *args))
        return {run["run"]: run for run in listed}

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
        """A watch of this machine, and the link to its page; ended in the end."""
        process = await asyncio.create_subprocess_exec(
            UNBRAID, "watch", "--port", "0", env=self.env,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                assert process.stderr is not None
                while not (link := re.search(LINK, (await process.stderr.readline()).decode())):
                    pass
            yield process, link[0]
        finally:
            if process.returncode is None:
                process.terminate()
            await process.communicate()
