"""`unbraid demo`: a recorded fleet, replayed in the terminal."""

from __future__ import annotations

import time

import click


@click.command(
    epilog="""\b
Examples:
  unbraid demo
  unbraid demo --speed 4"""
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0.1),
    default=1.0,
    show_default=True,
    help="How many times as fast as it was.",
)
def demo(speed: float) -> None:
    """Replay a recorded fleet: a main agent, three helpers, and a helper's helper.

    It is a recording of Claude Code. It needs no agent, no key and no network, and ends by itself.
    """
    from unbraid.cli.printer import Printer
    from unbraid.fleet.tree import Tree
    from unbraid.pipeline import Pipeline
    from unbraid.recordings import demo as recording

    click.secho(
        "A recording of Claude Code and four helpers, replayed. Ctrl-C ends it.\n", bold=True
    )
    pipeline, printer, tree = Pipeline("demo"), Printer(), Tree()
    started = time.monotonic()
    try:
        for at, line in recording():
            time.sleep(max(0.0, at / speed - (time.monotonic() - started)))
            events = pipeline.feed(line)
            tree.apply(events)
            for event in events:
                for printed in printer.lines(event):
                    click.echo(printed)
    except KeyboardInterrupt:
        click.echo()
    events = pipeline.finish()
    tree.apply(events)
    for event in events:
        for printed in printer.lines(event):
            click.echo(printed)
    click.secho("\nWho worked for whom:\n", bold=True)
    click.echo(tree.to_text())
    click.echo("\nYour own agents:  unbraid cat ~/.claude/projects/…/<session>.jsonl")
