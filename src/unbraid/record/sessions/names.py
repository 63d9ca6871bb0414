"""Completes the first characters of a name to the one run or session that begins with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from unbraid.agents.registry import stores
from unbraid.errors import CallerError

# What ids are made of: nothing that could leave a folder, or match more than its own beginning.
_BEGINNING = re.compile(r"[0-9A-Za-z_-]+")
SHOWN = 4


def complete_name(name: str, logged: Iterable[str], env: Mapping[str, str]) -> str:
    """Returns the one run or session whose name begins like this; the name itself if none does."""
    if not _BEGINNING.fullmatch(name):
        return name
    # What a session says later is a run of its own, `<session>.2`: one session all the same.
    found = {run.partition(".")[0] for run in logged if run.startswith(name)}
    if name not in found:
        for store in stores(env).values():
            found.update(store.matching(name))
    if len(found) <= 1 or name in found:
        return name if name in found else next(iter(found), name)
    some = ", ".join(sorted(found)[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    raise CallerError(f"{name} is the beginning of {some}{more}: type more characters of the name")
