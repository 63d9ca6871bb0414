"""How a kind's CLI is made to call us: hooks that a person installs into it.

A hook runs in every session on the machine, ours or not. It finds us by a socket in our private
folder; while no process listens there, it ends at once and says nothing. The caller at the socket
may be an agent itself: nothing that is sent there answers a permission request.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from msgspec import Struct

from unbraid.system.home import data_folder

if TYPE_CHECKING:
    from unbraid.agents.control_port import Attendance

FOLDER = "hooks"
SOCKET_NAME = "hook.sock"
ORDERS_NAME = "orders"
CALLERS_NAME = "callers"
STALLED_NAME = "stalled"


def hook_folder(env: Mapping[str, str]) -> Path:
    """Returns the folder in which hooks find us, by the socket. So that they need not call to know
    that nothing waits for them, a file `orders` is there while a message or a stop waits for some
    session, and `callers` has a file for each session that has called. A hook that got no answer
    leaves a file `stalled`, and no other hook calls until the listening process has removed it.
    """
    return data_folder(env) / FOLDER


class HookState(Struct):
    """Whether hooks are installed into a CLI: `no`, `yes`, `plugin`, or `outdated` (those of
    another version, or for another folder); where; and what is in their way, if anything.
    """

    kind: str
    title: str
    installed: str
    place: str
    problem: str | None = None


class CliHooks(Protocol):
    """Installs hooks into one CLI. Everything here blocks, and raises SourceError if a file of the
    CLI cannot be read or written.
    """

    def is_present(self) -> bool:
        """Returns whether the CLI is used on this machine at all."""
        ...

    def state(self) -> HookState:
        """Returns whether they are installed."""
        ...

    def install(self, *, plugin: bool = False) -> HookState:
        """Installs the hooks, or updates them; as a `plugin` if the CLI has both ways. Returns the
        state after that. Raises CallerError if it cannot.
        """
        ...

    def uninstall(self) -> HookState:
        """Removes what `install` has added, and nothing else. Returns the state after that."""
        ...


class HookCall(Struct, frozen=True):
    """What a hook has sent. Nothing in it is to be believed: an agent can send the same. `process`
    is the CLI's process, by its own account; 0 if it did not say. `version` is how it names itself,
    if it does. `caller` names its session in the folder of callers. A caller with `beats` expects a
    sign of life now and then while it waits for the answer.
    """

    what: str
    body: bytes
    entrypoint: str = ""
    process: int = 0
    version: str = ""
    caller: str = ""
    beats: bool = False


class HookServices(Protocol):
    """What a watch needs of us to answer its hooks. Used in the event loop only."""

    @property
    def attendance(self) -> Attendance:
        """Whether a person answers here."""
        ...

    def look(self, session_id: str) -> None:
        """Makes the watcher look at a session: there is something to record."""
        ...

    async def run_of(self, session_id: str) -> str | None:
        """Returns the run that records a session, as soon as it is followed here; None if it is
        not.
        """
        ...

    async def replied(self, run: str, request_id: str) -> None:
        """Waits until the log of a run says that a permission request was answered."""
        ...

    def note_orders(self, kind: str, *, waits: bool) -> None:
        """Notes whether something waits for sessions of a kind to call."""
        ...


@runtime_checkable
class HookedWatch(Protocol):
    """A watch whose CLI has hooks."""

    @property
    def hook_kind(self) -> str:
        """The name of its kind, by which hooks call."""
        ...

    def use_hooks(self, services: HookServices) -> None:
        """Notes that hooks are listened to from now on."""
        ...

    async def hooked(self, call: HookCall) -> bytes:
        """Returns the answer to a hook, however long that takes. Cancelled if the hook is gone.
        Raises one of `BAD_JSON` if what it sent makes no sense.
        """
        ...
