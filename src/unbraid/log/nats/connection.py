"""The connection to NATS: its address, taken from a URL, and requests to JetStream, with its errors
in our words.

    nats://[credentials@]host[:port][,host…][/STREAM][?view=FILE&tls_ca=FILE&creds=FILE&…]

`tls://` encrypts, and is a must beyond this machine: agents' words and a password go over the wire.
A name or password in the URL is never shown again.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import ipaddress
import logging
import re
import ssl
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec
from msgspec import Struct
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import AuthorizationError, Error, NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError

from unbraid.errors import CallerError
from unbraid.log.port import LogUnusable
from unbraid.system.home import data_folder
from unbraid.system.tasks import end_task
from unbraid.timings import NATS_REQUEST_TIMEOUT_SECONDS

# A person who opens a log wants to know within moments that it cannot be reached.
NATS_OPEN_TIMEOUT_SECONDS = 3.0
NATS_CONNECT_TIMEOUT_SECONDS = 1
# A link that died in silence is noticed after two of these.
NATS_PING_SECONDS = 2
NATS_RECONNECT_SECONDS = 0.1

STREAM = "UNBRAID"
PORT = 4222
FOLDER = "views"
_OPTIONS = frozenset(
    ("view", "monitor", "tls_ca", "tls_cert", "tls_key", "creds", "password_file", "insecure")
)
_STREAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")


class NatsAddress(Struct, frozen=True):
    """A stream of a NATS cluster, and how to get there."""

    hosts: tuple[str, ...]
    stream: str = STREAM
    user: str | None = None
    password: str | None = None
    tls: bool = False
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    creds: str | None = None
    password_file: str | None = None
    monitor: str | None = None
    view: str | None = None

    @property
    def scheme(self) -> str:
        """What its URLs begin with."""
        return "tls://" if self.tls else "nats://"

    @property
    def shown(self) -> str:
        """The address as people may see it."""
        return f"{self.scheme}{','.join(self.hosts)}/{self.stream}"

    @property
    def prefix(self) -> str:
        """What all subjects of this log begin with."""
        return self.stream.lower()

    def view_path(self, env: Mapping[str, str]) -> Path:
        """Returns the file of this machine's copy."""
        if self.view is not None:
            return Path(self.view)
        address = "\n".join((self.stream, *sorted(self.hosts)))
        name = f"{self.stream}-{hashlib.sha256(address.encode()).hexdigest()[:12]}.db"
        return data_folder(env) / FOLDER / name


def parse_address(url: str) -> NatsAddress:
    """Returns what a URL says. Raises CallerError, without the secrets in it."""
    scheme, _, rest = url.partition("://")
    userinfo, _, rest = rest.rpartition("@")
    parts = urlsplit(f"//{rest}")
    address, _, path = rest.partition("?")[0].partition("/")
    try:
        hosts = _hosts(address)
        query = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        raise _refused(address, str(error)) from None
    options = dict(query)
    if unknown := sorted(options.keys() - _OPTIONS):
        raise _refused(address, f"unknown option {unknown[0]!r}")
    stream = path or STREAM
    if not _STREAM.fullmatch(stream):
        raise _refused(address, "the name of a stream has letters, digits, - and _")
    user, _, password = userinfo.partition(":")
    tls = scheme.lower() == "tls" or "tls_ca" in options
    insecure = options.pop("insecure", "") == "1"
    if not (tls or insecure or all(_is_loopback(host) for host in hosts)):
        problem = "give tls:// beyond this machine (or ?insecure=1 in a network of your own)"
        raise _refused(address, problem)
    return NatsAddress(
        hosts=hosts,
        stream=stream,
        user=unquote(user) or None,
        password=unquote(password) or None,
        tls=tls,
        **options,
    )


def _hosts(address: str) -> tuple[str, ...]:
    found = [_HOST.fullmatch(each) for each in address.split(",")]
    if not all(found):
        raise ValueError("specify the hosts of its nodes: host:port,host:port")
    named = [(each[1], each[2]) for each in found if each is not None]
    # `a,b,c:4223` means that port for all.
    last = named[-1][1] or str(PORT)
    return tuple(f"{host}:{port or last}" for host, port in named)


def _is_loopback(host: str) -> bool:
    name = host.rpartition(":")[0].strip("[]")
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _refused(address: str, problem: str) -> CallerError:
    return CallerError(f"cannot open a log at nats://{address}: {problem}")


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


class Refused(LogUnusable):
    """JetStream has answered with an error."""

    def __init__(self, address: str, problem: JetStreamProblem) -> None:
        super().__init__(address, "io", f"refuses: {problem.description}")
        self.problem, self.why = problem, problem.description


