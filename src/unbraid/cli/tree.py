"""`unbraid tree`: the tree of agents in sources."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from unbraid.cli.options import redacted_runs, showing_option
from unbraid.cli.output import print_json, terminal_width

if TYPE_CHECKING:
    from unbraid.fold.tree import Tree

MIN_ROOM = 16
_GUIDE = re.compile(r"[ │├└─]*")
_BELOW = str.maketrans("├└─", "│  ")


@click.command(
    short_help="Print the tree of agents.",
    epilog="""\b
Examples:
  unbraid tree stdout.ndjson
  unbraid tree 2f330b27-c1e1-4b0e-9d5e-0d2f6a1b7c33
  unbraid tree --mermaid ~/.claude/projects/…/<session>.jsonl""",
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option("--json", "shape", flag_value="json", help="Print JSON, one object per run.")
@click.option("--mermaid", "shape", flag_value="mermaid", help="Print a Mermaid flowchart.")
@click.option("--dot", "shape", flag_value="dot", help="Print a Graphviz graph.")
@showing_option
def tree(sources: tuple[str, ...], shape: str | None, redact: bool) -> None:
    """Print the tree of agents in SOURCE…, with status, tokens, cost and time.

    Sources are the same as for `unbraid cat`. Each agent has the number that `unbraid attach
    RUN/STREAM` takes. In a session that has not changed within the last minute, an agent that has
    not ended counts as orphaned.
    """
    from unbraid.fold.tree import Tree
    from unbraid.record.sessions.sources import LOG, events_of, runs_of_sources
    from unbraid.screen import safe

    runs = runs_of_sources(sources, os.environ, redact=redact)
    for run in redacted_runs(runs, redact=redact):
        picture = Tree(events_of(run, so_far=True))
        if run.source == LOG and run.session is not None and picture.done is None:
            _end_abandoned(picture, run.session)
        match shape:
            case "json":
                print_json(picture.to_json())
            case "mermaid":
                click.echo(safe(picture.to_mermaid()))
            case "dot":
                click.echo(safe(picture.to_dot()))
            case _:
                for line in fitted(safe(picture.to_text()), terminal_width()):
                    click.echo(line)


def _end_abandoned(picture: Tree, run: str) -> None:
    """Shows the agents of a run whose writer is gone as its list of runs does."""
    from unbraid.fold.status import LIVE
    from unbraid.record.sessions.all_runs import end_open_agents
    from unbraid.record.sessions.logged_runs import shown_status

    status = shown_status(run, os.environ)
    if status is not None and status not in LIVE:
        end_open_agents(picture, status)


def fitted(text: str, width: int | None) -> Iterator[str]:
    """Yields the lines of a tree; those that are too long for the screen continue below, within the
    tree.
    """
    for line in text.split("\n"):
        if width is None or len(line) <= width // 2:  # characters take two cells at most
            yield line
            continue
        from unbraid.tui.item_renderer import wrap_text

        guide = _GUIDE.match(line)
        first = guide[0] if guide else ""
        rest = first.translate(_BELOW) + "  "
        room = max(width - len(rest), MIN_ROOM)
        for number, part in enumerate(wrap_text(line.removeprefix(first), room)):
            yield ((rest if number else first) + part).rstrip()
