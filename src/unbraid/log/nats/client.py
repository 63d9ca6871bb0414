"""The client of NATS, with what a log needs of it beyond what it offers.

Messages that come by the thousand go to their receiver at once: by the client's own way, each costs
a queue, a turn of a task, and a reader of headers that looks at every letter. And no message ends
the connection: the client's reader gives up at letters that are no UTF-8, which a stream would
deliver again and again. Publishing a message alone costs a turn of its own: many go out together.

The client has no public way to any of this, so its private methods are overridden here and nowhere
else, and only the version that they were read in is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from nats.aio.client import Client, __version__
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import ConnectionReconnectingError

from unbraid.log.nats.message import message_headers

# As in `pyproject.toml`. Another program's needs may have brought another one.
VERSION = "2.16"
if __version__ != VERSION and not __version__.startswith(f"{VERSION}."):
    raise ImportError(f"nats-py {__version__} is installed, not {VERSION}", name="nats")


class NatsMessage(NamedTuple):
    """A message as it has come, with its headers."""

    subject: str
    reply: str
    data: bytes
    headers: dict[str, str]


Receiver = Callable[[NatsMessage], None]


class NatsClient(Client):
    """The client, with direct receivers and many messages in one write."""

    def __init__(self) -> None:
        super().__init__()
        self._receivers: dict[int, Receiver] = {}

    async def receive(self, subject: str, receiver: Receiver) -> Subscription:
        """Subscribes to a subject on which nothing is sent before we ask for it. The receiver must
        not raise.
        """
        subscription = await self.subscribe(subject)
        self._receivers[subscription._id] = receiver
        return subscription

    async def send_all(self, messages: Sequence[tuple[str, bytes, dict[str, str]]]) -> None:
        """Publishes messages with headers, each given as subject, payload and headers, that need no
        check: ours, and small.
        """
        if not self.is_connected:
            raise ConnectionReconnectingError
        await self._send_command(b"".join([_published(*each) for each in messages]))
        await self._flush_pending()

    def _remove_sub(self, sid: int, max_msgs: int = 0) -> None:
        self._receivers.pop(sid, None)
        super()._remove_sub(sid, max_msgs)

    async def _process_msg(
        self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes
    ) -> None:
        receiver = self._receivers.get(sid)
        if receiver is None:
            await super()._process_msg(sid, subject, reply, data, headers)
            return
        found = message_headers(headers) if headers else {}
        receiver(NatsMessage(_text(subject), _text(reply), data, headers=found))

    async def _process_headers(self, headers: bytes) -> dict[str, str] | None:
        return message_headers(headers) if headers else None

    def _build_message(
        self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: dict[str, str] | None
    ) -> Msg:
        return Msg(self, _text(subject), _text(reply), data, headers, _sid=sid)


def _published(subject: str, payload: bytes, headers: dict[str, str]) -> bytes:
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    before = f"NATS/1.0\r\n{lines}\r\n"
    # All of it is ASCII: a letter is a byte.
    sizes = f"{len(before)} {len(before) + len(payload)}"
    return b"%b%b\r\n" % (f"HPUB {subject} {sizes}\r\n{before}".encode(), payload)


def _text(name: bytes) -> str:
    return name.decode(errors="replace")
