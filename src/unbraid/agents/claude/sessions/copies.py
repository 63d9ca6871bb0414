"""Which transcripts are copies of others: their messages have been counted there.

Resuming and forking copy records into a new file, with the messages' own ids. A copied record may
be marked (`forkedFrom`). Of files without marks that begin with the same message, the original is
the one that has more lines among the messages that they share: what a CLI notes between messages is
not copied. Where there is no difference, the one that was written later is the copy. A sub-agent
that was made a session of its own is a marked copy of the sub-agent's transcript.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

from unbraid.agents.claude.sessions.discovery import File, Scan
from unbraid.agents.claude.sessions.transcript_facts import First


class Copies:
    """The files that begin with the same message as another; `firsts` has that of each, if it has
    one.
    """

    def __init__(self, scan: Scan, firsts: Mapping[str, First]) -> None:
        self._behind: dict[str, list[File]] = {}
        groups: dict[str, list[tuple[str, int, File]]] = {}
        for main in scan.mains:
            first = firsts.get(main.path)
            if first is not None:
                groups.setdefault(first[0], []).append((first[1] or "", main.mtime_ns, main))
        for members in groups.values():
            if len(members) > 1 or members[0][0]:
                self._order(members, scan)

    def behind(self, file: File) -> list[File]:
        """Returns the files that have counted messages which this one repeats."""
        return self._behind.get(file.path, [])

    def _order(self, members: list[tuple[str, int, File]], scan: Scan) -> None:
        """Notes what each of these files repeats. First come those that others are marked to be
        copied from, then those without a mark, which a CLI may have left out of a further copy.
        """
        named = {source for source, _, _ in members if source}
        own = {file.path for _, _, file in members}
        # A sub-agent's messages may be in a file of its own, or in that of its session.
        originals = [
            file
            for found in scan.sessions
            if found.id in named
            for file in (found.main, *found.children)
            if file.path not in own
        ]
        folders = {_folder(file) for _, _, file in members}
        if named:
            originals += [file for file in scan.beside if _folder(file) in folders]
        files = [file for _, _, file in sorted(members)]
        if not named:
            by_path = {file.path: file for file in files}
            with contextlib.suppress(OSError, ValueError):  # reading them will report the error
                files = [by_path[path] for path in originals_first(list(by_path))]
        earlier: list[File] = []
        for file in sorted(files, key=lambda file: file.id not in named):
            ahead = earlier if file.id in named else [*originals, *earlier]
            if ahead:
                self._behind[file.path] = list(ahead)
            earlier.append(file)


def originals_first(paths: list[str]) -> list[str]:
    """Returns transcripts that begin with the same message, each before its copies."""
    if len(paths) < 2:
        return paths
    from unbraid.agents.claude.sessions.counts import message_lines

    lines = {path: message_lines(path) for path in paths}
    shared = set.intersection(*(set(each) for each in lines.values()))

    def order(path: str) -> tuple[int, int]:
        reach = [number for message, number in lines[path].items() if message in shared]
        return min(reach, default=0) - max(reach, default=0), Path(path).stat().st_mtime_ns

    return sorted(paths, key=order)


def _folder(file: File) -> str:
    return file.path.rpartition("/")[0]
