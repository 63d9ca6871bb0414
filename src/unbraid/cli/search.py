"""`unbraid search`: where agents said it."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

import click
import msgspec


@click.command(
    epilog="""\b
Examples:
  unbraid search flaky test
  unbraid search '"connection reset"' --limit 5
  unbraid search migration --json | jq -r '.[].run'"""
)
@click.argument("words", nargs=-1, required=True, metavar="WORDS…")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
def search(words: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Find what agents said, thought, were told and called: all WORDS… in one block ("a phrase" in
    quotes). First in the log, then in the sessions on this machine that are not in it.

    A place is RUN/STREAM, as `unbraid attach` takes it; in a session that is not in the log it is
    the session's id and the sub-agent's, and `unbraid attach` reads the session into the log.
    """
    places = asyncio.run(_places(" ".join(words), limit))
    if as_json:
        click.echo(msgspec.json.encode(places))
        return
    for place in places:
        click.echo(_line(place))


async def _places(query: str, limit: int) -> list[dict[str, Any]]:
    from unbraid.live.archive import Archive
    from unbraid.log import SqliteLog, data_folder

    log = await SqliteLog.open()
    try:
        logged = await log.search(query, limit=limit)
        rest, archive = limit - len(logged), Archive(log, os.environ, data_folder())
        unopened = await archive.search(query, limit=rest) if rest else []
    finally:
        await log.close()
    return [
        *({**msgspec.to_builtins(place), "agent_id": None} for place in logged),
        *({**msgspec.to_builtins(place), "stream_id": None, "seq": None} for place in unopened),
    ]


def _line(place: dict[str, Any]) -> str:
    from unbraid.cli.table import age
    from unbraid.screen import safe

    where = place["run"]
    if place["stream_id"] is not None:
        where += f"/{place['stream_id']}"
    elif place["agent_id"]:
        where += f" ({place['agent_id']})"
    said = " ".join(safe(place["snippet"]).split())
    ago = age(time.time() - place["ts"] / 1000) if place["ts"] else ""
    about = click.style(f"{place['kind']}, {ago} ago" if ago else place["kind"], dim=True)
    return f"{click.style(safe(where), bold=True)}  {about}\n    {said}"
