"""Where traces go: which address, by the options and the environment that OpenTelemetry defines."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from urllib.parse import urlsplit

from msgspec import Struct

from unbraid.errors import CallerError

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
PATH = "/v1/traces"
MISSING = "sending traces needs another package: pip install 'unbraid[otel]'"


class Collector(Struct, frozen=True):
    """A collector's address for traces; `asked` says that a person has named it."""

    url: str
    asked: bool = True


def collector_of(
    endpoint: str | None, env: Mapping[str, str], *, required: bool = False
) -> Collector | None:
    """Returns where to send traces: to `endpoint`, otherwise to where the environment says; None if
    nowhere. Raises CallerError for what is no address, and where one is required.
    """
    if endpoint is not None:
        return Collector(_with_path(_checked(endpoint)))
    exact, general = env.get(TRACES_ENDPOINT), env.get(ENDPOINT)
    if not required and (
        env.get("OTEL_SDK_DISABLED", "").lower() == "true"
        or env.get("OTEL_TRACES_EXPORTER") == "none"
    ):
        return None
    if exact:
        return Collector(_checked(exact), asked=False)
    if general:
        return Collector(_with_path(_checked(general)), asked=False)
    if required:
        raise CallerError(f"no collector: use --endpoint, or set {ENDPOINT}")
    return None


def problem_with(collector: Collector, env: Mapping[str, str]) -> str | None:
    """Returns why nothing can be sent to a collector from here; None if it can."""
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.exporter") is None:
        return MISSING
    names = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    protocol = next((env[name] for name in names if env.get(name)), "http/protobuf")
    if not collector.asked and protocol != "http/protobuf":
        return f"{ENDPOINT} is for {protocol}; traces are sent over http/protobuf only"
    return None


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        raise CallerError(f"not the address of a collector: {url} (as in http://localhost:4318)")
    return url


def _with_path(url: str) -> str:
    return url if url.rstrip("/").endswith(PATH) else url.rstrip("/") + PATH
