"""`unbraid demo`: a recorded fleet, replayed live in the terminal and on the page."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from importlib import resources
from typing import TYPE_CHECKING

import click

from unbraid.cli.options import FiniteRange
from unbraid.system.tasks import cancel_task, stopped_by_signals

if TYPE_CHECKING:
    from unbraid.log.port import Log
    from unbraid.serve.hub.fanout import Hub

# The page of a demo that nobody has opened stays this long.
DEMO_PAGE_SECONDS = 30

RUN = "demo"


@click.command(
    short_help="Replay a recorded fleet of agents.",
    epilog="""\b
Examples:
  unbraid demo
  unbraid demo --open
  unbraid demo --speed 4 --no-page""",
)
@click.option(
    "--speed",
    type=FiniteRange(0.1, 1000),
    default=1.0,
    show_default=True,
    help="Playback speed: 2 is twice as fast as recorded.",
)
@click.option("--page/--no-page", default=True, help="Serve the page and print its address.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in your browser.")
@click.option("--stay", is_flag=True, help="Serve the page until Ctrl-C.")
def demo(speed: float, page: bool, open_page: bool, stay: bool) -> None:
    """Replay a recorded fleet: a main agent, three sub-agents, and a sub-agent of one of them.

    This is a recording of Claude Code with its real timing. It needs no agent, no API key and no
    network, stores nothing, and ends by itself. A page that you have opened stays until Ctrl-C.
    """
    asyncio.run(_demo(speed, page=page or open_page or stay, open_page=open_page, stay=stay))


async def _demo(speed: float, *, page: bool, open_page: bool, stay: bool) -> None:
    from unbraid.cli.live import LiveRunView
    from unbraid.machine import Machine
    from unbraid.steer.controllers import Controllers

    stop, hub, link = asyncio.Event(), None, None
    async with AsyncExitStack() as stack:
        recorded = Machine("memory:", controllers=Controllers())
        log = (await stack.enter_async_context(recorded)).log
        stack.enter_context(stopped_by_signals(stop))
        if page:
            from unbraid.cli.page import page as serve

            served = serve(recorded, port=0, say=lambda text: None)
            server = await stack.enter_async_context(served)
            hub, link = server.services.hub, f"{server.link()}#/run/{RUN}"
        _introduce(link)
        if open_page and link:
            click.launch(link)
        with LiveRunView(RUN) as view:
            playing = asyncio.create_task(_replay(log, RUN, speed=speed))
            showing = asyncio.create_task(view.follow(log.follow(RUN)))
            stopping = asyncio.create_task(stop.wait())
            await asyncio.wait([showing, stopping], return_when=asyncio.FIRST_COMPLETED)
            for task in (playing, showing, stopping):
                await cancel_task(task)
        _print_next_steps()
        if hub is not None and not stop.is_set():
            await _stay(hub, stop, stay=stay)


def recorded_lines() -> Iterator[tuple[float, bytes]]:
    """Yields the lines that a fleet really printed, each with the second at which it came: Claude
    Code 2.1.325, driven by a scripted model, with neutral paths.
    """
    here = resources.files("unbraid.cli")
    times = json.loads(here.joinpath("demo.times.json").read_bytes())
    lines = here.joinpath("demo.ndjson").read_bytes().split(b"\n")
    for at, line in zip(times, lines, strict=False):
        yield at, line + b"\n"


async def _replay(log: Log, run: str, *, speed: float) -> None:
    """Writes the recorded fleet to the log, `speed` times as fast as it was."""
    from unbraid.fold.pipeline import Pipeline
    from unbraid.system.clock import now_ms
    from unbraid.system.prices.loader import load_prices

    pipeline = Pipeline("recording", prices=load_prices().prices)
    began = time.monotonic()
    for at, line in recorded_lines():
        await asyncio.sleep(max(0.0, at / speed - (time.monotonic() - began)))
        events = pipeline.feed(line, now=now_ms())
        if events:
            await log.append(run, events)
    await log.append(run, pipeline.finish(now_ms()))


def _introduce(link: str | None) -> None:
    click.secho(
        "Replaying a recording of Claude Code with four sub-agents. Press Ctrl-C to stop.",
        bold=True,
    )
    if link is not None:
        click.echo(f"Also on the page: {click.style(link, underline=True)}")
    click.echo()


def _print_next_steps() -> None:
    click.echo("\nThat was a recording. Your own agents:\n")
    for command, does in (
        ("unbraid top", "every agent on this machine, live, in this terminal"),
        ("unbraid", "the same on a page"),
        ('unbraid run -- claude -p "…"', "start one; all its sub-agents are logged"),
    ):
        click.echo(f"  {click.style(f'{command:<30}', bold=True)}{does}")


async def _stay(hub: Hub, stop: asyncio.Event, *, stay: bool) -> None:
    """Keeps serving while a person looks at the page; without a terminal, only if that was asked
    for.
    """
    if not stay and not sys.stdout.isatty():
        return
    if not stay and not hub.stats.visits:
        click.echo(f"\nThe page stays for {DEMO_PAGE_SECONDS} s, or until Ctrl-C if you open it.")
        for _ in range(DEMO_PAGE_SECONDS):
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await stop.wait()
            if stop.is_set() or hub.stats.visits:
                break
        else:
            return
    click.echo("\nThe page stays until Ctrl-C.")
    await stop.wait()
