"""The command line. Commands are imported when they are called, so that `--version` is quick."""

from __future__ import annotations

import errno
import gc
import importlib
import os
import sys
from contextlib import suppress
from typing import Any

import click

from unbraid import __version__
from unbraid.errors import CallerError, LogError, SourceError, UnbraidError
from unbraid.system.home import data_folder, mend_folder

COMMANDS = {
    "alerts": "unbraid.cli.alerts:alerts",
    "approve": "unbraid.cli.steer:approve",
    "ask": "unbraid.cli.ask:ask",
    "attach": "unbraid.cli.follow:attach",
    "cat": "unbraid.cli.cat:cat",
    "completion": "unbraid.cli:completion",
    "cost": "unbraid.cli.cost:cost",
    "deliver": "unbraid.cli.delivery:deliver",
    "demo": "unbraid.cli.demo:demo",
    "deny": "unbraid.cli.steer:deny",
    "doctor": "unbraid.cli.doctor:doctor",
    "export": "unbraid.cli.export:export",
    "hooks": "unbraid.cli.hooks:hooks",
    "import": "unbraid.cli.import_sessions:import_sessions",
    "interrupt": "unbraid.cli.steer:interrupt",
    "otel": "unbraid.cli.delivery:otel",
    "pipe": "unbraid.cli.run:pipe",
    "prune": "unbraid.cli.prune:prune",
    "ps": "unbraid.cli.ps:ps",
    "run": "unbraid.cli.run:run",
    "search": "unbraid.cli.search:search",
    "serve": "unbraid.cli.serve:serve",
    "service": "unbraid.cli.service:service",
    "send": "unbraid.cli.steer:send",
    "stop": "unbraid.cli.steer:stop",
    "tail": "unbraid.cli.follow:tail",
    "token": "unbraid.cli.token:token",
    "top": "unbraid.cli.top:top",
    "tree": "unbraid.cli.tree:tree",
    "watch": "unbraid.cli.watch:watch",
}

# What is imported stays, and so does what is read of a history: Python would look through all of it
# again and again for what can be freed, which takes a seventh of the time of a short command.
NEW_OBJECTS_BETWEEN_COLLECTIONS = 100_000

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# The one table of exit codes; docs/reference/exit-codes.md shows it.
EXIT_CODES: dict[type[UnbraidError], int] = {SourceError: 3, CallerError: 2, LogError: 4}
# What shells give a program that Ctrl-C has ended.
INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group whose commands are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, name = place.split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        _complete()
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        with suppress(OSError):
            if (mended := mend_folder(data_folder())) is not None:
                click.echo(f"unbraid: {mended}", err=True)
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            from unbraid.screen import safe

            # An argument may be the name of a file, which an agent has given it.
            vars(error)["message"] = safe(error.message)
            raise
        except UnbraidError as error:
            from unbraid.screen import safe

            click.echo(f"unbraid: {safe(str(error))}", err=True)
            codes = (code for kind, code in EXIT_CODES.items() if isinstance(error, kind))
            sys.exit(next(codes, 1))

    def main(self, *args: Any, **extra: Any) -> Any:
        """Runs the command line that we were given, and returns its result."""
        gc.set_threshold(NEW_OBJECTS_BETWEEN_COLLECTIONS)
        try:
            return super().main(*args, **extra)
        except OSError as error:
            # A reader that has gone is click's to handle.
            if error.errno not in FULL:
                raise
            click.echo(f"unbraid: standard output cannot be written: {error.strerror}", err=True)
            # What it still holds would be tried again at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.exit(1)


def _complete() -> None:
    """Opens /dev/null for standard files that are closed: otherwise the next file that is opened
    would get such a number, and with it whatever an agent prints.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="unbraid")
@click.option(
    "--redact",
    is_flag=True,
    help="Without a command: redact API keys and tokens.",
)
@click.option(
    "--open", "opens", is_flag=True, help="Without a command: open the page in the browser."
)
@click.pass_context
def main(ctx: click.Context, redact: bool, opens: bool) -> None:
    """See what your coding agents and their sub-agents do, live and afterwards.

    Reads Claude Code, OpenCode, Codex and Kilo. Without a command, watches this machine and serves
    the page.
    """
    if ctx.invoked_subcommand is None:
        command = ctx.command
        assert isinstance(command, click.Group)
        watch = command.get_command(ctx, "watch")
        assert watch is not None
        ctx.invoke(watch, redact=redact, opens=opens)
    elif redact:
        # In silence, a log would be taken for redacted that is not.
        raise click.UsageError("put --redact after the command, as in `unbraid run --redact`")
    elif opens:
        raise click.UsageError("put --open after the command, as in `unbraid watch --open`")


@click.command(
    epilog="""\b
Examples:
  unbraid completion bash >> ~/.bashrc
  unbraid completion zsh > ~/.zfunc/_unbraid
  unbraid completion fish > ~/.config/fish/completions/unbraid.fish"""
)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print the completion script for a shell."""
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(main, {}, "unbraid", "_UNBRAID_COMPLETE").source())
