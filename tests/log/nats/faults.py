"""The whole trial by faults, in a network of its own with a host for each node.

    python -m tests.log.nats.faults [WRITERS VIEWERS LEADER_KILLS]

The leader is killed again and again, and cut off together with a writer, a server and viewers; a
server is killed, writers in mid-append, and all nodes at once; the nodes are restarted in turn, and
so are the servers that other machines send to. Nothing that was acknowledged may be lost, nothing
may be there twice, and every viewer sees every event of its run once, in order.

`UNBRAID_NATS_SERVER` names another nats-server than the installed one.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.log.nats.outpost import Outpost
from tests.log.nats.trial import Trial, trial
from tests.namespaces import Network, has_namespaces, in_own_network

INSIDE = "--inside"
CUT_SECONDS = 60.0
ALL_KILLS = 5
SERVER_KILLS = 20
MACHINES, MACHINE_RUNS = 4, 3
OUTPOST_VIEWERS = 10
PAUSE_SECONDS = 0.02


def note(what: str) -> None:
    """Says what has been survived."""
    print(what, flush=True)


async def main(writers: int = 20, viewers: int = 40, kills: int = 10) -> None:
    """The whole trial, with what came of it."""
    with tempfile.TemporaryDirectory() as folder, Network() as network:
        hosts = [network.add() for _ in range(3)]
        async with trial(Path(folder), sync="always", hosts=hosts) as made:
            await made.begin(writers, viewers, PAUSE_SECONDS)
            await made.progress()
            for number in range(kills):
                await made.kill_leader()
                await made.progress()
                note(f"leader killed {number + 1} times")
            outpost = await made.cut_off_leader(network, CUT_SECONDS, OUTPOST_VIEWERS)
            await made.progress()
            note(f"leader cut off for {CUT_SECONDS:.0f} s")
            await asyncio.gather(made.kill_server(), made.stop_writer(0, PAUSE_SECONDS))
            await made.progress()
            note("a server killed, a writer stopped in mid-append")
            await made.kill_writer("dying")
            note("a writer killed with its process, and its run ended by one")
            away = max([await made.kill_all() for _ in range(ALL_KILLS)])
            note(f"all nodes killed {ALL_KILLS} times: written again after at most {away:.1f} s")
            longest = await made.restart_all()
            note(f"nodes restarted in turn: no append took longer than {longest:.2f} s")
            sent, longest = await made.send(MACHINES, MACHINE_RUNS, PAUSE_SECONDS, SERVER_KILLS)
            note(
                f"servers killed {SERVER_KILLS} times: {sent} events of {MACHINES} machines "
                f"arrived, 0 lost, 0 twice; no run waited longer than {longest:.1f} s"
            )
            await compared(made, outpost)


async def compared(made: Trial, outpost: Outpost) -> None:
    """Ends everything, compares all, and says what there was."""
    lengths = await made.finish()
    cut = await outpost.report()
    assert cut.acks_inside == 0, "a node without the others has acknowledged"
    assert cut.unhealthy > 0, "its server has not noticed"
    assert cut.lists_refused == 0, "its server answers no reads"
    for run, seen in cut.seen.items():
        assert seen == await made.lines(run), f"{run} at the outpost"
    assert len(cut.seen["outpost"]) == cut.events
    longest = max(writer.longest_seconds for writer in made.writers)
    print(
        f"{sum(lengths) + cut.events} events of {len(lengths) + 1} runs acknowledged: "
        f"0 lost, 0 twice; {len(made.viewers) + len(cut.seen)} viewers complete after "
        f"{sum(viewer.visits for viewer in made.viewers)} visits; "
        f"the longest append took {longest:.1f} s\n"
        f"cut off: 0 acknowledged inside, its server unhealthy at {cut.unhealthy} looks and "
        f"readable at all; acknowledged again {cut.acknowledged_after:.1f} s after the healing"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == [INSIDE]:
        asyncio.run(main(*map(int, sys.argv[2:])))
    elif has_namespaces():
        command = in_own_network("tests.log.nats.faults", INSIDE, *sys.argv[1:])
        sys.exit(subprocess.run(command).returncode)
    else:
        sys.exit("this machine makes no network namespaces (unshare --user --net, ip)")
