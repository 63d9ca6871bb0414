"""`unbraid approve` and `unbraid deny`: answer agents that wait for permission."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from unbraid.cli.options.arguments import log_option
from unbraid.screen import safe, safe_json
from unbraid.timings import ATTENDANCE_SECONDS

if TYPE_CHECKING:
    from unbraid.agents.control_port import AnswerDetails
    from unbraid.log.port import Log
    from unbraid.steer.controllers import Controllers
    from unbraid.steer.permissions import PermissionRequest

# How often `unbraid approve --wait` looks for new requests.
APPROVE_POLL_SECONDS = 1.0


@click.command(
    short_help="Allow a permission request, or list the pending ones.",
    epilog="""\b
Examples:
  unbraid approve
  unbraid approve --wait
  unbraid approve 6f3c…
  unbraid approve 6f3c… --always 1
  unbraid approve 6f3c… --input '{"command": "npm test"}'
  unbraid approve 6f3c… --answer 'Which database?' SQLite
  unbraid approve 6f3c… --give-back""",
)
@click.argument("request", required=False)
@click.option("--json", "as_json", is_flag=True, help="List pending requests as JSON.")
@click.option(
    "--wait", is_flag=True, help="Declare that you answer here, and list requests as they come."
)
@click.option(
    "--input", "changed", metavar="JSON", help="Allow it with this input instead of its own."
)
@click.option(
    "--always",
    multiple=True,
    type=click.IntRange(1, 1000),
    help="Also apply this numbered offer of the request.",
)
@click.option(
    "--answer",
    "answers",
    multiple=True,
    nargs=2,
    metavar="QUESTION ANSWER",
    help="The answer to a question of the request.",
)
@click.option("--give-back", is_flag=True, help="Return it to the agent's own terminal.")
@log_option
def approve(
    request: str | None,
    as_json: bool,
    wait: bool,
    changed: str | None,
    always: tuple[int, ...],
    answers: tuple[tuple[str, str], ...],
    give_back: bool,
    log: str | None,
) -> None:
    """Allow the tool that REQUEST asks for. Without REQUEST, list the pending requests.

    Requests come from runs started with `unbraid run --steer`, or by a program of yours with
    `--input-format stream-json --permission-prompt-tool stdio`; from sessions of an OpenCode server
    that `unbraid watch --opencode URL` watches; and, while an unbraid is watching, from every
    session of a CLI with hooks (see `unbraid hooks`).

    A request of a background agent, or of `claude -p`, is not shown in its terminal while a hook
    holds it. Such requests are therefore held only while somebody has declared that they answer:
    here with --wait (until Ctrl-C), on the page, or in `unbraid top`.
    """
    if request is None and wait:
        asyncio.run(_wait(log, as_json=as_json))
    elif request is None:
        asyncio.run(_list(log, as_json=as_json))
    else:
        from unbraid.agents.control_port import GIVE_BACK, AnswerDetails

        details = AnswerDetails(
            input=None if changed is None else _object(changed),
            always=[number - 1 for number in always],
            answers=dict(answers) or None,
        )
        behavior = GIVE_BACK if give_back else "allow"
        asyncio.run(_answer(log, request, behavior, None, details))


@click.command(
    epilog="""\b
Examples:
  unbraid deny 6f3c… --message "Not in this folder."
"""
)
@click.argument("request")
@click.option("--message", default=None, help="The reason, sent to the agent.")
@log_option
def deny(request: str, message: str | None, log: str | None) -> None:
    """Deny a permission request."""
    from unbraid.agents.control_port import AnswerDetails

    asyncio.run(_answer(log, request, "deny", message, AnswerDetails()))


def _object(text: str) -> dict[str, object]:
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise click.BadParameter(f"not a JSON object: {error}", param_hint="--input") from None


@asynccontextmanager
async def _reached(log: str | None) -> AsyncIterator[tuple[Log, Controllers]]:
    """Yields the log that has the requests, and what carries answers to its runs."""
    from unbraid.log import data_folder, opened_log
    from unbraid.steer.controllers import Controllers, OtherProcesses, channels_of

    async with opened_log(log) as opened:
        yield opened, Controllers(OtherProcesses(*channels_of(opened, data_folder())))


async def _answer(
    log: str | None, request: str, behavior: str, message: str | None, details: AnswerDetails
) -> None:
    from msgspec.structs import replace

    from unbraid.steer.permissions import answer_request
    from unbraid.system.home import user_name

    details = replace(details, by=user_name(), where="command line")
    async with _reached(log) as reached:
        await answer_request(*reached, request, behavior, message=message, details=details)


async def _list(log: str | None, *, as_json: bool) -> None:
    from unbraid.steer.permissions import answerable_requests

    async with _reached(log) as reached:
        waiting = await answerable_requests(*reached)
    if as_json:
        click.echo(safe_json(msgspec.json.encode(waiting.requests)))
        return
    if not waiting.requests:
        click.echo("No agent is waiting for permission.", err=True)
    for request in waiting.requests:
        _print(request)
    if waiting.unlisted:
        click.echo(f"{waiting.unlisted} more requests are not listed.", err=True)


async def _wait(log: str | None, *, as_json: bool) -> None:
    from unbraid.steer.permissions import answerable_requests
    from unbraid.system.home import user_name

    async with _reached(log) as reached:

        async def waiting() -> list[PermissionRequest]:
            return (await answerable_requests(*reached)).requests

        attend = partial(reached[1].attend, f"{user_name()} at the command line")
        await _wait_for(attend, waiting, as_json=as_json)


async def _wait_for(
    attend: Callable[[float], Awaitable[None]],
    waiting: Callable[[], Awaitable[Sequence[PermissionRequest]]],
    *,
    as_json: bool,
) -> None:
    await attend(ATTENDANCE_SECONDS)
    click.echo("Answer with `unbraid approve` and `unbraid deny`. Stop with Ctrl-C.", err=True)
    shown: set[bytes] = set()
    try:
        while True:
            await attend(ATTENDANCE_SECONDS)
            for request in await waiting():
                # Not by its id: two runs may have the same, and ask for something else.
                asked = msgspec.json.encode((request.run, request.request_id, request.input))
                if asked in shown:
                    continue
                shown.add(asked)
                if as_json:
                    click.echo(safe_json(msgspec.json.encode(request)))
                else:
                    _print(request)
            await asyncio.sleep(APPROVE_POLL_SECONDS)
    finally:
        await attend(0)


def _print(request: PermissionRequest) -> None:
    click.echo(safe(f"{request.request_id}  {request.tool}  ({request.run})"))
    # All of it: what is approved is what was shown.
    for line in msgspec.json.format(msgspec.json.encode(request.input)).decode().split("\n"):
        click.echo(safe(f"    {line}"))
    for number, offer in enumerate(request.always, 1):
        click.echo(safe(f"    --always {number}: {offer}"))
