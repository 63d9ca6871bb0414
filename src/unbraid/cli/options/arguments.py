"""Types of command-line arguments."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from unbraid.errors import LogError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# A shell shows a page of them at most.
COMPLETED_RUNS = 100
# What a log can hold, and how long anything can wait.
MOST = 2**63 - 1
MOST_SECONDS = 1e6

_QUANTITY = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([A-Za-z]*)")

port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8420,
    show_default=True,
    help="The page's port; 0 picks a free one.",
)

log_option = click.option(
    "--log",
    metavar="URL",
    envvar="UNBRAID_LOG",
    show_envvar=True,
    help="The log to use: a file, or nats://HOST,… for a shared one.",
)

servers_option = click.option(
    "--opencode",
    "servers",
    multiple=True,
    metavar="URL",
    help="A running OpenCode server.",
)


class FiniteRange(click.FloatRange):
    """A number in a range; not "nan", which no comparison keeps out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the number, or a usage error."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class Quantity(click.ParamType):  # type: ignore[type-arg]
    """A number with a unit: `90d`, `2GB`. Without a unit it counts the first one."""

    def __init__(self, name: str, units: Mapping[str, float]) -> None:
        self.name, self._units = name, units

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the number in the smallest sense of its unit, or a usage error."""
        found = _QUANTITY.fullmatch(str(value))
        unit = "" if found is None else found[2].lower() or next(iter(self._units))
        if found is None or unit not in self._units:
            known = ", ".join(self._units)
            self.fail(f"{value} is not a number with one of the units {known}.", param, ctx)
        return min(float(found[1]) * self._units[unit], MOST)


AGE = Quantity("age", {"d": 86400, "h": 3600, "w": 7 * 86400, "m": 60, "s": 1})
BYTES = Quantity("bytes", {"b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12})


def complete_run(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Returns the runs of the log that begin so, newest first, for a shell that completes."""
    import asyncio

    from click.shell_completion import CompletionItem

    from unbraid.log.engines import machine_log, opened_log
    from unbraid.screen import safe

    async def matching() -> list[CompletionItem]:
        async with opened_log() as log:
            return [
                CompletionItem(run.run, help=safe(run.title or "")[:60])
                for run in await log.runs(limit=COMPLETED_RUNS)
                if run.run.startswith(incomplete)
            ]

    try:
        return asyncio.run(matching()) if machine_log().exists() else []
    except LogError:
        return []


def run_and_stream(agent: str) -> tuple[str, int | None]:
    """Returns the run and the stream's number of RUN[/STREAM]."""
    run, _, stream = agent.partition("/")
    if not stream:
        return run, None
    if not (stream.isascii() and stream.isdecimal() and len(stream) < 10):
        raise click.UsageError(f"not a stream number: {stream}")
    return run, int(stream)
