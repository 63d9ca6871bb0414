"""`unbraid attach`: shows an agent's conversation, or continues it."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys

import click

from unbraid.cli import INTERRUPTED
from unbraid.cli.options.arguments import complete_run, run_and_stream
from unbraid.cli.options.redaction import redact_option, redacted_log


@click.command(
    short_help="Show or continue an agent's conversation.",
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  unbraid attach 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33
  unbraid attach 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33 --redact
  unbraid attach 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33/2 --resume
  unbraid attach 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33/2 --resume -- -p "What did you find?\"""",
)
@click.argument("agent", metavar="RUN[/STREAM]", shell_complete=complete_run)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGUMENTS…]")
@click.option("--resume", is_flag=True, help="Continue the conversation in the agent's own CLI.")
@click.option(
    "--print", "only_print", is_flag=True, help="Print the command that continues it and exit."
)
@redact_option
def attach(
    agent: str, arguments: tuple[str, ...], resume: bool, only_print: bool, redact: bool
) -> None:
    """Show an agent's conversation and follow it, or continue it with --resume.

    RUN is the id of a run in `unbraid ps`, or an unambiguous prefix of it. STREAM is the number of
    one of its agents, as `unbraid tree` shows it. A session is resumed by its id. A sub-agent of a
    Claude Code session is resumed as a session of its own: its transcript is copied to a new file,
    whose name is printed, and nothing else is changed. ARGUMENTS are passed to the agent's CLI.
    """
    run, stream = run_and_stream(agent)
    if redact and (resume or only_print):
        # In silence, what the agent's CLI shows would be taken for redacted.
        raise click.UsageError(
            "--redact has no effect with --resume: the agent's own CLI shows the conversation"
        )
    if resume or only_print:
        asyncio.run(_resume(run, stream or 0, list(arguments), only_print=only_print))
        return
    try:
        asyncio.run(_show(run, stream, redact=redact))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)  # enough was seen: no error


async def _resume(run: str, stream: int, more: list[str], *, only_print: bool) -> None:
    from unbraid.errors import SourceError
    from unbraid.machine import Machine
    from unbraid.screen import safe
    from unbraid.steer.resume import resumption
    from unbraid.system.process import without_token

    async with Machine() as machine:
        summary = await machine.open(run)
        found = await resumption(
            machine.log,
            summary,
            stream=stream,
            env=machine.env,
            arguments=more,
            write=not only_print,
        )
    if found.made is not None:
        click.echo(safe(f"unbraid: created {found.made}"), err=True)
    if only_print:
        # Printing writes nothing: the copy that a sub-agent needs is made when it is continued.
        again = ["unbraid", "attach", f"{summary.run}/{stream}", "--resume"]
        command = shlex.join([*again, *(["--", *more] if more else [])])
        click.echo(safe(command if found.needs_copy else str(found)))
        return
    try:
        if found.cwd is not None:
            os.chdir(found.cwd)
        os.execvpe(found.argv[0], found.argv, without_token(os.environ) | found.env)
    except OSError as error:
        raise SourceError(found.argv[0], error.strerror or str(error)) from None


async def _show(run: str, stream: int | None, *, redact: bool) -> None:
    from unbraid.cli.output.log_batches import batches_with_pauses
    from unbraid.cli.output.messages import warn
    from unbraid.cli.output.printer import Printer, terminal_width
    from unbraid.errors import CallerError
    from unbraid.machine import Machine

    printer, known = Printer(terminal_width()), stream is None
    async with Machine(redact=redact, warn=warn) as machine:
        summary = await machine.open(run)
        async with machine.following(summary):
            batches = redacted_log(machine.log, redact=redact).follow(summary.run)
            async for batch in batches_with_pauses(batches, machine.log):
                printer.fit(terminal_width())
                if not batch:
                    for line in printer.flush():
                        click.echo(line)
                for entry in batch:
                    if stream is None or entry.stream_id == stream:
                        known = True
                        for line in printer.lines(entry.event):
                            click.echo(line)
    if not known:
        raise CallerError(f"run {summary.run} has no stream {stream}")
