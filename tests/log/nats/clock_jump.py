"""The wall clocks of nodes and of a writer jump by an hour, forward and back, under load.

    python -m tests.log.nats.clock_jump

No order and no safety may rest on a clock: nothing that was acknowledged is lost or there twice,
the run of a writer that lives is not ended, and that of one that dies is. Needs a C compiler, and
Linux on x86-64.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.log.nats.clients import ProcessWriter, started
from tests.log.nats.trial import STREAM, Trial, trial
from tests.namespaces import NetworkHost
from unbraid.timings import LEASE_TTL_SECONDS

SOURCE = Path(__file__).with_name("shifted_clock.c")
HOUR = 3600
WRITERS, VIEWERS, PAUSE_SECONDS = 10, 10, 0.05
# Longer than a lease lives, and than a server waits for one that has expired.
WATCHED_SECONDS = 2 * LEASE_TTL_SECONDS + 10
ENDED_SECONDS = 60.0


class ShiftedClock:
    """A clock that processes can be started with, and that can be set while they run."""

    def __init__(self, program: Path, file: Path) -> None:
        self.command, self._file = (str(program), str(file)), file
        self.set(0)

    def set(self, seconds: int) -> None:
        """Sets it off by so much."""
        partial = self._file.with_suffix(".new")
        partial.write_text(str(seconds))
        partial.replace(self._file)


def compiled(folder: Path) -> Path:
    """Returns the program that shifts clocks."""
    program = folder / "shifted_clock"
    subprocess.run(["cc", "-O2", "-o", program, SOURCE], check=True)
    return program


async def watch(made: Trial, writer: asyncio.subprocess.Process, what: str) -> None:
    """Sees that all go on, for longer than any lease lives."""
    until = time.monotonic() + WATCHED_SECONDS
    while time.monotonic() < until:
        await made.progress()
        assert writer.returncode is None, f"{what}: the run of a living writer was ended"
    summary = await made.logs[0].run("living")
    assert summary is not None and not summary.over, f"{what}: a living run is over"
    print(f"{what}: all go on", flush=True)


async def dies(made: Trial, run: str, writer: asyncio.subprocess.Process) -> float:
    """Kills a writer; returns how long it took until a server had ended its run."""
    writer.kill()
    began = time.monotonic()
    async with asyncio.timeout(ENDED_SECONDS):
        async for _ in made.logs[0].follow(run):
            pass
    return time.monotonic() - began


async def main() -> None:
    """The whole trial, with what came of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = compiled(folder)
        clocks = [ShiftedClock(program, folder / f"clock{number}") for number in range(4)]
        *of_nodes, own = clocks
        hosts = [NetworkHost("127.0.0.1", clock.command, "") for clock in of_nodes]
        async with trial(folder, sync="always", hosts=hosts) as made:
            await made.begin(WRITERS, VIEWERS, PAUSE_SECONDS)
            living = await started(
                ProcessWriter.CODE, made.url("living"), "living", command=own.command
            )
            reading = asyncio.create_task(_read_all(living))
            for offset in (HOUR, -HOUR):
                for bucket, what in ((STREAM, "log"), (f"KV_{STREAM}_LEASES", "leases")):
                    leader = await made.cluster.leader(bucket)
                    assert leader is not None
                    clock = of_nodes[made.cluster.nodes.index(leader)]
                    clock.set(offset)
                    await watch(made, living, f"leader of the {what} {offset:+} s")
                    clock.set(0)
                    await watch(made, living, f"leader of the {what} back again")
                own.set(offset)
                await watch(made, living, f"writer {offset:+} s")
                own.set(0)
            for clock in of_nodes:
                clock.set(HOUR)
            await watch(made, living, f"all nodes {HOUR:+} s")
            for clock in of_nodes:
                clock.set(0)
            seconds = await dies(made, "living", living)
            await reading
            print(f"all nodes back again, and the writer killed: ended after {seconds:.0f} s")
            for log in made.logs:
                assert (await log.replication()).problem is None
            lengths = await made.finish()
    print(f"{sum(lengths)} events of {len(lengths)} runs acknowledged: 0 lost, 0 twice")


async def _read_all(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None
    while await process.stdout.read(1 << 16):
        pass


if __name__ == "__main__":
    if not sys.platform.startswith("linux") or shutil.which("cc") is None:
        sys.exit("shifting clocks needs Linux and a C compiler")
    asyncio.run(main())
