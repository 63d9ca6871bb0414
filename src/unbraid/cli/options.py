"""The options that several commands have, and the types of their arguments."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unbraid.errors import LogError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from unbraid.fold.alerts.budget import RunLimits
    from unbraid.log.port import Log, WholeLogReader
    from unbraid.read.tracks import RunTracks, Track
    from unbraid.send.delivery import RunDelivery
    from unbraid.send.otel import Traces

F = TypeVar("F", bound=Callable[..., Any])

# A shell shows a page of them at most.
COMPLETED_RUNS = 100
# What a log can hold, and how long anything can wait.
MOST = 2**63 - 1
MOST_SECONDS = 1e6


def _together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Returns what adds several options to a command."""

    def added(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return added


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
    callback=lambda context, parameter, urls: _checked_urls(urls),
    help="A running OpenCode server.",
)


def _checked_urls(urls: tuple[str, ...]) -> tuple[str, ...]:
    if not urls:
        return ()
    from unbraid.log.remote.ingest import checked_url

    return tuple(map(checked_url, urls))


class FiniteRange(click.FloatRange):
    """A number in a range; not "nan", which no comparison keeps out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the number, or a usage error."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class Quantity(click.ParamType):  # type: ignore[type-arg]
    """Numbers with units: `90d`, `2GB`. One without a unit counts the first one."""

    def __init__(self, name: str, units: Mapping[str, float]) -> None:
        self.name, self._units = name, units

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the number in the smallest sense of its unit, or a usage error."""
        from unbraid.screen import amount

        first = next(iter(self._units))
        found = amount(str(value) if str(value)[-1:].isalpha() else f"{value}{first}", self._units)
        if found is None:
            known = ", ".join(self._units)
            self.fail(f"{value} is not a number with one of the units {known}.", param, ctx)
        return min(found, MOST)


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


MOST_TOKENS = 10**12
TIME = Quantity("time", {"m": 60, "s": 1, "h": 3600})


budget_options = _together(
    click.option("--max-cost", type=FiniteRange(0, 1e6), help="Stop at this cost, in US dollars."),
    click.option(
        "--max-tokens", type=click.IntRange(1, MOST_TOKENS), help="Stop at this many tokens."
    ),
    click.option("--max-time", type=TIME, help="Stop after this long: 30m, 90s, 2h."),
    click.option(
        "--max-agents", type=click.IntRange(1, MOST_TOKENS), help="Stop if there are more agents."
    ),
)


def limits_of(
    *,
    max_cost: float | None,
    max_tokens: int | None,
    max_time: float | None,
    max_agents: int | None,
) -> RunLimits | None:
    """Returns the limits that were given; None if none was."""
    if max_cost is max_tokens is max_time is max_agents is None:
        return None
    from unbraid.fold.alerts.budget import RunLimits

    return RunLimits(cost_usd=max_cost, tokens=max_tokens, seconds=max_time, agents=max_agents)


token_option = click.option(
    "--token", envvar="UNBRAID_TOKEN", show_envvar=True, help="The access token of that server."
)


token_file_option = click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="UNBRAID_TOKEN_FILE",
    show_envvar=True,
    help="A file with the access token of that server, instead of UNBRAID_TOKEN.",
)


destination_options = _together(
    click.option("--to", metavar="URL", help="Also send the run to the server at this address."),
    token_option,
    click.option(
        "--linger",
        type=FiniteRange(0, MOST_SECONDS),
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait at the end until everything has arrived.",
    ),
)


def token_of(file: Path | None) -> str | None:
    """Returns the token of a server, from a file or else from the environment."""
    if file is None:
        return os.environ.get("UNBRAID_TOKEN") or None
    from unbraid.errors import CallerError

    try:
        if os.name == "posix" and file.stat().st_mode & 0o077:
            raise CallerError(f"other users can read the token in {file}: run `chmod 600` on it")
        token = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a token"
        raise CallerError(f"{file}: {reason}") from None
    if not token or len(token.split()) != 1:
        raise CallerError(f"{file} has no token in it")
    return token


def destination_of(
    to: str | None,
    token: str | None,
    linger: float,
    warn: Callable[[str], None],
    *,
    redact: bool,
) -> RunDelivery | None:
    """Returns where to send the run, from the options; None if it is not to be sent."""
    if to is None:
        return None
    from unbraid.send.delivery import Destination, RunDelivery
    from unbraid.system.home import data_folder

    destination = Destination(to, token, home=data_folder(os.environ), redact=redact)
    return RunDelivery(destination, warn, linger_seconds=linger)


content_option = click.option(
    "--content", is_flag=True, help="Include texts, tool inputs and results, redacted."
)


otlp_options = _together(
    click.option(
        "--otlp",
        metavar="URL",
        help="Send traces to this OpenTelemetry collector.  [env var: OTEL_EXPORTER_OTLP_ENDPOINT]",
    ),
    click.option(
        "--otlp-content", is_flag=True, help="Include texts and tool inputs in traces, redacted."
    ),
)


def traces_of(
    otlp: str | None,
    warn: Callable[[str], None],
    *,
    content: bool,
    log: str | None = None,
    joins: bool = False,
) -> Traces | None:
    """Returns how to send traces, from the options and the environment; None if they are not to be
    sent. What `joins` is part of the trace that `TRACEPARENT` names.
    """
    env = os.environ
    names = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    if otlp is None and not any(env.get(name) for name in names):
        return None
    from unbraid.fold.run_trace import TraceParent
    from unbraid.log import configured_log, data_folder
    from unbraid.send.otel import Traces, collector_of, usable

    collector = usable(collector_of(otlp, env), env, warn)
    if collector is None:
        return None
    parent = TraceParent.parse(env.get("TRACEPARENT")) if joins else None
    name = str(log or configured_log(env))
    return Traces(collector, data_folder(env), name, warn=warn, content=content, parent=parent)


redact_option = click.option(
    "--redact", is_flag=True, help="Redact API keys and tokens in the log and everywhere else."
)

showing_option = click.option("--redact", is_flag=True, help="Redact API keys and tokens.")


def redacted_runs(runs: list[RunTracks], *, redact: bool) -> list[RunTracks]:
    """Returns the runs, their sources redacted if that was asked for."""
    if redact:
        for run in runs:
            run.tracks = [track._replace(read=partial(_redacted, track)) for track in run.tracks]
    return runs


def redacted_log(log: Log, *, redact: bool) -> WholeLogReader:
    """Returns the log, redacted if that was asked for."""
    if not redact:
        return log
    # Imported here, because compiling the patterns takes time that only redaction needs.
    from unbraid.redact.reader import RedactedLog

    return RedactedLog(log)


def _redacted(track: Track) -> Iterator[bytes]:
    from unbraid.read.chunk import Chunk
    from unbraid.redact.source import SourceRedactor

    redactor, offset = SourceRedactor(), 0
    for data in track.read():
        yield from (chunk.data for chunk in redactor.redact([Chunk(track.name, offset, data)]))
        offset += len(data)
    yield from (chunk.data for chunk in redactor.rest())
