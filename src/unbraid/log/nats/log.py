"""Opens a log on NATS."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack

from unbraid.log.nats.connection import NatsConnection, parse_address
from unbraid.log.nats.journal import NatsJournal
from unbraid.log.port import LogUnusable
from unbraid.log.replicated.copy import JournalCopy
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.system.home import data_folder


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
        path = address.view_path(env)
        # What concerns this machine alone is where its other logs have it, or beside a copy
        # elsewhere.
        local = data_folder(env) if address.view is None else path.with_name(f"{path.name}.local")
        async with AsyncExitStack() as stack:
            connection = await NatsConnection.open(address, even_away=even_away)
            stack.push_async_callback(connection.close)
            journal = NatsJournal(connection, local)
            try:
                await journal.prepare()
            except LogUnusable as error:
                if not (even_away and error.reason == "away"):
                    raise
            copy = await JournalCopy.open(path, journal)
            stack.pop_all()
        log = cls(journal, copy)
        await log.catch_up()
        return log
