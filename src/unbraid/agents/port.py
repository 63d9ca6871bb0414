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
    Mapping,
    Sequence,
)
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from msgspec import Struct, field

from unbraid.agents.session_port import FileFormats as FileFormats
from unbraid.agents.session_port import SearchHit as SearchHit
from unbraid.agents.session_port import SessionStore as SessionStore
from unbraid.agents.session_port import SessionWatch as SessionWatch
from unbraid.agents.session_port import StoredBlock as StoredBlock
from unbraid.agents.source import Recorded as Recorded
from unbraid.agents.source import Source as Source
from unbraid.fold.tool_formats import ToolFormat as ToolFormat
from unbraid.read.dialects import Dialect as Dialect

if TYPE_CHECKING:
    from unbraid.agents.backend_port import Backend
    from unbraid.agents.hook_port import CliHooks
    from unbraid.agents.process_port import Launcher


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

    @abstractmethod
    def dialect(self) -> Dialect[Any]:
        """Returns a translator of one run's records. Every kind has this; the rest is optional."""

    def deltas(self) -> DeltaFormat | None:
        """Returns how its lines carry text in small parts; None if they never do."""
        return None

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
        return None

    def files(self) -> FileFormats | None:
        """Returns what its sessions look like in files; by default, lines that its dialect can
        decode.
        """
        return None

    def launcher(self, env: Mapping[str, str]) -> Launcher | None:
        """Returns how its programs are started."""
        return None

    def resumer(self, env: Mapping[str, str]) -> Resumer | None:
        """Returns how its sessions are continued."""
        return None

    def backend(self, env: Mapping[str, str], cwd: Path) -> Backend | None:
        """Returns how the orchestrator runs one of its agents."""
        return None

    def hooks(self, env: Mapping[str, str]) -> CliHooks | None:
        """Returns what installs hooks into its CLI; None if the CLI has no hooks."""
        return None

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        """Returns what `unbraid doctor` should say about it."""
        return []


# --- reading ---


class Delta(NamedTuple):
    """A part of a block's text. `text` is the JSON string as it stands in the line, with its
    quotes. `alone`: every other block of the same owner is whole.
    """

    owner: str
    block: str | int
    text: bytes
    alone: bool = False


class BlockEnd(NamedTuple):
    """Blocks that are whole: one, all of an owner (`block` is None), or all (`owner` is None)."""

    owner: str | None = None
    block: str | int | None = None


class DeltaFormat(Protocol):
    """Finds the text that a kind's lines carry in small parts, so that a secret which is cut over
    many lines can be redacted in each of them. Pure.

    It may have `signs`: words of which every line has one that says something about blocks, and
    `part_signs`: the same for lines that carry a part of a block. Then it is asked less often.
    """

    def read(self, line: bytes) -> Delta | BlockEnd | None:
        """Returns what a line says about blocks; None if it says nothing, or is not this kind's."""
        ...


# --- resuming ---


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
    permission to send runs can write: a resumer takes nothing of it into a command before it has
    the form that its kind's ids have, and takes the folder from the session that is stored on this
    machine.
    """

    session_id: str
    agent_id: str | None = None
    agent: str | None = None


class Resumer(Protocol):
    """Continues sessions, and sub-agents as sessions of their own."""

    def resume(
        self, stored: StoredAgent, arguments: Sequence[str], *, write: bool = True
    ) -> Resumption:
        """Returns the command that continues a session, or one of its sub-agents; `arguments` are
        further ones for the program. Raises SourceError if what it needs is gone. Without `write`
        no file is made; if one would be needed, the command `needs_copy`.
        """
        ...


# --- doctor ---


class Finding(Struct, omit_defaults=True):
    """One thing that was looked at: ok, warning or missing; and what to do about it."""

    about: str
    status: str
    found: str
    advice: str | None = None
