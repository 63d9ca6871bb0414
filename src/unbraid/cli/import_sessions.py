"""`unbraid import`: stored sessions into the log."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections import Counter

import click

from unbraid.cli import INTERRUPTED
from unbraid.cli.options import redact_option
from unbraid.cli.output import warn


@click.command(
    "import",
    epilog="""\b
Examples:
  unbraid import --all
  unbraid import 2f330b27 7d857246""",
)
@click.argument("sessions", nargs=-1, metavar="[SESSION…]")
@click.option("--all", "everything", is_flag=True, help="Import all stored sessions.")
@redact_option
def import_sessions(sessions: tuple[str, ...], everything: bool, redact: bool) -> None:
    """Import stored sessions into the log, each once.

    The CLIs delete their sessions after a while (Claude Code after 30 days); the log keeps them.
    Sessions are imported oldest first. Stop with Ctrl-C at any time; the next import continues from
    there. `unbraid watch --keep` imports everything, and then whatever is new.
    """
    if everything == bool(sessions):
        raise click.UsageError("specify sessions, or use --all")
    counts, stopped = asyncio.run(_import(sessions, redact=redact))
    shown = [f"{counts['imported']} imported", f"{counts['known']} already in the log"]
    shown += [f"{counts[name]} {name}" for name in ("busy", "failed") if counts[name]]
    click.echo(", ".join(shown))
    if stopped:
        sys.exit(INTERRUPTED)
    if counts["failed"]:
        sys.exit(1)


async def _import(names: tuple[str, ...], *, redact: bool) -> tuple[Counter[str], bool]:
    from unbraid.machine import Machine
    from unbraid.record.sessions.importer import all_sessions, named_sessions

    stopped, counts = asyncio.Event(), Counter[str]()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with Machine(redact=redact, warn=warn) as machine:
        if names:
            found = await asyncio.to_thread(named_sessions, names, machine.env)
        else:
            found = await asyncio.to_thread(all_sessions, machine.env, machine.home, warn)
        with click.progressbar(
            length=len(found), label="Importing", file=sys.stderr, show_pos=True
        ) as bar:
            async for done in machine.import_sessions(found):
                counts[done.outcome] += 1
                if done.problem is not None:
                    warn(f"{done.session}: {done.problem}")
                bar.update(1)
                if stopped.is_set():
                    break
    return counts, stopped.is_set()
