"""A run in one row: folded from its events in the transaction that appends them, so listing runs
reads no event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from unbraid import events as e
from unbraid.errors import CallerError
from unbraid.fold.status import FILTERS, LIVE, WORKING, RunState, WaitingFor
from unbraid.fold.title import prompt_title, title_of
from unbraid.fold.usage import Totals, Usage

SPANS = 32
FIRST_SPAN_MS = 125


class Activity(Struct):
    """Events in up to `SPANS` equal spans of time since the run's start. When the run outgrows
    them, they become twice as long.
    """

    span_ms: int = FIRST_SPAN_MS
    counts: list[int] = field(default_factory=list)

    def add(self, since_start_ms: int) -> None:
        """Count one more event."""
        index = since_start_ms // self.span_ms
        if 0 <= index < len(self.counts):
            self.counts[index] += 1
            return
        since_start_ms = max(0, since_start_ms)
        while since_start_ms >= SPANS * self.span_ms:
            self.span_ms *= 2
            pairs = zip(self.counts[::2], [*self.counts[1::2], 0], strict=False)
            self.counts = [first + second for first, second in pairs]
        index = since_start_ms // self.span_ms
        self.counts.extend([0] * (index + 1 - len(self.counts)))
        self.counts[index] += 1


# What says nothing about a run that is known to be at work.
_SILENT = frozenset(
    (
        e.Text,
        e.Thinking,
        e.FleetToolUse,
        e.FleetToolResult,
        e.FleetProgress,
        e.SubAgentResponse,
        e.AgentStart,
        e.ToolCall,
        e.FleetRetracted,
        e.FleetCompacted,
        e.FleetError,
        e.FleetUnrecognized,
        e.FleetMalformed,
    )
)


class RunSummary(Struct):
    """What `ps` and `GET /v1/runs` show of a run. `status` is determined by `unbraid.fold.status`,
    and `waiting` is what the run waits for.

    `machine` is the machine that sent the run here (the name of its token) or wrote it to a shared
    log; `user` is the user who ran it there. `first_seq` is the oldest event that the log still
    has, `bytes` the size of those it has.
    """

    run: str
    source: str = ""
    session_id: str | None = None
    title: str | None = None
    cwd: str | None = None
    machine: str | None = None
    user: str | None = None
    status: str = WORKING
    waiting: WaitingFor | None = None
    agents: int = 0
    started: int = 0
    updated: int = 0
    usage: Usage = field(default_factory=Usage)
    activity: Activity = field(default_factory=Activity)
    first_seq: int = 1
    last_seq: int = 0
    bytes: int = 0
    state: RunState = field(default_factory=RunState)
    totals: Totals = field(default_factory=Totals)

    def __post_init__(self) -> None:
        # Earlier versions kept only the result.
        if not self.totals.seen.total_tokens:
            self.totals.seen = replace(self.usage)

    @property
    def over(self) -> bool:
        """Whether the run's `done` is in the log."""
        return self.status not in LIVE

    @property
    def page(self) -> str:
        """Where this run stands in the list of runs, for `before`."""
        return f"{self.started}.{self.run}"

    @property
    def words(self) -> str:
        """What a run is looked for by, in small letters."""
        names = (self.session_id, self.source, self.machine, self.user)
        texts = (self.run, self.title, self.cwd, *names)
        return "\n".join(text.lower() for text in texts if text)

    def fold(self, event: e.FleetEvent, size: int) -> None:
        """Applies one more event, of `size` bytes."""
        ts = event.ts
        self.last_seq = event.seq
        self.bytes += size
        self.started = self.started or ts
        if ts > self.updated:
            self.updated = ts
        self.activity.add(ts - self.started)
        if type(event) in _SILENT and not self.state.idle_since:
            return  # as most are
        if self.totals.fold(event):
            self.usage = self.totals.total()
        self.state.apply(event)
        self.status, self.waiting = self.state.status, self.state.waiting
        match event:
            case e.StreamStart():
                # An agent that is asked again opens a new stream and is still one agent.
                self.agents += event.resumes is None
                if event.stream_id == 0:
                    self._entitle(event.prompt)
            case e.RequestReceived():
                self.source = event.source
                self.machine, self.user = event.machine, event.user
                self.cwd = event.cwd or self.cwd
                self.session_id = event.session_id or self.session_id
                self._entitle(event.prompt)
            case e.FleetSessionMeta() if event.stream_id == 0:
                self.cwd = self.cwd or event.cwd
                self.session_id = self.session_id or event.session_id
                self.title = title_of(event.title) or self.title
            case e.FleetPrompt() if event.stream_id == 0:
                self._entitle(event.text)

    def _entitle(self, prompt: str | None) -> None:
        if prompt and not self.title:
            self.title = prompt_title(prompt)


def select_runs(
    runs: Iterable[RunSummary], *, status: str | None, matching: str | None, before: str | None
) -> Iterator[RunSummary]:
    """Runs, last started first, as every list of runs selects them."""
    start = None if before is None else page_start(before)
    words = None if matching is None else matching.lower()
    for run in sorted(runs, key=lambda run: (run.started, run.run), reverse=True):
        if (
            (start is None or (run.started, run.run) < start)
            and (status is None or run.status in FILTERS[status])
            and (words is None or words in run.words)
        ):
            yield run


def page_start(page: str) -> tuple[int, str]:
    """Returns a `page` taken apart: when that run started, and its id."""
    started, _, run = page.partition(".")
    # Nothing keeps a source from times before 1970.
    digits = started.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 17 and run):
        raise CallerError(f"not a valid page of the list of runs: {page[:80]!r}")
    return int(started), run
