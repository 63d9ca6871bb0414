"""Which sessions a process of Codex writes, as Linux reports it: a thread's file stays open while
its process lives.

Where nobody was ever seen with a file open (another system, a container beside a shared folder, a
process that was gone when we looked) only the file itself can say that it is over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unbraid.agents.codex.sessions.rollout_file import thread_of_name
from unbraid.system.liveness import PROCESSES


class RolloutWriters:
    """Who has which rollouts open, look by look."""

    def __init__(self) -> None:
        self._open: set[str] = set()  # threads that were seen open
        self._missed: set[str] = set()

    def look(self) -> None:
        """Notes which files are open now."""
        self._open |= open_threads()

    def ended(self, trees: Mapping[str, set[str]], says_so: Callable[[str], bool]) -> set[str]:
        """Returns those sessions whose files were open, or that say that they are over, and whose
        files are not open in two looks; each once. `trees` has the threads of each.
        """
        now = open_threads()
        gone = set()
        for session, threads in trees.items():
            if threads & now or not (threads & self._open or says_so(session)):
                self._missed.discard(session)
            elif session in self._missed:
                gone.add(session)
                self._missed.discard(session)
                self._open -= threads
            else:
                self._missed.add(session)
        self._open |= now
        return gone


def open_threads() -> set[str]:
    """Returns the threads whose files a process has open."""
    found: set[str] = set()
    try:
        processes = [entry for entry in PROCESSES.iterdir() if entry.name.isdecimal()]
    except OSError:
        return found
    for folder in processes:
        try:
            if not (folder / "comm").read_bytes().startswith(b"codex"):
                continue
            for descriptor in (folder / "fd").iterdir():
                if (thread := thread_of_name(descriptor.readlink().name)) is not None:
                    found.add(thread)
        except OSError:
            continue
    return found
