"""`unbraid service`: watch from login on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from unbraid.system.service import ServiceManager


@click.group(
    short_help="Record every agent on this machine from login on.",
    epilog="""\b
Examples:
  unbraid service install
  unbraid service install -- --keep --redact
  unbraid service status
  unbraid service uninstall""",
)
def service() -> None:
    """Record every agent on this machine from login on, without a terminal.

    Uses a systemd user unit on Linux and a launchd agent on macOS. Root is not needed.
    """


@service.command(context_settings={"ignore_unknown_options": True})
@click.option("--print", "only_print", is_flag=True, help="Print the file without installing it.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- WATCH OPTIONS]")
def install(words: tuple[str, ...], only_print: bool) -> None:
    """Install and start the service. Run again to change its options.

    Options after `--` are passed to `unbraid watch`.
    """
    from unbraid.agents.registry import kinds
    from unbraid.cli.watch import watch
    from unbraid.system.service import ServiceError, service_manager, watch_service, write_service

    watch.make_context("watch", list(words), resilient_parsing=False)
    manager = service_manager()
    places = [name for kind in kinds() for name in kind.place_variables]
    wanted = watch_service(words, os.environ, places)
    if only_print:
        click.echo(manager.text(wanted).decode(), nl=False)
        return
    is_new = not manager.path.exists()
    write_service(manager, wanted)
    try:
        manager.start()
    except ServiceError:
        if is_new:
            manager.path.unlink()
        raise
    click.echo(f"installed: {manager.path}")
    _show(manager)


@service.command()
def status() -> None:
    """Show whether the service is installed and running.

    Also prints the command that shows its output.
    """
    from unbraid.system.service import service_manager

    manager = service_manager()
    if not manager.path.exists():
        click.echo("not installed: `unbraid service install`")
        return
    click.echo(f"installed: {manager.path}")
    _show(manager)


@service.command()
def uninstall() -> None:
    """Stop the service and remove it. The log stays."""
    from unbraid.system.service import service_manager

    manager = service_manager()
    if not manager.path.exists():
        click.echo("not installed")
        return
    manager.stop()
    manager.path.unlink()
    click.echo(f"removed: {manager.path}")


def _show(manager: ServiceManager) -> None:
    click.echo(f"state: {manager.state()}")
    click.echo(f"messages: {manager.logs}")
