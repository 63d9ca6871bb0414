"""What `unbraid doctor` says of a log on NATS, and what to change."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

from unbraid.errors import LogError
from unbraid.log.nats.connection import NatsConnection, NoAnswer, Refused
from unbraid.log.nats.leases import Bucket
from unbraid.log.nats.stream import REPLICAS
from unbraid.log.port import LogFinding
from unbraid.timings import NATS_REQUEST_TIMEOUT_SECONDS

# Clocks that are further apart than this make times of events that do not fit together.
CLOCK_SKEW_SECONDS = 5.0

# What a message of ours may have, headers included.
LEAST_PAYLOAD = 1 << 20
FULL_SHARE = 0.8


async def nats_findings(
    connection: NatsConnection, stream: str, bucket: Bucket
) -> list[LogFinding]:
    """Returns what is well and what is not."""
    try:
        info = await connection.ask(f"STREAM.INFO.{stream}")
        account = await connection.ask("INFO")
    except (Refused, NoAnswer) as error:
        problem = f"JetStream does not answer: {error}"
        return [LogFinding("log", False, problem, advice="enable JetStream, and wait for a leader")]
    found = [_server(connection), _replicas(info), _space(info, account), _clock(info)]
    found.append(await _durability(connection))
    try:
        await bucket.get("run.doctor")
        found.append(LogFinding("leases", True, "can be read"))
    except LogError as error:
        advice = f"allow this user $JS.API.> and $KV.{stream}_LEASES.>"
        found.append(LogFinding("leases", False, str(error), advice=advice))
    return found


def _server(connection: NatsConnection) -> LogFinding:
    version, payload = connection.server_version, connection.client.max_payload
    text = ".".join(map(str, version))
    if payload < LEAST_PAYLOAD:
        return LogFinding(
            "nats-server", False, f"{text}, messages of {payload} bytes", advice="max_payload: 1MB"
        )
    advice = "use 2.15.1 or later: it acknowledges several times as fast"
    return LogFinding("nats-server", True, text, advice=advice if version < (2, 15, 1) else None)


def _replicas(info: dict[str, Any]) -> LogFinding:
    wanted, cluster = info["config"]["num_replicas"], info.get("cluster") or {}
    peers = cluster.get("replicas") or []
    current = [peer for peer in peers if peer.get("current") and not peer.get("offline")]
    if wanted < REPLICAS:
        advice = "a node that is lost takes the log with it: see docs/how-to/machines.md"
        return LogFinding("replicas", False, f"{wanted} of {REPLICAS}", advice=advice)
    here = len(current) + 1
    advice = "start the nodes that are missing, and wait until they have caught up"
    text = f"{here} of {wanted} current, led by {cluster.get('leader', 'nobody')}"
    return LogFinding("replicas", here >= wanted, text, advice=None if here >= wanted else advice)


def _space(info: dict[str, Any], account: dict[str, Any]) -> LogFinding:
    state, limits = info["state"], account.get("limits") or {}
    text = f"{state['messages']} records, {state['bytes'] / 1e6:.0f} MB"
    used = (
        (state["bytes"], info["config"].get("max_bytes", -1)),
        (account.get("storage", 0), limits.get("max_storage", -1)),
    )
    share = max((size / most for size, most in used if most > 0), default=0.0)
    if share > FULL_SHARE:
        advice = "give JetStream more space, or keep less: `unbraid serve --keep-days`"
        return LogFinding("space", False, f"{text}; {share:.0%} of its limit", advice=advice)
    return LogFinding("space", True, text)


def _clock(info: dict[str, Any]) -> LogFinding:
    try:
        there = datetime.fromisoformat(f"{info['ts'][:19]}+00:00").timestamp()
    except (KeyError, ValueError):
        return LogFinding("clock", True, "not known")
    skew = abs(time.time() - there)
    text = f"{skew:.0f} s apart"
    advice = "set the clocks by NTP: times of events would not fit together"
    is_well = skew < CLOCK_SKEW_SECONDS
    return LogFinding("clock", is_well, text, advice=None if is_well else advice)


async def _durability(connection: NatsConnection) -> LogFinding:
    """Returns whether nodes write to the disk before they acknowledge, which only their monitors
    report.
    """
    monitor = connection.address.monitor
    if monitor is None:
        advice = "add ?monitor=HOST:8222 to the address to have sync_interval: always checked"
        return LogFinding("durability", True, "not proven", advice=advice)
    import httpx

    from unbraid.system.http import HTTP_ERRORS, client_options, reason_of

    url = f"{monitor if '://' in monitor else f'http://{monitor}'}/jsz?config=1"
    try:
        options = client_options(url)
        async with httpx.AsyncClient(timeout=NATS_REQUEST_TIMEOUT_SECONDS, **options) as client:
            config = (await client.get(url)).json().get("config") or {}
    except (*HTTP_ERRORS, ValueError) as error:
        problem = f"the monitor does not answer: {reason_of(error)}"
        return LogFinding("durability", False, problem)
    if config.get("sync_always"):
        return LogFinding("durability", True, "every record is on disk before it is acknowledged")
    advice = "jetstream { sync_interval: always }: a power cut of all nodes could cost the log"
    return LogFinding("durability", False, "records are written to disk later", advice=advice)
