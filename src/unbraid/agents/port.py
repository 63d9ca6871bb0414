"""What a kind of agent offers to the rest of the program.

A kind is a program that runs agents: Claude Code, OpenCode. Everything that knows one lives in a
folder of its own beside this file, behind an `AgentKind`; all other code asks the registry. A kind
may leave out what it cannot do: its method returns None, and every command works without that part.

Only `Dialect` (in `unbraid.read.dialects`) is pure. The other parts read files, databases and
processes, but none of them knows our log: they exchange chunks of bytes, and offsets. The recorder
(`unbraid.record`) opens the log, says how far it is known (`Recorded`), and commits what comes.
"""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar

from msgspec import Struct, field

from unbraid.agents.source import Recorded as Recorded
from unbraid.agents.source import Source as Source
from unbraid.errors import SourceError
from unbraid.fold.status import WaitingFor
from unbraid.fold.tool_formats import ToolFormat as ToolFormat
from unbraid.read.dialects import Dialect as Dialect
from unbraid.system.home import data_folder

if TYPE_CHECKING:
    from unbraid.agents.agent_spec import AgentSpec
    from unbraid.agents.control_port import Attendance, Controller
    from unbraid.events import RelayEvent
    from unbraid.read.tracks import RunTracks
    from unbraid.read.translator import Translator

Part = TypeVar("Part")


class AgentKind(ABC):
    """One kind of agents. Subclasses override what they offer; nothing here has state."""

    name: str
    """The `source` of its runs, and what people type: `claude`."""

    title: str
    """What people call it: `Claude Code`."""

    program: str = ""
    """The command that starts it, as it is found on PATH; empty if it has none."""

    place_variables: tuple[str, ...] = ()
    """The environment variables that say where its sessions are."""

    agent_folders: tuple[str, ...] = ()
    """Where a project keeps files that describe agents, below the project's folder."""

    home_agent_folders: tuple[str, ...] = ()
    """Where a person keeps such files, below the home folder."""

    tools_like: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    """Its own tools that do what a command of the orchestrator does, by the command's word."""

    steered_command: str = ""
    """What to type so that it can be steered while it works; empty if nothing makes it so."""

    parts: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Which classes the methods below return, by the methods' names: `unbraid_toy.launch:Launcher`.
    They are imported when they are asked for, and are given what the methods are given."""

    @abstractmethod
    def dialect(self) -> Dialect[Any]:
        """Returns a translator of one run's records. Every kind has this; the rest is optional."""

    def tools(self) -> tuple[ToolFormat, ...]:
        """Returns what its tools are for and which argument of a call is what. Of a tool that is
        not there, the first text of a call is shown.
        """
        return ()

    def without_notes(self, text: str, *, of_agent: bool) -> str:
        """Returns the result of a call without what the CLI has added for the model alone;
        `of_agent` if an agent was called, and not a tool.
        """
        return text

    def sessions(self, env: Mapping[str, str]) -> SessionStore | None:
        """Returns its stored sessions on this machine."""
        return self._part("sessions", env)

    def files(self) -> FileFormats | None:
        """Returns what its sessions look like in files; by default, lines that its dialect can
        decode.
        """
        return self._part("files")

    def launcher(self, env: Mapping[str, str]) -> Launcher | None:
        """Returns how its programs are started, and its sessions continued."""
        return self._part("launcher", env)

    def backend(self, env: Mapping[str, str], cwd: Path) -> Backend | None:
        """Returns how the orchestrator runs one of its agents."""
        return self._part("backend", env=env, cwd=cwd)

    def hooks(self, env: Mapping[str, str]) -> CliHooks | None:
        """Returns what installs hooks into its CLI; None if the CLI has no hooks."""
        return self._part("hooks", env)

    def _part(self, name: str, *given: Any, **named: Any) -> Part | None:
        module, _, made = self.parts.get(name, "").partition(":")
        part: Part | None = None
        if module:
            part = getattr(import_module(module), made)(*given, **named)
        return part

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        """Returns what `unbraid doctor` should say about it."""
        return []


# --- stored sessions ---


class StoredSession(NamedTuple):
    """A session as it is stored now.

    `version` differs from before whenever something that is stored of it may have changed, and
    `changed_ms` is when that was. `translate` lets a translator read it, and yields what that
    returns; it reports what it had to leave out because that could not be read. A kind leaves out
    what cannot change anything that a list shows. `is_copy`: it begins
    as another session does, and counts only if it has gone on by itself. `size` is in bytes.
    """

    session_id: str
    changed_ms: int
    version: int
    translate: Callable[[Translator, Callable[[str], None]], Iterator[list[RelayEvent]]]
    size: int = 0
    is_copy: bool = False


