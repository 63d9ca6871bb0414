"""`unbraid export`: a run as one file."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unbraid.cli.options import (
    complete_run,
    redacted_log,
    redacted_runs,
    run_and_stream,
    showing_option,
)

if TYPE_CHECKING:
    from unbraid.events import FleetEvent

SUFFIXES = {".html": "html", ".htm": "html", ".json": "json"}


@click.command(
    short_help="Save a run, or one of its agents, as HTML, Markdown or JSON.",
    epilog="""\b
Examples:
  unbraid export 2f330b27 -o review.html
  unbraid export 2f330b27/0 --markdown --redact | gh pr comment 12 --body-file -
  unbraid export 2f330b27 --json | jq .usage""",
)
@click.argument("agent", metavar="RUN[/STREAM]", shell_complete=complete_run)
@click.option(
    "--html",
    "form",
    flag_value="html",
    help="Write the page with the run in it, as one offline file.",
)
@click.option(
    "--markdown", "form", flag_value="markdown", help="Write Markdown, for example for a comment."
)
@click.option("--json", "form", flag_value="json", help="Write one JSON object.")
@click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file.",
)
@showing_option
def export(agent: str, form: str | None, file: Path | None, redact: bool) -> None:
    """Write a run, or one of its agents, to a file: what was said and done, and what it cost.

    RUN is the id of a run in `unbraid ps` or of a session stored on this machine, or an unambiguous
    prefix of it; or a file that `unbraid cat` can read. STREAM is the number of one of its agents,
    as `unbraid tree` shows it. Without a format option, the format follows from the file name, and
    is Markdown if there is none. Notes that a CLI writes for the model only are left out.

    The HTML file is the page itself with the run in it: timeline, graph, conversations, playback
    and search work offline in any browser, and nothing in it can reach the network. With scripts
    disabled, it is plain HTML.
    """
    from unbraid.errors import CallerError, SourceError
    from unbraid.record.sessions.sources import events_of, runs_of_sources
    from unbraid.send.export import RunFile

    name, stream = (agent, None) if Path(agent).exists() else run_and_stream(agent)
    form = form or SUFFIXES.get("" if file is None else file.suffix.lower(), "markdown")
    runs = redacted_runs(runs_of_sources((name,), os.environ), redact=redact)
    if len(runs) != 1:
        raise CallerError(f"{name} contains {len(runs)} runs: specify one of them")
    made = RunFile(runs[0].session or name, form, stream=stream)
    events = events_of(runs[0], so_far=True)
    made.apply(asyncio.run(_redacted(events)) if redact else events)
    data = made.content(made.export())
    if file is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        file.write_bytes(data)
    except OSError as error:
        raise SourceError(str(file), error.strerror or str(error)) from None


async def _redacted(events: Iterable[FleetEvent]) -> list[FleetEvent]:
    """Returns events as the reader that redacts a log gives them out: it knows secrets that are in
    no source in one piece.
    """
    from unbraid.log.engines import memory_log
    from unbraid.log.port import run_pages

    log = memory_log()
    await log.append("export", list(events))
    reader = redacted_log(log, redact=True)
    return [entry.event async for page in run_pages(reader, "export") for entry in page]
