"""The options of commands that send traces to a collector beside their work."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from unbraid.send.otel_sender import Traces

F = TypeVar("F", bound=Callable[..., Any])

content_option = click.option(
    "--content", is_flag=True, help="Include texts, tool inputs and results, redacted."
)


def otlp_options(command: F) -> F:
    """Adds --otlp and --otlp-content to a command."""
    otlp = click.option(
        "--otlp",
        metavar="URL",
        help="Send traces to this OpenTelemetry collector.  [env var: OTEL_EXPORTER_OTLP_ENDPOINT]",
    )
    content = click.option(
        "--otlp-content", is_flag=True, help="Include texts and tool inputs in traces, redacted."
    )
    return otlp(content(command))


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
    from unbraid.send.otel_exporter import collector_of, usable
    from unbraid.send.otel_sender import Traces

    collector = usable(collector_of(otlp, env), env, warn)
    if collector is None:
        return None
    parent = TraceParent.parse(env.get("TRACEPARENT")) if joins else None
    name = str(log or configured_log(env))
    return Traces(collector, data_folder(env), name, warn=warn, content=content, parent=parent)
