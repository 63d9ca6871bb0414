"""What a run and each of its agents is doing: the one rule that every list, tree and page follows.

An agent is `waiting` while it asks for a permission, or when it has answered and expects the next
prompt; `working` otherwise, until it ends. It ends `done`, `failed`, `interrupted` or `orphaned`.
A run is `waiting` when one of its agents asks for a permission, or when the main agent expects a
prompt and no other agent works. When it is over, its status is that of its main agent.

Which permission requests wait for an answer is known by this rule alone, too. A request waits from
its `permission_asked` until its `permission_replied`, or the end of its stream or run. One that is
open is never replaced by another of its name: what a person is shown must be what they answer.

`interrupted`: a person or the parent stopped the agent. `orphaned`: the agent was working when its
process disappeared. A run is over with its `done`, and only then.
"""

from __future__ import annotations

from msgspec import Struct, field

from unbraid import events as e

WORKING, WAITING = "working", "waiting"
DONE, FAILED, INTERRUPTED, ORPHANED = "done", "failed", "interrupted", "orphaned"
STATUSES = (WORKING, WAITING, DONE, FAILED, INTERRUPTED, ORPHANED)
LIVE = (WORKING, WAITING)

PERMISSION, PROMPT = "permission", "prompt"

# What a list of runs can be narrowed to: a status, or all that are not over.
FILTERS: dict[str, tuple[str, ...]] = {status: (status,) for status in STATUSES} | {"live": LIVE}

MARKS = {
    WORKING: "●",
    WAITING: "◐",
    DONE: "✔",
    FAILED: "✘",
    INTERRUPTED: "■",
    ORPHANED: "○",
}

_ENDS = {
    "completed": DONE,
    "failed": FAILED,
    "cancelled": INTERRUPTED,
    "interrupted": INTERRUPTED,
    "orphaned": ORPHANED,
}


class WaitingFor(Struct, frozen=True, omit_defaults=True):
    """What an agent waits for: `permission` (to use `tool`) or `prompt`; and since when, in
    milliseconds since 1970.
    """

    what: str = field(name="for")
    since: int
    tool: str | None = None

    def __str__(self) -> str:
        of_tool = f" to use {self.tool}" if self.tool else ""
        return f"waiting for {self.what}{of_tool}"


class OpenRequest(Struct, frozen=True, omit_defaults=True):
    """A permission request that was not answered, the stream that waits for it, and the `seq` of
    its event; 0 where an earlier version did not store that.
    """

    stream_id: int
    waiting: WaitingFor
    seq: int = 0


# An agent can ask without end, and all of them are stored and searched with every further event.
MAX_OPEN_REQUESTS = 256

# The events that change what a run is doing. Most change nothing, and matching them takes longer.
_CHANGES = frozenset(
    {
        e.Text, e.Thinking, e.FleetPrompt, e.FleetToolUse, e.AgentStart, e.FleetTurnComplete,
        e.StreamStart, e.FleetPermissionAsked, e.FleetPermissionReplied, e.StreamEnd, e.Done,
    }
)  # fmt: skip


class RunState(Struct, omit_defaults=True):
    """What a run is doing, folded from its events; it grows with what is open, not with what has
    passed.

    `idle_since` is when the main agent has answered and nothing has been asked of it since, 0 if
    it works; `at_work` is the number of sub-agents that have not ended. `requests` are at most
    MAX_OPEN_REQUESTS, the oldest first; `unlisted` says how many more were asked meanwhile.
    """

    requests: dict[str, OpenRequest] = field(default_factory=dict)
    unlisted: int = 0
    idle_since: int = 0
    at_work: int = 0
    ended: str | None = None
    over: bool = False

    def apply(self, event: e.FleetEvent) -> None:
        """Applies one more event."""
        if type(event) not in _CHANGES:
            return
        main = event.stream_id == 0
        match event:
            case e.Text() | e.Thinking() | e.FleetPrompt() | e.FleetToolUse() | e.AgentStart():
                self.note_work(event.stream_id)
            case e.FleetTurnComplete() if main:
                self.idle_since = max(event.ts, 1)
            case e.StreamStart():
                self.at_work += not main
            case e.FleetPermissionAsked():
                self._ask(event)
            case e.FleetPermissionReplied():
                if self.requests.pop(event.request_id, None) is None and self.unlisted:
                    self.unlisted -= 1
                self._forget_unlisted()
            case e.StreamEnd():
                if main:
                    self.ended = status_of_end(event.reason, ok=event.ok)
                else:
                    self.at_work -= 1
                for name in [n for n, r in self.requests.items() if r.stream_id == event.stream_id]:
                    del self.requests[name]
                self._forget_unlisted()
            case e.Done():
                self.over = True
                self.ended = self.ended or (DONE if event.ok else FAILED)
                self.requests.clear()
                self._forget_unlisted()

    def _ask(self, event: e.FleetPermissionAsked) -> None:
        if event.request_id in self.requests:
            return
        if len(self.requests) >= MAX_OPEN_REQUESTS:
            self.unlisted += 1
            return
        waiting = WaitingFor(PERMISSION, event.ts, event.tool or None)
        self.requests[event.request_id] = OpenRequest(event.stream_id, waiting, event.seq)

    def _forget_unlisted(self) -> None:
        # Which stream they were of is not known: they are over at the latest with all others.
        if not self.requests:
            self.unlisted = 0

    def note_work(self, stream_id: int) -> None:
        """Marks that an agent works: it has said something, or was asked to."""
        if stream_id == 0:
            self.idle_since = 0

    @property
    def status(self) -> str:
        """The run's status."""
        if self.over:
            return self.ended or FAILED
        return WORKING if self.waiting is None else WAITING

    @property
    def waiting(self) -> WaitingFor | None:
        """What the run waits for; None if it does not."""
        if self.over:
            return None
        asked = [request.waiting for request in self.requests.values()]
        if not asked and not self.at_work:
            return self._prompt()
        return min(asked, key=lambda each: each.since, default=None)

    def waiting_of(self, stream_id: int) -> WaitingFor | None:
        """Returns what an agent that has not ended waits for; None if it works."""
        asked = [each.waiting for each in self.requests.values() if each.stream_id == stream_id]
        if asked:
            return min(asked, key=lambda each: each.since)
        return self._prompt() if stream_id == 0 else None

    def _prompt(self) -> WaitingFor | None:
        return WaitingFor(PROMPT, self.idle_since) if self.idle_since else None


def status_of_session(ending: str, *, live: bool, waiting: WaitingFor | None) -> str:
    """Returns the status of a stored session that nobody follows: what it does if it is live,
    otherwise how it has ended.
    """
    if live:
        return WORKING if waiting is None else WAITING
    return ending


def status_of_end(reason: str, *, ok: bool) -> str:
    """Returns the status of an agent whose stream has ended so."""
    return _ENDS.get(reason, DONE if ok else FAILED)
