"""Searches and filters over what is shown, not over what is stored.

A search that answers whether a guess is in a text gives the text away, one guess after the other,
though every answer is redacted. So what was found in stored text counts only if what was searched
for is in the redacted text, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from msgspec.structs import replace

from unbraid.agents.port import Delta, SearchHit
from unbraid.log.port import Found, LogReader
from unbraid.log.query import CUT, folded, patterns_of
from unbraid.redact.events import EventDeltas
from unbraid.redact.secrets import redact_words

# The first word after a cut, and long ones that follow it: they may be the rest of a secret.
_REST = re.compile(rf"\A{CUT}\S*(?:\s+\S{{12,}})*")
_ESCAPE = re.compile(r"\\.")
# Of the block in which something was found, so many events are read at once, and so many times.
BLOCK_EVENTS = 500
BLOCK_READS = 40

Hit = TypeVar("Hit", Found, SearchHit)


def redact_snippet(snippet: str) -> str:
    """Returns an excerpt without what may be the rest or the beginning of a secret."""
    words = _REST.sub(CUT, snippet)
    return redact_words(words.removesuffix(CUT), cut=words.endswith(CUT))


def contains_words(text: str, query: str) -> bool:
    """Returns whether all words of a query are in a text, as a search compares them."""
    compared = folded(text)
    return all(pattern.search(compared) for pattern in patterns_of(query))


def redact_hits(hits: Iterable[Hit], query: str) -> list[Hit]:
    """Returns the hits that may be known, redacted: those whose excerpt shows all that was searched
    for. Nothing else is known of the text around it.
    """
    redacted = [replace(hit, snippet=redact_snippet(hit.snippet)) for hit in hits]
    return [hit for hit in redacted if contains_words(hit.snippet, query)]


async def redact_places(shown: LogReader, places: Iterable[Found], query: str) -> list[Found]:
    """Returns the places of a log in which what is `shown` has all that was searched for."""
    found: list[Found] = []
    for place in places:
        snippet = redact_snippet(place.snippet)
        if contains_words(snippet, query) or contains_words(await _block(shown, place), query):
            found.append(replace(place, snippet=snippet))
    return found


async def _block(shown: LogReader, place: Found) -> str:
    """Returns the redacted text of the block that begins at a place, as words."""
    # Its bytes are JSON: in "one\\ntwo", the second word is not "ntwo".
    return _ESCAPE.sub(" ", await _encoded_block(shown, place))


async def _encoded_block(shown: LogReader, place: Found) -> str:
    deltas, since, text, block = EventDeltas(), place.seq - 1, list[str](), None
    for _ in range(BLOCK_READS):
        entries = await shown.read(place.run, since, BLOCK_EVENTS, stream_id=place.stream_id)
        for entry in entries:
            part = deltas.read(entry.data)
            if not isinstance(part, Delta):
                if block is None:
                    return entry.data.decode(errors="replace")
                if part is not None:
                    return "".join(text)
                continue
            if block is not None and part.block != block:
                return "".join(text)
            block = part.block
            text.append(part.text[1:-1].decode(errors="replace"))
        if not entries:
            break
        since = entries[-1].seq
    return "".join(text)
