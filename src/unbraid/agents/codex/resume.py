"""Continuing an agent of Codex: a thread, whether the main agent's or a sub-agent's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unbraid.agents.codex.places import SESSION_ID, codex_folders
from unbraid.agents.codex.sessions.thread_tree import RolloutFolders
from unbraid.agents.command_line import NOT_STORED_HERE, checked_id
from unbraid.agents.port import Resumption, StoredAgent
from unbraid.errors import SourceError

_NO_RESUME = (
    "belongs to an agent that Codex continues only through its parent: resume the main agent"
)


class CodexResumer:
    """Resumes threads."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env

    def resume(
        self, stored: StoredAgent, arguments: Sequence[str], *, write: bool = True
    ) -> Resumption:
        """Returns the command that continues a thread; `exec` as its first argument stays in front,
        with the options behind it.
        """
        wanted = stored.agent_id or stored.session_id
        thread = checked_id(wanted, SESSION_ID, "a thread of Codex")
        folders = RolloutFolders(codex_folders(self._env))
        path = folders.path(thread)
        head = None if path is None else folders.head(path)
        if head is None:
            raise SourceError(thread, NOT_STORED_HERE)
        if head.is_child and head.path is not None:
            raise SourceError(thread, _NO_RESUME)
        if arguments and arguments[0] == "exec":
            rest = list(arguments[1:])
            at = next((n for n, word in enumerate(rest) if not word.startswith("-")), len(rest))
            # Early releases take options only in front of `resume`.
            argv = ["codex", "exec", *rest[:at], "resume", thread, *rest[at:]]
        else:
            argv = ["codex", "resume", thread, *arguments]
        return Resumption(argv, head.cwd)
