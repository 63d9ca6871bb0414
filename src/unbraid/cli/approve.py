"""`unbraid approve` and `unbraid deny`: answer agents that wait for permission."""

from __future__ import annotations

import asyncio

import click
import msgspec

from unbraid.screen import safe_json


@click.command(
    short_help="Allow what an agent asks permission for, or list the requests.",
    epilog="""\b
Examples:
  unbraid approve
  unbraid approve 6f3c…""",
)
@click.argument("request", required=False)
@click.option("--json", "as_json", is_flag=True, help="List what waits as JSON.")
def approve(request: str | None, as_json: bool) -> None:
    """Allow the tool that REQUEST asks for; without REQUEST, list what waits.

    Runs ask here that were started with `unbraid run --steer`, or by a program of yours with
    `--input-format stream-json --permission-prompt-tool stdio`; and sessions of an OpenCode server,
    while `unbraid watch --opencode URL` watches it.
    """
    if request is not None:
        asyncio.run(_answer(request, "allow", None))
    else:
        asyncio.run(_list(as_json=as_json))


@click.command(
    epilog="""\b
Examples:
  unbraid deny 6f3c… --message "Not in this folder."
"""
)
@click.argument("request")
@click.option("--message", default=None, help="The reason, for the agent.")
def deny(request: str, message: str | None) -> None:
    """Deny the tool that REQUEST asks for."""
    asyncio.run(_answer(request, "deny", message))


async def _answer(request: str, behavior: str, message: str | None) -> None:
    from unbraid.control.sockets import answer
    from unbraid.log import data_folder

    await answer(data_folder(), request, behavior=behavior, message=message)


async def _list(*, as_json: bool) -> None:
    from unbraid.control.sockets import steerable_processes
    from unbraid.log import data_folder
    from unbraid.screen import safe

    found = await steerable_processes(data_folder())
    waiting = [request for _, about in found for request in about.pending]
    if as_json:
        click.echo(safe_json(msgspec.json.encode(waiting)))
        return
    if not waiting:
        click.echo("No agent is waiting for permission.", err=True)
    for request in waiting:
        click.echo(safe(f"{request.request_id}  {request.tool}  ({request.run})"))
        # All of it: what is approved is what was shown.
        for line in msgspec.json.format(msgspec.json.encode(request.input)).decode().split("\n"):
            click.echo(safe(f"    {line}"))