def translate_run(
    run: RunTracks, translator: Translator, warn: Callable[[str], None]
) -> Iterator[list[RelayEvent]]:
    """Lets a translator read all of a run; yields what it returns. What cannot be read of other
    tracks than the first is reported, and left out.
    """
    from unbraid.read.tracks import merge

    own, *others = run.tracks
    others = [track._replace(read=partial(_readable, track.read, warn)) for track in others]
    for name, data in merge([own, *others]):
        yield translator.feed(data, name)


def _readable(read: Callable[[], Iterator[bytes]], warn: Callable[[str], None]) -> Iterator[bytes]:
    try:
        yield from read()
    except (OSError, SourceError) as error:
        warn(problem_of(error))


def problem_of(error: Exception) -> str:
    """Returns what could not be read, and why, as a person is told it."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or error}"
    return str(error)


def files_version(files: Iterable[tuple[int, int]]) -> int:
    """Returns a `version` of files, by the size and the time of each."""
    # Of numbers, this is the same in every process.
    return hash(tuple(files))


class SessionState(Struct, frozen=True):
    """What a kind's own records say of a session now: whether a process has it, and what that waits
    for. `is_precise`: if it waits for nothing, it works, `since` a time in milliseconds since 1970
    if that is known; otherwise it is not known what it does.
    """

    alive: bool
    waiting: WaitingFor | None = None
    is_precise: bool = True
    since: int = 0


class StoredBlock(NamedTuple):
    """Something that was said in a stored session: by which sub-agent (None: the main agent), what
    kind of block it is, and when (milliseconds since 1970).
    """

    session_id: str
    agent_id: str | None
    kind: str
    ts: int
    text: str


class SearchHit(Struct, frozen=True):
    """Where it was said: the session, the sub-agent if it was one, and the words around it."""

    run: str
    agent_id: str | None
    kind: str
    ts: int
    snippet: str


class WatchOptions(NamedTuple):
    """How sessions are watched: all, or `only` one. `servers` are the addresses of running programs
    of a kind that report what their sessions say; a kind that has none ignores them.
    """

    warn: Callable[[str], None] = lambda text: None
    only: str | None = None
    inotify: bool = True
    servers: Sequence[str] = ()


class SessionWatch:
    """All sessions of a kind, watched for changes. Closing the iteration ends it. By
    default, nothing ever changes, and nothing is known of processes.
    """

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields the ids of sessions that may have said something; first of all, and soon, those
        that said something lately, if only an empty set.
        """
        yield set()

    def look(self) -> set[str]:
        """Looks once more, without waiting for what may still settle. Returns the ids of sessions
        that may have said something which `changes` has not yielded. Blocks.
        """
        return set()

    def has(self, session_id: str) -> bool:
        """Returns whether there is, or soon may be, something to read of a session. Blocks."""
        return False

    def follow(self, session_id: str, recorded: Recorded) -> Source | None:
        """Returns a source of one of them; None if there is nothing to read. Blocks."""
        return None

    def forget(self, session_id: str) -> None:
        """Forgets a session that is no longer followed."""
        return

    def states(self, among: Collection[str]) -> dict[str, SessionState]:
        """Returns the states of sessions that a process is known to have. Of `among`, which are
        followed, it also has those whose processes are gone, each once. Blocks.
        """
        return {}

    def controller(self, session_id: str, run: RunReference) -> Controller | None:
        """Returns what steers a session, which this run now records; always the same object for one
        session. None if nothing can.
        """
        return None

    async def hooked(self, call: HookCall, services: HookServices) -> bytes:
        """Returns the answer to a hook of a CLI that calls us (`CliHooks`), however long that
        takes. Cancelled if the hook is gone. `services` are always the same. Raises
        one of `BAD_JSON` if what it sent makes no sense.
        """
        return b""


