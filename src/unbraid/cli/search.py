"""`unbraid search`: where agents said it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from unbraid.cli.options import redacted_log, showing_option
from unbraid.cli.output import print_json, terminal_width, warn

MARGIN = " " * 4
MIN_ROOM = 24


@click.command(
    short_help="Search what agents said.",
    epilog="""\b
Examples:
  unbraid search flaky test
  unbraid search '"connection reset"' --limit 5
  unbraid search migration --json | jq -r '.[].run'""",
)
@click.argument("words", nargs=-1, required=True, metavar="WORDS…")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="Print at most this many results.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.option("--machine", help="Only in the runs of this machine.")
@click.option("--user", help="Only in the runs of this user.")
@showing_option
def search(
    words: tuple[str, ...],
    limit: int,
    as_json: bool,
    machine: str | None,
    user: str | None,
    redact: bool,
) -> None:
    """Search what agents said, thought, were asked and called.

    A block matches if it has all WORDS…, also inside other words: `Translator` finds
    `StreamTranslator`. Case and accents make no difference. Put a phrase in double quotes. Whole
    words come first, then beginnings of words, then the rest, the latest first. Results from the
    log come before those from stored sessions that are not in it; in these, accents have to be
    typed. What tools returned is not searched.

    Each result starts with RUN/STREAM, as `unbraid attach` expects it. For a session that is not in
    the log, these are the ids of the session and of the sub-agent.
    """
    if not " ".join(words).strip(' "'):
        raise click.UsageError("WORDS… is empty: specify what to search for")
    places = asyncio.run(
        _places(" ".join(words), limit=limit, machine_name=machine, user=user, redact=redact)
    )
    if as_json:
        print_json(places)
        return
    if not places:
        click.echo("No results.", err=True)
    width = terminal_width()
    for place in places:
        for line in _lines(place, width):
            click.echo(line)


async def _places(
    query: str, *, limit: int, machine_name: str | None, user: str | None, redact: bool
) -> list[dict[str, Any]]:
    from unbraid.log.port import Found
    from unbraid.machine import Machine
    from unbraid.record.sessions.all_runs import AllRuns

    async with Machine(warn=warn) as machine:
        log = redacted_log(machine.log, redact=redact)
        all_runs = AllRuns(log, stored=machine.sessions, redact=redact)
        results = all_runs.search(query, machine=machine_name, user=user, limit=limit)
        found = [result async for batch in results for result in batch]
    logged, stored = {"agent_id": None}, {"stream_id": None, "seq": None}
    return [
        msgspec.to_builtins(result) | (logged if isinstance(result, Found) else stored)
        for result in found
    ]


def _lines(place: dict[str, Any], width: int | None) -> Iterator[str]:
    """Yields where something was said, and what; on a screen the words are wrapped within their
    margin.
    """
    from unbraid.cli.table import age
    from unbraid.screen import safe
    from unbraid.tui.item_renderer import wrap_text

    where = place["run"]
    if place["stream_id"] is not None:
        where += f"/{place['stream_id']}"
    elif place["agent_id"]:
        where += f" ({place['agent_id']})"
    where = safe(where)
    said = " ".join(safe(place["snippet"]).split())
    ago = age(time.time() - place["ts"] / 1000) if place["ts"] else ""
    about = f"{place['kind']}, {ago} ago" if ago else place["kind"]
    # A place is there to be copied: it is never broken where it can be helped.
    if width is not None and len(where) + 2 + len(about) > width:
        yield click.style(where, bold=True)
        yield MARGIN + click.style(about, dim=True)
    else:
        yield f"{click.style(where, bold=True)}  {click.style(about, dim=True)}"
    room = None if width is None else max(width - len(MARGIN), MIN_ROOM)
    yield from (MARGIN + line for line in ([said] if room is None else wrap_text(said, room)))
