"""What Claude Code calls its sessions.

Records of four types name a session, each the latest of its type: a person's own title
(`/rename`), the name of the agent, a title that a model has made, and a summary. Summaries that
stand before everything else are those of other sessions.
"""

from __future__ import annotations

from msgspec import Struct, field

from unbraid.fold.title import title_of

CUSTOM, AGENT, GENERATED, SUMMARY = "custom-title", "agent-name", "ai-title", "summary"
# The first of them that a session has is its title.
TITLE_TYPES = (CUSTOM, AGENT, GENERATED, SUMMARY)


class TitleRecord(Struct):
    """A record that names a session."""

    type: str = ""
    custom_title: str | None = field(default=None, name="customTitle")
    agent_name: str | None = field(default=None, name="agentName")
    ai_title: str | None = field(default=None, name="aiTitle")
    summary: str | None = None

    @property
    def title(self) -> str | None:
        """What it says; None if it takes back what another one has said."""
        titles = (self.custom_title, self.agent_name, self.ai_title, self.summary)
        return title_of(dict(zip(TITLE_TYPES, titles, strict=True)).get(self.type))


class Titles:
    """The titles of one session, as its records come."""

    def __init__(self) -> None:
        self._given: dict[str, str | None] = {}

    @property
    def title(self) -> str | None:
        """The session's title; None if no record has given it one."""
        given = (self._given.get(kind) for kind in TITLE_TYPES)
        return next((title for title in given if title is not None), None)

    def take(self, record: TitleRecord, *, has_begun: bool) -> None:
        """Takes in a record; `has_begun` is whether anything was said before it."""
        if has_begun or record.type != SUMMARY:
            self._given[record.type] = record.title
