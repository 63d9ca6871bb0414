"""`unbraid tail` and `attach`: follow runs, or one agent's conversation, in the terminal."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack

import click

from unbraid.cli import INTERRUPTED
from unbraid.cli.options import MOST, complete_run, redact_option, redacted_log, run_and_stream
from unbraid.screen import safe_json


@click.command(
    short_help="Follow one run, or all runs.",
    epilog="""\b
Examples:
  unbraid tail
  unbraid tail 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33
  unbraid tail --json | jq .type
  unbraid tail --redact""",
)
@click.argument("run", required=False, shell_complete=complete_run)
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object per line.")
@click.option("--since", type=click.IntRange(0, MOST), help="Start after this cursor.")
@redact_option
def tail(run: str | None, as_json: bool, since: int | None, redact: bool) -> None:
    """Follow RUN from its beginning to its end. Without RUN, follow all runs from now on.

    RUN is the id of a run in `unbraid ps`, or an unambiguous prefix of it. `unbraid` and `unbraid
    run` add runs to the log. A stored session given as RUN is read into the log first, and followed
    unless another unbraid is already following it.
    """
    try:
        asyncio.run(_follow(run, since, as_json=as_json, redact=redact))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)  # the only way to end it: no error


async def _follow(
    run: str | None,
    since: int | None = None,
    *,
    stream: int | None = None,
    as_json: bool = False,
    redact: bool,
) -> None:
    """Prints what comes to a run, or to one stream of it; without a run, what comes to any."""
    from unbraid.cli.output import terminal_width, warn
    from unbraid.cli.printer import Printer, batches_with_pauses
    from unbraid.errors import CallerError
    from unbraid.machine import Machine

    async with AsyncExitStack() as stack:
        machine = await stack.enter_async_context(Machine(redact=redact, warn=warn))
        log = redacted_log(machine.log, redact=redact)
        if run is None:
            batches = log.follow_all(since)
            if sys.stdout.isatty():
                # A screen that stays empty looks as if something were broken.
                click.echo("Waiting for new output. Press Ctrl-C to stop.", err=True)
        else:
            summary = await machine.open(run)
            batches = log.follow(summary.run, since or 0)
            await stack.enter_async_context(machine.following(summary))
        printers: dict[str, Printer] = {}
        shown, known = run, stream is None
        async for batch in batches_with_pauses(batches, machine.log):
            for printer in printers.values():
                printer.fit(terminal_width())
            for entry in batch:
                if stream is not None and entry.stream_id != stream:
                    continue
                known = True
                event = entry.event  # raises if it is damaged, which its bytes would not show
                if as_json:
                    sys.stdout.buffer.write(safe_json(entry.data) + b"\n")
                    continue
                printer = printers.setdefault(entry.run, Printer(terminal_width()))
                lines = printer.lines(event)
                shown = _print(entry.run, lines, shown, alone=run is not None)
                if entry.type == "done":
                    del printers[entry.run]
            for name, printer in () if batch else printers.items():
                shown = _print(name, printer.flush(), shown, alone=run is not None)
            sys.stdout.flush()
    if not known:
        raise CallerError(f"run {summary.run} has no stream {stream}")


def _print(name: str, lines: Iterator[str], shown: str | None, *, alone: bool) -> str | None:
    """Prints lines of a run, below its name if another run's came before; returns the run printed
    last.
    """
    for line in lines:
        if not alone and shown != name:
            click.echo(click.style(f"── {name}", bold=True))
        shown = name
        click.echo(line)
    return shown


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
        asyncio.run(_follow(run, stream=stream, redact=redact))
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
