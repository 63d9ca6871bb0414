"""Search over sessions that nobody has opened: each kind reads where it keeps them.

All words of a query (or "phrases" in quotes) stand in one block, as in a search of the log; but
accents have to be typed, because the files are searched for the words as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from unbraid.agents.port import SearchHit
from unbraid.agents.registry import stores
from unbraid.log.query import patterns_of, snippet_of, terms_of, words_of


def search_files(
    query: str, env: Mapping[str, str], *, limit: int = 20, known: Collection[str] = ()
) -> list[SearchHit]:
    """Returns places where an agent, or a person, said this; sessions that are `known` are left
    out.

    Kind by kind, newest sessions first. Raises nothing: what cannot be read holds nothing.
    """
    words = [word for term in terms_of(query) for word in words_of(term)]
    if not words:
        return []
    # The longest of the words that every tool can find is looked for first.
    needle = max(words, key=lambda word: (word.isascii(), len(word)))
    return list(islice(_hits(needle, patterns_of(query), env, known), limit))


def _hits(
    needle: str,
    patterns: list[re.Pattern[str]],
    env: Mapping[str, str],
    known: Collection[str],
) -> Iterator[SearchHit]:
    for store in stores(env).values():
        for session, agent_id, kind, ts, text in store.blocks(needle, known):
            snippet = snippet_of(text, patterns)
            if snippet is not None:
                yield SearchHit(run=session, agent_id=agent_id, kind=kind, ts=ts, snippet=snippet)
