"""Searches over what is shown, not over what is stored.

A search that answers whether a guess is in a text gives the text away, one guess after the other,
though every answer is redacted. So what was found in stored text counts only if it is in the
redacted text, too; and the order of the results, and what is cut out around them, follow from the
redacted text alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from unbraid.agents.port import SearchHit
from unbraid.fleet.query import CUT, Query
from unbraid.log.port import Found, LogReader
from unbraid.log.search_blocks import RankedResult, SearchBlocks, best_first
from unbraid.redact.secrets import redact_words

# The first word after a cut, and long ones that follow it: they may be the rest of a secret.
_REST = re.compile(rf"\A{CUT}\S*(?:\s+\S{{12,}})*")
# Of the block in which something was found, so many events are read at once, and so many times.
BLOCK_EVENTS = 500
BLOCK_READS = 40


def redact_snippet(snippet: str) -> str:
    """Returns an excerpt without what may be the rest or the beginning of a secret."""
    words = _REST.sub(CUT, snippet)
    return redact_words(words.removesuffix(CUT), cut=words.endswith(CUT))


def redact_hits(hits: Iterable[SearchHit], query: str) -> list[SearchHit]:
    """Returns the hits of another server, redacted: those whose excerpt shows all that was searched
    for. Nothing else is known of the text around it.
    """
    wanted = Query(query)
    redacted = [replace(hit, snippet=redact_snippet(hit.snippet)) for hit in hits]
    return [hit for hit in redacted if wanted.match(hit.snippet) is not None]


async def redact_results(
    shown: LogReader, results: Iterable[Found], query: str, *, limit: int
) -> list[Found]:
    """Returns the search results whose text, as it is `shown`, has all that was searched for."""
    wanted, found = Query(query), list[RankedResult]()
    for result in results:
        match = wanted.match(await _block(shown, result))
        if match is not None:
            found.append(RankedResult(match.rank, replace(result, snippet=match.snippet)))
    return best_first(found, limit)


async def _block(shown: LogReader, result: Found) -> str:
    """Returns the redacted text of the block in which something was found."""
    blocks, since = SearchBlocks(), result.seq - 1
    for _ in range(BLOCK_READS):
        entries = await shown.read(result.run, since, BLOCK_EVENTS, stream_id=result.stream_id)
        for entry in entries:
            for block in blocks.feed(entry.event):
                if block.seq == result.seq:
                    return block.text
        if not entries:
            break
        since = entries[-1].seq
    return next((block.text for block in blocks.close() if block.seq == result.seq), "")