class NoAnswer(LogUnusable):
    """No answer: whether the request has had an effect is not known."""

    def __init__(self, address: str, why: str) -> None:
        super().__init__(address, "away", f"cannot be reached ({why})")
        self.why = why


_answer = msgspec.json.Decoder(_Answer).decode


class _Requests:
    """The requests that wait for their answers, which all come over one subscription.

    The client's own requests cost as much again as the message itself: a random name, a task and a
    timer each. Here they are counted under one random name.
    """

    def __init__(self, client: Client, address: str) -> None:
        self._client, self._address = client, address
        self._waiting: dict[str, tuple[str, asyncio.Future[Msg]]] = {}
        self._numbers = count(1)
        self._inbox = client.new_inbox()
        self._listening: asyncio.Task[object] | None = None

    async def ask(
        self, subject: str, payload: bytes, *, headers: dict[str, str] | None, seconds: float
    ) -> Msg:
        """Returns the answer. Raises an error of the client, TimeoutError if no answer comes."""
        if self._listening is None or not self._listening.done():
            await self._listen()
        loop = asyncio.get_running_loop()
        number = str(next(self._numbers))
        answer: asyncio.Future[Msg] = loop.create_future()
        self._waiting[number] = subject.lower(), answer
        timer = loop.call_later(seconds, _expire, answer)
        try:
            reply = f"{self._inbox}.{number}"
            await self._client.publish(subject, payload, reply=reply, headers=headers)
            return await answer
        finally:
            timer.cancel()
            del self._waiting[number]

    def give_up(self) -> None:
        """Makes every caller that waits for an answer ask again: the connection is gone, and the
        answers with it.
        """
        for _, answer in self._waiting.values():
            _expire(answer)

    def refuse(self, violation: str) -> None:
        """Raises Refused in the callers that wait for an answer that will not come: a violation
        names, in small letters, the subject of a request or the inbox of all answers.
        """
        inbox = f'"{self._inbox.lower()}.*"'
        error = JetStreamProblem(403, description=violation.removeprefix("nats: "))
        for subject, answer in self._waiting.values():
            if not answer.done() and (f'"{subject}"' in violation or inbox in violation):
                answer.set_exception(Refused(self._address, error))

    async def _listen(self) -> None:
        if self._listening is None:
            subscribing = self._client.subscribe(f"{self._inbox}.*", cb=self._receive)
            self._listening = asyncio.create_task(subscribing)
        try:
            await asyncio.shield(self._listening)
        except (Error, OSError):
            self._listening = None
            raise

    async def _receive(self, message: Msg) -> None:
        _, answer = self._waiting.get(message.subject.rpartition(".")[2], ("", None))
        if answer is not None and not answer.done():
            answer.set_result(message)


def _expire(answer: asyncio.Future[Msg]) -> None:
    if not answer.done():
        answer.set_exception(NatsTimeoutError())


