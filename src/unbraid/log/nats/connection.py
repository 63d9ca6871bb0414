"""The connection to NATS, and requests to JetStream over it, with its errors in our words."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Any

import msgspec
from msgspec import Struct
from nats.aio.client import Client
from nats.errors import AuthorizationError, Error, NoRespondersError

from unbraid.log.nats.address import NatsAddress
from unbraid.log.port import LogUnusable
from unbraid.timings import (
    NATS_CONNECT_TIMEOUT_SECONDS,
    NATS_OPEN_TIMEOUT_SECONDS,
    NATS_PING_SECONDS,
    NATS_RECONNECT_SECONDS,
    NATS_REQUEST_TIMEOUT_SECONDS,
)

OLDEST_SERVER = (2, 12)
# What a client may hold while it is not connected; what does not fit is sent again later.
PENDING_BYTES = 4 << 20


class JetStreamProblem(Struct):
    """An error of JetStream."""

    code: int = 0
    err_code: int = 0
    description: str = ""


class _Answer(Struct):
    error: JetStreamProblem | None = None


class Refused(Exception):
    """JetStream has answered with an error."""

    def __init__(self, problem: JetStreamProblem) -> None:
        super().__init__(problem.description)
        self.problem = problem


class Away(Exception):
    """No answer: whether the request has had an effect is not known."""


_answer = msgspec.json.Decoder(_Answer).decode


class NatsConnection:
    """A connection that comes back by itself. Made by `NatsConnection.open`."""

    def __init__(self, client: Client, address: NatsAddress) -> None:
        self.client, self.address = client, address
        self.place = address.shown

    @classmethod
    async def open(cls, address: NatsAddress) -> NatsConnection:
        """Connects; raises LogUnusable with what is wrong, within seconds."""
        client = Client()
        problems: list[Exception] = []
        refused = asyncio.Event()

        async def note(error: Exception) -> None:
            # A server that refuses hangs up as well: the reason counts, not the lost connection.
            if not refused.is_set():
                problems[:] = [error]
            if _is_final(error):
                refused.set()

        # The defaults would hide a dead link for minutes, and then give up.
        options: dict[str, Any] = {
            "connect_timeout": NATS_CONNECT_TIMEOUT_SECONDS,
            "ping_interval": NATS_PING_SECONDS,
            "max_outstanding_pings": 2,
            "reconnect_time_wait": NATS_RECONNECT_SECONDS,
            "max_reconnect_attempts": -1,
            "pending_size": PENDING_BYTES,
        }
        if address.user is not None:
            options |= {"user": address.user, "password": address.password or ""}
        if address.creds is not None:
            options["user_credentials"] = address.creds
        if address.tls:
            options["tls"] = _tls_context(address)
        # The client itself would try for ever.
        attempt = asyncio.create_task(
            client.connect(address.servers, name="unbraid", error_cb=note, **options)
        )
        refusal = asyncio.create_task(refused.wait())
        await asyncio.wait(
            (attempt, refusal),
            timeout=NATS_OPEN_TIMEOUT_SECONDS,
            return_when=asyncio.FIRST_COMPLETED,
        )
        refusal.cancel()
        if not attempt.done() or attempt.exception() is not None:
            attempt.cancel()
            with contextlib.suppress(Exception, asyncio.CancelledError):
                await attempt
            with contextlib.suppress(Exception):
                await client.close()
            raise _unusable(address, problems[-1] if problems else TimeoutError())
        connection = cls(client, address)
        version = client.connected_server_version
        if (version.major, version.minor) < OLDEST_SERVER:
            await connection.close()
            problem = f"nats-server {version.major}.{version.minor} is too old: 2.12 is the least"
            raise LogUnusable(address.shown, "io", problem)
        return connection

    @property
    def server_version(self) -> tuple[int, int, int]:
        """The version of the node that we are connected to."""
        version = self.client.connected_server_version
        return version.major, version.minor, version.patch

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection now."""
        return self.client.is_connected

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        *,
        headers: dict[str, str] | None = None,
        seconds: float = NATS_REQUEST_TIMEOUT_SECONDS,
    ) -> bytes:
        """Sends a request to JetStream; returns its answer. Raises Refused, or Away."""
        try:
            message = await self.client.request(subject, payload, timeout=seconds, headers=headers)
        except (TimeoutError, NoRespondersError, Error, OSError) as error:
            raise Away(str(error) or type(error).__name__) from error
        if message.headers and message.headers.get("Status") == "503":
            raise Away("no responders")
        try:
            answer = _answer(message.data)
        except msgspec.MsgspecError as error:
            raise Away("not an answer of JetStream") from error
        if answer.error is not None:
            raise Refused(answer.error)
        return message.data

    async def send(self, subject: str, payload: bytes, *, headers: dict[str, str]) -> None:
        """Sends a message that nobody answers. Raises Away."""
        try:
            await self.client.publish(subject, payload, headers=headers)
        except (Error, OSError) as error:
            raise Away(str(error) or type(error).__name__) from error

    async def ask(self, subject: str, body: object = None) -> dict[str, Any]:
        """Asks the JetStream API; returns the answer. Raises Refused, or Away."""
        payload = b"" if body is None else msgspec.json.encode(body)
        answer = await self.request(f"$JS.API.{subject}", payload)
        return msgspec.json.decode(answer, type=dict[str, Any])

    def unusable(self, error: Refused | Away) -> LogUnusable:
        """Returns an error of ours for one of theirs."""
        if isinstance(error, Away):
            return LogUnusable(self.place, "away", f"cannot be reached ({error})")
        return LogUnusable(self.place, "io", f"refuses: {error}")

    async def close(self) -> None:
        """Closes the connection, for good."""
        with contextlib.suppress(Exception):
            await self.client.close()


def _tls_context(address: NatsAddress) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=address.tls_ca)
        if address.tls_cert is not None:
            context.load_cert_chain(address.tls_cert, address.tls_key)
    except (OSError, ssl.SSLError) as error:
        raise LogUnusable(
            address.shown, "io", f"its certificates cannot be read: {error}"
        ) from None
    return context


def _is_final(error: Exception) -> bool:
    """Returns whether trying again would change nothing."""
    text = str(error).lower()
    return isinstance(error, (AuthorizationError, ssl.SSLError)) or "authorization" in text


def _unusable(address: NatsAddress, error: Exception) -> LogUnusable:
    if _is_final(error) and not isinstance(error, ssl.SSLError):
        return LogUnusable(address.shown, "refused", "wrong user, password or credentials")
    if isinstance(error, ssl.SSLError):
        detail = error.reason or str(error)
        return LogUnusable(address.shown, "refused", f"its certificate is not accepted ({detail})")
    detail = str(error) or type(error).__name__
    return LogUnusable(address.shown, "away", f"cannot be reached ({detail})")
