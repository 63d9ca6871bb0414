"""`unbraid approve` and `deny` answer agents that wait for permission; `unbraid send`, `interrupt`
and `stop` steer a run.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from unbraid.cli.options import complete_run, log_option, run_and_stream
from unbraid.cli.output import print_json
from unbraid.screen import safe
from unbraid.timings import ATTENDANCE_SECONDS

if TYPE_CHECKING:
    from unbraid.agents.control_port import AnswerDetails
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


async def _answer(
    log: str | None, request: str, behavior: str, message: str | None, details: AnswerDetails
) -> None:
    from msgspec.structs import replace

    from unbraid.machine import Machine
    from unbraid.steer.permissions import answer_request
    from unbraid.system.home import user_name

    details = replace(details, by=user_name(), where="command line")
    async with Machine(log) as machine:
        await answer_request(
            machine.log, machine.controllers, request, behavior, message=message, details=details
        )


async def _list(log: str | None, *, as_json: bool) -> None:
    from unbraid.machine import Machine
    from unbraid.steer.permissions import answerable_requests

    async with Machine(log) as machine:
        waiting = await answerable_requests(machine.log, machine.controllers)
    if as_json:
        print_json(waiting.requests)
        return
    if not waiting.requests:
        click.echo("No agent is waiting for permission.", err=True)
    for request in waiting.requests:
        _print(request)
    if waiting.unlisted:
        click.echo(f"{waiting.unlisted} more requests are not listed.", err=True)


async def _wait(log: str | None, *, as_json: bool) -> None:
    from unbraid.machine import Machine
    from unbraid.steer.permissions import answerable_requests
    from unbraid.system.home import user_name

    async with Machine(log) as machine:

        async def waiting() -> list[PermissionRequest]:
            return (await answerable_requests(machine.log, machine.controllers)).requests

        attend = partial(machine.controllers.attend, f"{user_name()} at the command line")
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
                    print_json(request)
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


@click.command(
    short_help="Send a message to an agent.",
    epilog="""\b
Examples:
  unbraid send 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33 "Look at the tests, too."
  unbraid send 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33/2 "Only in src, please."
""",
)
@click.argument("agent", metavar="RUN[/STREAM]", shell_complete=complete_run)
@click.argument("text")
def send(agent: str, text: str) -> None:
    """Send a message to the main agent of a run, or to a sub-agent that accepts one."""
    run, stream = run_and_stream(agent)
    asyncio.run(_steer(run, "message", text=text, stream_id=stream or 0))


@click.command(
    short_help="Interrupt the main agent of a run.",
    epilog="""\b
Examples:
  unbraid interrupt 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33""",
)
@click.argument("run", shell_complete=complete_run)
def interrupt(run: str) -> None:
    """Interrupt what the main agent of RUN is doing. It then waits for the next message."""
    asyncio.run(_steer(run, "interrupt"))


@click.command(
    epilog="""\b
Examples:
  unbraid stop 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33
  unbraid stop 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33/2"""
)
@click.argument("agent", metavar="RUN[/STREAM]", shell_complete=complete_run)
def stop(agent: str) -> None:
    """Stop one sub-agent of a run, or the whole run."""
    run, stream = run_and_stream(agent)
    asyncio.run(_steer(run, "stop" if stream else "cancel", stream_id=stream or 0))


async def _steer(run: str, verb: str, *, text: str | None = None, stream_id: int = 0) -> None:
    from unbraid.steer.controllers import reachable_runs

    async with reachable_runs(os.environ) as runs:
        await runs.steer(run, verb, text, stream_id=stream_id)
