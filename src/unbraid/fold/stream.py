"""One invocation of one agent, as the fleet keeps it."""

from __future__ import annotations


class FleetStream:
    """One invocation of one agent: `began` and `latest` are the times of its first and of its
    latest event.
    """

    __slots__ = (
        "agent",
        "answer",
        "answering",
        "began",
        "depth",
        "ended",
        "id",
        "latest",
        "message_id",
        "parent",
        "resumes",
    )

    def __init__(
        self,
        stream_id: int,
        parent: FleetStream | None,
        agent: str,
        resumes: FleetStream | None = None,
    ) -> None:
        self.id = stream_id
        self.parent = parent
        self.resumes: int | None = None if resumes is None else resumes.id
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.agent = agent
        self.answering = False
        self.ended = False
        self.message_id = ""
        self.answer: list[str] = []  # the text of its latest message
        self.began: int | None = None
        self.latest: int = 0 if parent is None else parent.began or 0
