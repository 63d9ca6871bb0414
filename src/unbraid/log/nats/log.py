"""Opens a log on NATS."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack

from unbraid.log.leases import FileLeases
from unbraid.log.nats.connection import NatsConnection, parse_address
from unbraid.log.nats.journal import NatsJournal
from unbraid.log.nats.leases import Bucket, HolderSightings, NatsLeases
from unbraid.log.nats.machine_requests import NatsMachineRequests
from unbraid.log.nats.stream import REPLICAS
from unbraid.log.port import LogUnusable
from unbraid.log.replicated.copy import JournalCopy, JournalFollower
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.system.home import data_folder, make_private_folder


class NatsLog(ReplicatedLog):
    """A log whose journal is a stream of a NATS cluster."""

    @classmethod
    async def open_url(
        cls, url: str, env: Mapping[str, str], *, even_away: bool = False
    ) -> NatsLog:
        """Connects, checks or creates the stream, and begins to fold it into this machine's copy.
        With `even_away`, all that is done when the nodes can be reached.
        """
        address = parse_address(url)
        async with AsyncExitStack() as stack:
            connection = await NatsConnection.open(address, even_away=even_away)
            stack.push_async_callback(connection.close)
            bucket = Bucket(connection, f"{address.stream}_LEASES", REPLICAS)
            journal = NatsJournal(connection, address.stream, address.prefix, bucket=bucket)
            try:
                await journal.prepare()
            except LogUnusable as error:
                if not (even_away and error.reason == "away"):
                    raise
            path = address.view_path(env)
            view = await JournalCopy.open(path, address.shown)
            follower = JournalFollower(journal, view, path.with_name(f"{path.name}.fold"))
            stack.pop_all()
        # What concerns this machine alone is where its other logs have it, or beside a copy
        # elsewhere.
        folder = data_folder(env) if address.view is None else path.with_name(f"{path.name}.local")
        make_private_folder(folder)

        def note() -> None:
            journal.counts["lease_changes"] += 1

        sightings = HolderSightings()
        log = cls(
            journal,
            view,
            follower,
            leases=lambda: NatsLeases(bucket, FileLeases(folder), sightings, on_change=note),
            requests=NatsMachineRequests(connection, address.prefix),
        )
        await log.catch_up()
        return log