class SessionStore:
    """Where a kind keeps its sessions on this machine; by default, it has none. Everything here but
    `watch` blocks.
    """

    def is_session_id(self, name: str) -> bool:
        """Returns whether an id has this kind's form."""
        return False

    def matching(self, prefix: str) -> Iterator[str]:
        """Yields the ids of stored sessions that begin like this."""
        return iter(())

    def root(self, session_id: str) -> str | None:
        """Returns the session whose run this one is part of, mostly itself; None if it is not
        stored.
        """
        return None

    def listed(
        self,
        *,
        since_ms: int = 0,
        cache: Path | None = None,
        warn: Callable[[str], None] = lambda text: None,
    ) -> Sequence[StoredSession]:
        """Returns the sessions that have changed since a time, newest first. What is said in them
        is not read here. `cache` is a folder for what need not be looked up again.
        """
        return ()

    def blocks(self, needle: str, known: Collection[str]) -> Iterator[StoredBlock]:
        """Yields what may hold a needle in small letters, also inside of words: newest sessions
        first, but nothing of sessions that are `known`. What cannot be read holds nothing.
        """
        return iter(())

    def run(self, session_id: str) -> RunTracks | None:
        """Returns a stored session and everything that belongs to it, as tracks."""
        return None

    def updated(self, session_id: str) -> int:
        """Returns when a stored session last changed, in milliseconds since 1970; 0 if that is not
        known, or long ago.
        """
        return 0

    def follow(self, session_id: str, recorded: Recorded) -> Source | None:
        """Returns a source that reads one session from where the log stands; None if there is
        nothing to read.
        """
        return None

    def states(self, among: Collection[str] = ()) -> dict[str, SessionState]:
        """Returns the states of all sessions that a process has or has left behind, and of those
        of `among` that certainly none has. Of others, nothing is known. Blocks.
        """
        return {}

    def watch(self, options: WatchOptions) -> SessionWatch:
        """Returns a watch of all of them, or of one."""
        return SessionWatch()


# What a line shows about the source that it stands in: one whose lines arrive in their order, or
# one that was stored, whose lines may have to be put in order.
SourceForm = Literal["stream", "stored"]


class FileFormats(Protocol):
    """What a kind's sessions look like in files, wherever a person has put them. By default, there
    are only files of lines.
    """

    def opened(self, path: Path) -> list[RunTracks] | None:
        """Returns the runs in a folder or in a file that is not text; None if it is not this
        kind's.
        """
        return None

    def form(self, line: bytes) -> SourceForm | None:
        """Returns what a line shows about its source; None if it does not show that it is this
        kind's.
        """
        return None

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Returns the runs in a source of lines, of which `first` is the first that has a form."""
        ...

    def document(self, name: str, whole: bytes) -> list[RunTracks] | None:
        """Returns the runs in a source that is one JSON document; None if it is not this kind's."""
        return None


# --- starting its programs ---


class Command(Struct):
    """What to start. `prints` is the format that the person will see: text, json, or raw."""

    argv: list[str]
    kind: str = ""
    prints: str = "raw"
    reads_stdin: bool = False  # reads prompts and answers as lines of JSON
    captured: bool = True  # its stdout goes through us
    session: str | None = None
    resumes: bool = False
    # Ctrl-C and other signals that end a program do not reach it: its controller is asked to
    # cancel. For servers, which know nothing of the person who waits for an answer.
    is_server: bool = False
    prompt: str | None = None  # what to say first, where it is said over stdin
    why_not_steered: str = ""  # where that was wanted, and cannot be
    asked: str | None = None  # the prompt in its arguments, where it is plain which that is


class Resumption(Struct):
    """A command that continues an agent's conversation, where to start it and with what in its
    environment, and the file made for it. One that `needs_copy` cannot be used before that is
    made.
    """

    argv: list[str]
    cwd: str | None
    made: Path | None = None
    needs_copy: bool = False
    env: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        given = [f"{name}={shlex.quote(value)}" for name, value in self.env.items()]
        command = " ".join([*given, shlex.join(self.argv)])
        return f"cd {shlex.quote(self.cwd)} && {command}" if self.cwd else command


class StoredAgent(Struct, frozen=True):
    """The agent whose conversation is to be continued: a session's main agent, or the sub-agent
    with an id.

    `agent` is what the sub-agent is called. All of it comes from the log, to which anyone with
    permission to send runs can write: a launcher takes nothing of it into a command before it has
    the form that its kind's ids have, and takes the folder from the session that is stored on this
    machine.
    """

    session_id: str
    agent_id: str | None = None
    agent: str | None = None


