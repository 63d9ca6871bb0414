"""`unbraid cat`: the events of sources."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click

from unbraid.cli.options import redacted_runs, showing_option
from unbraid.events import FleetEvent, RelayEvent, encode
from unbraid.screen import safe_json


@click.command(
    short_help="Print what agents said, each block once.",
    epilog="""\b
Examples:
  claude -p "…" --output-format stream-json --verbose | unbraid cat -
  unbraid cat --json stdout.ndjson ~/.claude/projects/…/<session>.jsonl
  unbraid cat ~/.local/share/opencode/opencode.db""",
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option(
    "--json", "shape", flag_value="json", help="Print fleet events, one JSON object per line."
)
@click.option(
    "--relay", "shape", flag_value="relay", help="Print relay events, one JSON object per line."
)
@showing_option
def cat(sources: tuple[str, ...], shape: str | None, redact: bool) -> None:
    """Print what the agents in SOURCE… said, each block once, under the agent that said it.

    A SOURCE is one of: a file of lines (or a JSON array of them) that Claude Code, OpenCode, Kilo
    or Codex printed; `-` for standard input; a transcript or rollout (those of its sub-agents are
    found beside it); a folder of rollouts; a session id; the database of OpenCode or Kilo (or the
    `storage` folder of OpenCode before 1.2); a capture of the /event stream or of `codex
    app-server`; an export; or the id of a run in the log. Sources of the same run are merged.
    """
    from unbraid.cli.output import terminal_width
    from unbraid.cli.printer import Printer
    from unbraid.record.sessions.sources import events_of, relay_events_of, runs_of_sources

    # The log has no relay events.
    named = runs_of_sources(sources, os.environ, logged=shape != "relay", redact=redact)
    runs = redacted_runs(named, redact=redact)
    if shape is not None:
        for run in runs:
            _write(relay_events_of(run) if shape == "relay" else events_of(run))
        return
    for run in runs:
        printer = Printer(terminal_width())
        for event in events_of(run):
            for line in printer.lines(event):
                click.echo(line)
        for line in printer.flush():  # a run that is not over may end within a block
            click.echo(line)


def _write(events: Iterable[FleetEvent] | Iterable[RelayEvent]) -> None:
    out = sys.stdout.buffer
    for event in events:
        out.write(safe_json(encode(event)) + b"\n")
    out.flush()
