"""What was read of session files, kept with the size and time of each, so that a second start reads
only what has changed. The files themselves are never copied.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct, field

from unbraid.events.decoders import msgpack_decoder


class FileFacts(Protocol):
    """What is known of a file that had this size and time."""

    size: int
    mtime_ns: int
    title: str | None


F = TypeVar("F", bound=FileFacts)
C = TypeVar("C", bound="CachedFacts[Any]")


class CachedFacts(Struct, Generic[F]):
    """The content of a cache: facts by the paths of their files, of one schema, with costs by one
    table of prices (its digest).
    """

    schema: int
    prices: str
    files: dict[str, F] = field(default_factory=dict)


def load_facts(path: Path | None, shape: type[C], *, schema: int, prices: str) -> C:
    """Returns what is in a cache's file; nothing if that is broken, or of other prices."""
    try:
        found = msgpack_decoder(shape).decode(b"" if path is None else path.read_bytes())
    except (OSError, ValueError, msgspec.MsgspecError):
        return shape(schema, prices)
    return found if (found.schema, found.prices) == (schema, prices) else shape(schema, prices)


class FactsCache(Generic[F]):
    """The facts of files, by their paths, kept in a file of ours; without a `path`, nowhere.
    `redact` is applied to titles.
    """

    def __init__(
        self,
        path: Path | None,
        content: CachedFacts[F],
        redact: Callable[[str], str] | None = None,
    ) -> None:
        self._path, self._content, self._redact = path, content, redact
        self._used: dict[str, F] = {}
        self._changed = False
        for facts in content.files.values() if redact is not None else ():
            self._redact_title(facts)

    def get(self, path: str, size: int, mtime_ns: int) -> F | None:
        """Returns the facts of a file, if it still has this size and time."""
        known = self._content.files.get(path)
        if known is None or known.size != size or known.mtime_ns != mtime_ns:
            return None
        self._used[path] = known
        return known

    def put(self, path: str, facts: F) -> None:
        """Keeps the facts of a file, or notes that they have changed."""
        self._redact_title(facts)
        self._content.files[path] = self._used[path] = facts
        self._changed = True

    def drop(self, path: str) -> None:
        """Forgets a file that cannot be read."""
        self._content.files.pop(path, None)
        self._used.pop(path, None)

    def drop_unused(self) -> None:
        """Forgets the files that nobody has asked for: they are no longer there."""
        self._content.files, self._used = self._used, {}

    def save(self) -> dict[str, str]:
        """Writes what is new; returns the file and the reason if that could not be: only the next
        start suffers.
        """
        if self._path is None or not self._changed:
            return {}
        # Here, because most starts have nothing to write.
        from unbraid.system.atomic_file import write_atomically

        content = msgspec.msgpack.encode(self._content)
        try:
            write_atomically(self._path, content, durable=False, private_folder=True)
        except OSError as error:
            return {str(self._path): error.strerror or str(error)}
        self._changed = False
        return {}

    def _redact_title(self, facts: F) -> None:
        if self._redact is not None and facts.title is not None:
            title = self._redact(facts.title)
            self._changed = self._changed or title != facts.title
            facts.title = title