class OutputRenderer(Protocol):
    """What the person would have seen, made of what the program prints for us instead."""

    def line(self, line: bytes) -> bytes:
        """Takes one line of stdout, without its end; returns what is to be printed at once."""
        return line + b"\n"

    def end(self) -> bytes:
        """Returns the rest, when the stream is over."""
        return b""

    def exit_code(self, code: int) -> int:
        """Returns the exit code that the person would have seen, by that of the program."""
        return code


class Launcher(Protocol):
    """How a kind's programs are started so that every agent is visible, and how its sessions are
    continued.
    """

    def recognizes(self, argv: Sequence[str]) -> bool:
        """Returns whether a command line starts one of its programs."""
        return False

    async def command(self, argv: Sequence[str], *, steered: bool) -> Command:
        """Returns what to start in place of a command line; `steered`, something that listens if it
        can.
        """
        ...

    def source(self, command: Command, cwd: Path) -> Source:
        """Returns what reads what the process says. Called before the process is started."""
        ...

    def piped(self, line: bytes) -> Source | None:
        """Returns what reads a stream of unknown origin that has this line, from its beginning;
        None if the line is not this kind's.
        """
        return None

    def renderer(self, command: Command) -> OutputRenderer | None:
        """Returns what prints what the person would have seen; None if the program prints that
        itself.
        """
        return None

    def controller(
        self, command: Command, process: AgentProcess, run: RunReference
    ) -> Controller | None:
        """Returns what steers the process, which has just been started; None if it can only be
        ended.
        """
        return None

    def resume(
        self, stored: StoredAgent, arguments: Sequence[str], *, write: bool = True
    ) -> Resumption | None:
        """Returns the command that continues a session, or one of its sub-agents; `arguments` are
        further ones for the program. None if this kind's sessions cannot be continued. Raises
        SourceError if what it needs is gone. Without `write` no file is made; if one would be
        needed, the command `needs_copy`.
        """
        return None


class AgentProcess(Protocol):
    """A process that was started for a person."""

    @property
    def listens(self) -> bool:
        """Whether its stdin is ours to write to, and open."""
        ...

    def write(self, data: bytes) -> None:
        """Writes whole lines to its stdin."""
        ...

    def end_input(self) -> None:
        """Ends its stdin."""
        ...

    def send_signal(self, number: int) -> None:
        """Sends it a signal."""
        ...


class RunReference(Struct, frozen=True):
    """The run of a session, for its controller. `agent_id` returns the id of the agent behind a
    stream of it, once that is known.
    """

    agent_id: Callable[[int], Awaitable[str | None]]


# --- orchestrating ---


class AgentConversation(Protocol):
    """One fresh instance of one agent, which shares nothing with others. Messages come one after
    the other. The agent's own events have context `""`, sub-agents that it spawns by its own means
    in contexts of their own.

    If a program stores the conversation as a session that others can see, the attribute `session`
    has the session's id. If the agent asks for permission and waits for the answer, the method
    `answer(request_id, behavior, message)` gives it: `behavior` is allow or deny, and the turn
    reports it (`permission_replied`).
    """

    def say(self, message: str) -> AsyncGenerator[RelayEvent, None]:
        """Runs one turn, and yields what the agent newly says, as it says it; `turn_complete` is
        last.

        Text comes in the smallest deltas that the backend has, never as a whole if it streams.
        `token_usage` comes once a model message. Closing the generator early, or cancelling the
        task that reads it, stops the turn. A turn that the agent's side could not finish raises
        BackendError; a turn that ended badly by the model's own doing is a `turn_complete` that is
        not ok.
        """
        ...


class Backend(Protocol):
    """Opens conversations."""

    def open(self, agent: AgentSpec) -> AbstractAsyncContextManager[AgentConversation]:
        """Opens a fresh instance of an agent. Leaving the context always ends its process or
        session.

        Raises BackendError when the instance cannot be started.
        """
        ...

    async def close(self) -> None:
        """Ends whatever all conversations share, such as a server. Called once, last."""
        ...


# --- hooks that a person installs into its CLI ---

# A hook runs in every session on the machine, ours or not. It finds us by a socket in our private
# folder; while no process listens there, it ends at once and says nothing. The caller at the socket
# may be an agent itself: nothing that is sent there answers a permission request.
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

    def look(self, kind: str, session_id: str) -> None:
        """Makes the watcher look at a session of a kind: there is something to record."""
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


# --- doctor ---


class Finding(Struct, omit_defaults=True):
    """One thing that was looked at: ok, warning or missing; and what to do about it."""

    about: str
    status: str
    found: str
    advice: str | None = None
