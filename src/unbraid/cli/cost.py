"""`unbraid cost`: what was spent."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import click
import msgspec

from unbraid.cli.output import print_json, warn
from unbraid.screen import safe

if TYPE_CHECKING:
    from unbraid.fold.prices import Prices
    from unbraid.record.sessions.costs import Costs, SpentRun

# As in `unbraid.record.sessions.costs`, which takes longer to import than `--help` may.
KEYS = ("day", "week", "month", "model", "folder", "kind", "agent", "run", "machine", "user")
# A spreadsheet takes what begins like this for a formula; some read wide signs like narrow ones.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@click.command(
    short_help="Show tokens and costs by day, model, folder and more.",
    epilog="""\b
Examples:
  unbraid cost
  unbraid cost --by model --since 7d
  unbraid cost --by folder --since 2026-11-01 --csv > spent.csv
  unbraid cost --json | jq .total.cost_usd""",
)
@click.option("--by", type=click.Choice(KEYS), default="day", help="What to group by.")
@click.option(
    "--since",
    metavar="TIME",
    help="Only costs since then: 7d, 12h, 2w, or a date such as 2026-11-01.",
)
@click.option("--json", "as_json", is_flag=True, help="Print rows and total as JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
def cost(by: str, since: str | None, as_json: bool, as_csv: bool) -> None:
    """Show tokens and costs over the whole history on this machine.

    Each message is counted once, including those of sub-agents. Costs that an agent's CLI reports
    are used as they are. All others are computed from public prices and marked with ≈. For a model
    without a known price, only its tokens are shown, with "no price". To set your own prices, use
    prices.json in the UNBRAID_HOME folder, or the file that UNBRAID_PRICES names.
    """
    from unbraid.record.sessions.costs import costs, since_ms
    from unbraid.system.prices.loader import load_prices

    # The end of the process frees everything: looking through all of it first would take a tenth
    # of the time.
    atexit.register(gc.freeze)
    if as_json and as_csv:
        raise click.UsageError("--json or --csv, not both")
    begin = since_ms(since, time.time())
    loaded = load_prices(os.environ)
    for place, problem in loaded.problems.items():
        warn(f"{place}: {problem}")
    found = costs(_runs(begin, loaded.prices), by, since=begin)
    for model, tokens in sorted(found.unpriced.items()):
        warn(f"no price for {model}: its {tokens:,} tokens are not in the cost")
    if as_json:
        print_json({"rows": found.rows, "total": found.total})
    elif as_csv:
        _csv(found)
    else:
        _print(found)


def _runs(since: int, prices: Prices) -> list[SpentRun]:
    from unbraid.cli.output import progress_bar
    from unbraid.record.sessions.costs import stored_runs
    from unbraid.system.home import LOG_FILE_NAME, data_folder

    home = data_folder()
    stored = list(stored_runs(os.environ, home, since=since, warn=warn, progress=progress_bar()))
    # If we may not look there, opening it reports why.
    with suppress(PermissionError):
        if not (home / LOG_FILE_NAME).exists() and not os.environ.get("UNBRAID_LOG"):
            return stored
    # The log needs a database and an event loop: these are imported only if there is a log.
    import asyncio

    from unbraid.machine import with_logged_costs

    return asyncio.run(with_logged_costs(stored, prices, warn))


def _csv(found: Costs) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    names = msgspec.structs.asdict(found.rows[0]) if found.rows else {}
    writer.writerow(names or ["key", *msgspec.structs.asdict(found.total)])
    for row in found.rows:
        values = list(msgspec.structs.astuple(row))
        values[0] = safe(str(values[0]))
        if values[0].startswith(_FORMULAS):
            values[0] = f"'{values[0]}"
        writer.writerow(["" if value is None else value for value in values])


def _print(found: Costs) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from unbraid.screen import cost as shown

    console = Console()
    if not console.is_terminal:
        console.width = 200
    if not found.rows:
        console.print("No costs found. `unbraid doctor` shows where unbraid looks for sessions.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold", footer_style="bold")
    table.show_footer = True
    total = found.total
    table.add_column(found.by.upper(), footer="TOTAL", overflow="fold")
    for name, count in (
        ("INPUT", total.input_tokens),
        ("OUTPUT", total.output_tokens),
        ("CACHE READ", total.cache_read_tokens),
        ("CACHE WRITE", total.cache_creation_tokens),
    ):
        table.add_column(name, footer=f"{count:,}", justify="right", no_wrap=True)
    table.add_column("COST", footer=shown(found.all_spent), justify="right", no_wrap=True)
    for row in found.rows:
        counts = (
            row.input_tokens,
            row.output_tokens,
            row.cache_read_tokens,
            row.cache_creation_tokens,
        )
        key = Text(" ".join(safe(row.key).split()))
        table.add_row(key, *(f"{count:,}" for count in counts), shown(found.spent[row.key]))
    console.print(table)
