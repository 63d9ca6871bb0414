"""Answers the plugins in all processes of OpenCode: each polls for orders, and reports results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from unbraid.agents.hook_port import HookCall, HookServices
from unbraid.agents.opencode.places import SESSION_ID
from unbraid.agents.opencode.sessions.controller import ServerController
from unbraid.agents.opencode.sessions.session_tree import SessionTree
from unbraid.agents.order_queue import OrderQueue
from unbraid.errors import SourceError

# A plugin that waits for orders calls again after this, well before it would give up.
PLUGIN_ORDERS_SECONDS = 60.0
# What a plugin is asked to do, it does at once, if its process lives.
PLUGIN_REPLY_TIMEOUT_SECONDS = 10.0

EVENT, ORDERS = "event", "orders"
PERMISSION = "permission."
# Takes a root session and lines of it.
GiveLines = Callable[[str, list[bytes]], None]


class OrderDone(Struct):
    """The result of an order."""

    id: int
    error: str | None = None


class OrdersCall(Struct):
    """A plugin calls for orders. `events` are those of requests and sessions that were there before
    it could call.
    """

    done: list[OrderDone] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)


class PluginLink:
    """One process, by its plugin. What it is asked to do are requests of OpenCode's own server,
    which a plugin can make without a port.
    """

    def __init__(self) -> None:
        self._queue: OrderQueue[dict[str, Any], str | None] = OrderQueue()
        self._fetched = 0

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Has one request made. Raises SourceError if it fails, or if the plugin does not make
        it.
        """
        try:
            error = await self._queue.give(
                lambda number: {"id": number, "path": path, "body": body},
                timeout_seconds=PLUGIN_REPLY_TIMEOUT_SECONDS,
            )
        except TimeoutError:
            error = "its plugin does not answer"
        if error is not None:
            raise SourceError("OpenCode", f"{method} {path}: {error}")

    def note(self, done: Sequence[OrderDone]) -> None:
        """Takes the results of orders."""
        for each in done:
            self._queue.answer(each.id, each.error)

    async def fetch(self) -> bytes:
        """Returns the orders that wait, as soon as there are any; none after a while."""
        orders = await self._queue.fetch(self._fetched, timeout_seconds=PLUGIN_ORDERS_SECONDS)
        self._fetched = max(orders, default=self._fetched)
        return msgspec.json.encode(list(orders.values()))


class EventCall(Struct):
    """An event of OpenCode's, as its plugin got it."""

    event: dict[str, Any]


class PluginReceiver:
    """The processes whose plugins call, and the sessions that they have. `root_of` returns the root
    of a session that is stored, and `give` takes what is to be recorded.
    """

    def __init__(self, root_of: Callable[[str], str], give: GiveLines) -> None:
        self.controllers: dict[str, ServerController] = {}
        self._root_of, self._give = root_of, give
        self._services: HookServices | None = None
        self._links: dict[int, PluginLink] = {}
        self._tree = SessionTree()

    def begin(self, services: HookServices) -> None:
        """Notes that plugins are listened to from now on."""
        self._services = services

    async def take(self, call: HookCall) -> bytes:
        """Returns the answer to a plugin. Raises one of `BAD_JSON` if it makes no sense."""
        if self._services is None or not call.process:
            return b""
        link = self._links.setdefault(call.process, PluginLink())
        if call.what == EVENT:
            self._take_event(msgspec.json.decode(call.body, type=EventCall).event, link)
            return b""
        if call.what != ORDERS:
            return b""
        given = msgspec.json.decode(call.body, type=OrdersCall)
        link.note(given.done)
        for event in given.events:
            self._take_event(event, link)
        return await link.fetch()

    def _take_event(self, event: dict[str, Any], link: PluginLink) -> None:
        line = msgspec.json.encode(event)
        session = self._tree.root_of(line)
        if session is None or SESSION_ID.fullmatch(session) is None or self._services is None:
            return
        root = self._root_of(session)
        controller = self.controllers.get(root)
        if controller is None:
            controller = self.controllers[root] = ServerController(link, root)
        # Another process may have the session now.
        controller.set_server(link)
        kind = event.get("type")
        if isinstance(kind, str) and kind.startswith(PERMISSION):
            self._give(root, [controller.note(line + b"\n")])
        self._services.look(root)
