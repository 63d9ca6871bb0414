"""Secrets, masked on the way of a run's bytes: before anything keeps them, sends or shows them.

What may still become a secret is held back, with all that follows it in its source, until more of
it decides. Only words that come bit by bit are ever held, from a stdout or a server; lines of files
and rows are decided as they stand. Each process names such a source anew, so no other has to know
what was held when it died: it reads the same words whole, from where the agent writes them down.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from unbraid.agents.claude.facts import TITLE_CHARS
from unbraid.agents.claude.session_files import BATCH_BYTES
from unbraid.wire.chunk import Chunk

# A few stars are an agent's own, unless they may be the rest of more.
_STARS = re.compile(rb"\*{8,}|\A\*+|\*+\Z")


class SourceRedactor:
    """Pieces of a run's sources in, the same pieces masked out."""

    def __init__(self) -> None:
        # Here, so that whoever wants no masks does not wait for the patterns either.
        from unbraid.redact.lines import SecretMask

        self._mask = SecretMask()
        self._held: dict[str, Chunk] = {}

    def passed(self, pieces: Iterable[Chunk]) -> Iterator[Chunk]:
        """As much of everything as is decided."""
        for piece in _joined(pieces):
            if not piece.data:
                yield piece  # only an offset
                continue
            held = self._held.pop(piece.source, None)
            source, offset, data = piece if held is None else _next(held, piece)
            decided = self._mask.lines(source, data, end=False)
            if len(decided) < len(data):
                self._held[source] = Chunk(source, offset + len(decided), data[len(decided) :])
            if decided:
                yield Chunk(source, offset, decided)

    def rest(self) -> Iterator[Chunk]:
        """What was held back, when nothing more will come."""
        held, self._held = self._held, {}
        for source, offset, data in held.values():
            yield Chunk(source, offset, self._mask.lines(source, data, end=True))


def unmasked(head: bytes, tail: bytes) -> tuple[bytes, bytes]:
    """As much of a source's first and last bytes as no mask is in: so much its file has, too."""
    return _STARS.split(head)[0], _STARS.split(tail)[-1]


def masked_title(title: str) -> str:
    """The first words of a prompt; where they may have been cut within a secret, fewer of them."""
    from unbraid.redact.secrets import masked_words

    return masked_words(title, cut=len(title) >= TITLE_CHARS)


def _joined(pieces: Iterable[Chunk]) -> Iterator[Chunk]:
    """Neighbours of one source in one piece: what is held is looked at again with every piece."""
    told: list[Chunk] = []
    size = 0
    for piece in pieces:
        if told and (piece.source != told[0].source or size >= BATCH_BYTES):
            yield _whole(told)
            told, size = [], 0
        told.append(piece)
        size += len(piece.data)
    if told:
        yield _whole(told)


def _whole(pieces: list[Chunk]) -> Chunk:
    return pieces[0]._replace(data=b"".join(piece.data for piece in pieces))


def _next(held: Chunk, piece: Chunk) -> Chunk:
    return held._replace(data=held.data + piece.data)