class NatsConnection:
    """A connection that comes back by itself. Made by `NatsConnection.open`."""

    def __init__(self, address: NatsAddress) -> None:
        self.client, self.address = Client(), address
        self._requests = _Requests(self.client, address.shown)
        self._refused = asyncio.Event()
        self._error: Exception = TimeoutError()
        self._was_made = False
        # The first attempt continues until it succeeds or is ended: the client tries without end.
        self._attempt = asyncio.create_task(
            self.client.connect(
                [f"{address.scheme}{host}" for host in address.hosts],
                name="unbraid",
                error_cb=self._report,
                disconnected_cb=self._disconnected,
                reconnected_cb=self._reconnected,
                **_options(address),
            )
        )

    @classmethod
    async def open(cls, address: NatsAddress, *, even_away: bool = False) -> NatsConnection:
        """Connects; raises LogUnusable with what is wrong, within seconds. With `even_away`, nodes
        that are only away are waited for, behind the returned connection.
        """
        connection = cls(address)
        refusal = asyncio.create_task(connection._refused.wait())
        try:
            await asyncio.wait(
                (connection._attempt, refusal),
                timeout=NATS_OPEN_TIMEOUT_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            problem = connection._problem()
            if problem is not None and not (even_away and problem.reason == "away"):
                raise problem
        except BaseException:
            await connection.close()
            raise
        finally:
            refusal.cancel()
        return connection

    async def _disconnected(self) -> None:
        self._requests.give_up()

    async def _reconnected(self) -> None:
        self._refused.clear()

    async def _report(self, error: Exception) -> None:
        if "permissions violation" in str(error).lower():
            # The request itself is never answered.
            self._requests.refuse(str(error).lower())
            return
        # A server that refuses hangs up as well: the reason counts, not the lost connection.
        if not self._refused.is_set():
            self._error = error
        if _is_final(error):
            self._refused.set()

    def _problem(self) -> LogUnusable | None:
        """Returns why there never was a connection; None if there was one."""
        if not self._attempt.done() or self._attempt.exception() is not None:
            return _unusable(self.address, self._error)
        if self.server_version[:2] < OLDEST_SERVER:
            version = ".".join(map(str, self.server_version[:2]))
            text = f"nats-server {version} is too old: 2.12 is the least"
            return LogUnusable(self.address.shown, "io", text)
        return None

    def _last_error(self) -> str:
        if _is_final(self._error):
            return _unusable(self.address, self._error).detail
        return str(self._error) or type(self._error).__name__

    def check_made(self) -> None:
        """Raises NoAnswer as long as there never was a connection, LogUnusable if there will be
        none. What the client is given before that, it would lose.
        """
        if not self._was_made:
            if (problem := self._problem()) is not None:
                raise problem
            self._was_made = True

    @property
    def server_version(self) -> tuple[int, int, int]:
        """The version of the node that we are connected to."""
        version = self.client.connected_server_version
        return version.major, version.minor, version.patch

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        *,
        headers: dict[str, str] | None = None,
        seconds: float = NATS_REQUEST_TIMEOUT_SECONDS,
    ) -> bytes:
        """Sends a request to JetStream; returns its answer. Raises Refused, or NoAnswer."""
        self.check_made()
        try:
            message = await self._requests.ask(subject, payload, headers=headers, seconds=seconds)
        except (TimeoutError, NoRespondersError, Error, OSError) as error:
            # No answer comes without a connection: what keeps that away is the reason.
            away = "" if self.client.is_connected else self._last_error()
            raise self._no_answer(away or str(error) or type(error).__name__) from error
        if (message.headers or {}).get("Status") == "503":
            raise self._no_answer("no responders")
        try:
            answer = _answer(message.data)
        except msgspec.MsgspecError as error:
            raise self._no_answer("not an answer of JetStream") from error
        if answer.error is not None:
            raise Refused(self.address.shown, answer.error)
        return message.data

    async def send(self, *messages: tuple[str, bytes, dict[str, str]]) -> None:
        """Sends messages without an answer, by subject, payload and headers. Raises NoAnswer."""
        self.check_made()
        if not self.client.is_connected:
            raise self._no_answer(self._last_error())
        try:
            for subject, payload, headers in messages:
                await self.client.publish(subject, payload, headers=headers)
        except (Error, OSError) as error:
            raise self._no_answer(str(error) or type(error).__name__) from error

    async def ask(self, subject: str, body: object = None) -> dict[str, Any]:
        """Asks the JetStream API; returns the answer. Raises Refused, or NoAnswer."""
        payload = b"" if body is None else msgspec.json.encode(body)
        answer = await self.request(f"$JS.API.{subject}", payload)
        return msgspec.json.decode(answer, type=dict[str, Any])

    def _no_answer(self, why: str) -> NoAnswer:
        return NoAnswer(self.address.shown, why)

    async def close(self) -> None:
        """Closes the connection, for good."""
        await end_task(self._attempt)
        with contextlib.suppress(Exception):
            await self.client.close()


def _options(address: NatsAddress) -> dict[str, Any]:
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
        options |= {"user": address.user, "password": _password(address)}
    if address.creds is not None:
        options["user_credentials"] = address.creds
    if address.tls:
        options["tls"] = _tls_context(address)
    return options


def _password(address: NatsAddress) -> str:
    if address.password_file is None:
        return address.password or ""
    path = Path(address.password_file)
    try:
        if path.stat().st_mode & 0o077:
            problem = f"others can read the password in {path}: chmod 600 it"
            raise LogUnusable(address.shown, "refused", problem)
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "no text"
        raise LogUnusable(address.shown, "refused", f"no password in {path}: {reason}") from None


def _tls_context(address: NatsAddress) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=address.tls_ca)
        if address.tls_cert is not None:
            context.load_cert_chain(address.tls_cert, address.tls_key)
    except (OSError, ssl.SSLError) as error:
        raise LogUnusable(
            address.shown, "io", f"its certificates cannot be read: {error}"
        ) from None
    logging.getLogger("asyncio").addFilter(_is_no_farewell)
    return context


def _is_no_farewell(record: logging.LogRecord) -> bool:
    # The client goes over to TLS in a way that asyncio warns of whenever a connection ends: a line
    # for the person in front of every command.
    return record.msg != "returning true from eof_received() has no effect when using ssl"


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
    return NoAnswer(address.shown, str(error) or type(error).__name__)
