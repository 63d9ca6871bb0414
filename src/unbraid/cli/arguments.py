"""Types of command-line arguments."""

from __future__ import annotations

import math
from typing import Any

import click

# What a log can hold, and how long anything can wait.
MOST = 2**63 - 1
MOST_SECONDS = 1e6

port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8420,
    show_default=True,
    help="The page's port; 0: any.",
)


class FiniteRange(click.FloatRange):
    """A number in a range; not "nan", which no comparison keeps out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the number, or a usage error."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


def run_and_stream(agent: str) -> tuple[str, int | None]:
    """Splits RUN[/STREAM] into the run and the stream's number."""
    run, _, stream = agent.partition("/")
    if not stream:
        return run, None
    if not (stream.isascii() and stream.isdecimal() and len(stream) < 10):
        raise click.UsageError(f"not a stream number: {stream}")
    return run, int(stream)
