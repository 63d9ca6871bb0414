"""`unbraid ask`: a fleet of our own, from the terminal."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unbraid.cli import INTERRUPTED
from unbraid.cli.options import FiniteRange, log_option
from unbraid.cli.output import warn
from unbraid.timings import ASK_MASTER_IDLE_SECONDS

if TYPE_CHECKING:
    from unbraid.cli.live import FleetView
    from unbraid.orchestrate.request import Request

# As in the files of agents.
COUNT = click.IntRange(1, 10**12)
AMOUNT = FiniteRange(0, 1e9, min_open=True)


@click.command(
    short_help="Ask a master agent that can delegate to your agents.",
    epilog="""\b
Examples:
  unbraid ask "Which of our modules have no tests?"
  unbraid ask --backend anthropic --model opus "Compare these three designs"
  git diff | unbraid ask "Review this" -
  unbraid ask --json "…" | jq -r 'select(.type == "stream_start").agent'
  unbraid ask --agents""",
)
@click.argument("prompt", nargs=-1)
@click.option(
    "--backend", help="The default backend: claude, opencode, kilo, codex, anthropic or openai."
)
@click.option("--model", help="The default model.")
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object per line.")
@click.option("--agents", "listing", is_flag=True, help="List the available agents and exit.")
@log_option
@click.option("--turns", type=COUNT, help="Maximum number of turns of all agents together.")
@click.option("--children", type=COUNT, help="Maximum number of delegations.")
@click.option("--tokens", type=COUNT, help="Maximum number of input and output tokens.")
@click.option("--dollars", type=AMOUNT, help="Maximum cost, in US dollars.")
@click.option("--seconds", type=AMOUNT, help="Maximum time, in seconds.")
def ask(
    prompt: tuple[str, ...],
    backend: str | None,
    model: str | None,
    as_json: bool,
    listing: bool,
    log: str | None,
    **limits: Any,
) -> None:
    """Ask a master agent, which answers itself or delegates to your agents first.

    Agents are the Markdown files in agents/, .claude/agents/, .opencode/agent/ and
    ~/.claude/agents/. The answer is streamed to standard output, with the work of the sub-agents
    shown below it. The run is logged like any other. Ctrl-C cancels it with all its agents. With
    `-`, standard input becomes part of PROMPT. Without PROMPT, in a terminal, starts a
    conversation.
    """
    if listing:
        _list()
        return
    asked = _ask(
        _prompts(prompt), backend=backend, model=model, limits=limits, as_json=as_json, url=log
    )
    sys.exit(asyncio.run(asked))


def _prompts(words: tuple[str, ...]) -> Iterator[str]:
    """Yields what to ask: the words, what is piped in, or what a person types, again and again."""
    parts = [" ".join(word for word in words if word != "-")]
    if "-" in words or (not words and not sys.stdin.isatty()):
        parts.append(sys.stdin.read().strip())
    if text := "\n\n".join(part for part in parts if part):
        yield text
    elif sys.stdin.isatty():
        while line := click.prompt("", prompt_suffix="> ", default="", show_default=False):
            yield line
    else:
        raise click.UsageError("missing PROMPT")


def _list() -> None:
    from unbraid.orchestrate.roster import Roster
    from unbraid.screen import safe

    roster = Roster.read(Path.cwd(), Path.home())
    for agent in (roster.master, *roster):
        where = "built in" if agent.path is None else str(agent.path)
        click.echo(safe(f"{agent.name}  {' '.join(agent.description.split())[:100]}  ({where})"))
    for problem in roster.problems:
        warn(str(problem))


async def _ask(
    prompts: Iterator[str],
    backend: str | None,
    model: str | None,
    limits: dict[str, Any],
    *,
    as_json: bool,
    url: str | None,
) -> int:
    from unbraid.agents.agent_spec import Limits
    from unbraid.cli.live import FleetView
    from unbraid.machine import Machine
    from unbraid.steer.controllers import Controllers

    view = FleetView(as_json=as_json)
    async with (
        Machine(url, controllers=Controllers()) as machine,
        machine.orchestrating(
            backend=backend,
            model=model,
            limits=Limits(**limits),
            keep_seconds=ASK_MASTER_IDLE_SECONDS,
            on_draft=lambda run, draft: view.draft(draft),
        ) as orchestrator,
    ):
        for problem in orchestrator.roster.problems:
            warn(str(problem))
        await orchestrator.recover()
        code, run = 0, None
        # Reading a line holds up nothing: between two requests nothing happens.
        for prompt in prompts:
            request = await orchestrator.begin(prompt, continues=run)
            run, code = request.run, await _follow(request, view)
            if code:
                break
        return code


async def _follow(request: Request, view: FleetView) -> int:
    """Shows a run to its end. Returns the exit code."""
    from unbraid.events import Done
    from unbraid.system.tasks import stopped_by_signals

    stop = asyncio.Event()

    async def cancel() -> None:
        await stop.wait()
        await request.cancel()

    cancelling = asyncio.create_task(cancel())
    ok = False
    try:
        with stopped_by_signals(stop), view:
            async with aclosing(request.follow()) as batches:
                async for batch in batches:
                    for entry in batch:
                        event = entry.event
                        view.show(event, entry.data)
                        ok = isinstance(event, Done) and event.ok
    finally:
        cancelling.cancel()
    return 0 if ok else INTERRUPTED if stop.is_set() else 1
