"""Search over sessions that are not in the log: each kind reads where it keeps them.

The rule is that of a search of the log (`fleet/query`), but accents have to be typed, because files
are searched for words as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from unbraid.agents.port import SearchHit
from unbraid.agents.registry import stores
from unbraid.fold.query import Query


def search_files(
    query: str,
    env: Mapping[str, str],
    *,
    limit: int = 20,
    known: Collection[str] = (),
    redact: bool = False,
) -> list[SearchHit]:
    """Returns places where an agent, or a person, said this; sessions that are `known` are left
    out, and with `redact` so is what is in secrets alone.

    Kind by kind, newest sessions first. Raises nothing: what cannot be read holds nothing.
    """
    wanted = Query(query)
    return list(islice(_hits(wanted, env, known, redact=redact), limit)) if wanted else []


def _hits(
    query: Query, env: Mapping[str, str], known: Collection[str], *, redact: bool
) -> Iterator[SearchHit]:
    for store in stores(env).values():
        for session, agent_id, kind, ts, text in store.blocks(query.needle, known):
            match = query.match(text)
            if match is not None and redact:
                from unbraid.redact.secrets import redact_words

                # Not what is stored: an answer that depends on a secret gives it away.
                match = query.match(redact_words(text, cut=False))
            if match is not None:
                yield SearchHit(
                    run=session, agent_id=agent_id, kind=kind, ts=ts, snippet=match.snippet
                )
