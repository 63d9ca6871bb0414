"""Which root session one of OpenCode's events belongs to: sessions have parents."""

from __future__ import annotations

from unbraid.agents.opencode.heads import addressed_event
from unbraid.read.record import BAD_JSON


class SessionTree:
    """Sessions and their parents, as far as they are known."""

    def __init__(self) -> None:
        self.parents: dict[str, str | None] = {}

    def root(self, session: str) -> str:
        """Returns the session at the top of this one's tree."""
        seen = {session}
        while (above := self.parents.get(session)) is not None and above not in seen:
            seen.add(above)
            session = above
        return session

    def root_of(self, data: bytes) -> str | None:
        """Returns the root session that an event belongs to, if any; what it says of parents is
        noted.
        """
        try:
            event = addressed_event(data)
        except BAD_JSON:
            return None
        given = event.properties
        if given is None:
            return None
        if event.type.startswith("session.") and given.info is not None and given.info.id:
            self.parents[given.info.id] = given.info.parent_id
            return self.root(given.info.id)
        for place in (given, given.info, given.part):
            if place is not None and place.session_id is not None:
                return self.root(place.session_id)
        return None
