"""Search over sessions that nobody has opened: each kind reads where it keeps them.

All words of a query (or "phrases" in quotes) stand in one block, whatever their case, as in a
search of the log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from unbraid.agents.port import SearchHit
from unbraid.agents.registry import stores
from unbraid.log.query import snippet_of, terms_of


def search_files(
    query: str, env: Mapping[str, str], *, limit: int = 20, known: Collection[str] = ()
) -> list[SearchHit]:
    """Returns places where an agent, or a person, said this; sessions that are `known` are left
    out.

    Kind by kind, newest sessions first. Raises nothing: what cannot be read holds nothing.
    """
    terms = [term.lower() for term in terms_of(query)]
    return list(islice(_hits(terms, env, known), limit)) if terms else []


def _hits(terms: list[str], env: Mapping[str, str], known: Collection[str]) -> Iterator[SearchHit]:
    # The longest of the terms that every tool can find is looked for first.
    needle = max(terms, key=lambda term: (term.isascii(), len(term)))
    for store in stores(env).values():
        for session, agent_id, kind, ts, text in store.blocks(needle, known):
            snippet = snippet_of(text, terms)
            if snippet is not None:
                yield SearchHit(run=session, agent_id=agent_id, kind=kind, ts=ts, snippet=snippet)
