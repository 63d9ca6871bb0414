"""Runs as a table, in which no agent can draw; it may grow while sessions are being read."""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from unbraid.cli.output import start_live_display, warn
from unbraid.log.summary import RunSummary
from unbraid.screen import cost, safe, token_count

if TYPE_CHECKING:
    from rich.live import Live

    from unbraid.fold.alerts.monitor import AlertMessage
    from unbraid.record.sessions.stored_sessions import StoredSessionList

# The newest sessions are listed before a watch does anything else, if they are read this soon.
FIRST_SESSIONS_TIMEOUT_SECONDS = 0.5

Row = tuple[RunSummary, dict[str, Text]]

WIDE = 120
GAP = 2
COLUMNS = ("RUN", "STATUS", "AGENTS", "TOKENS", "COST", "AGE")
LEFT = ("RUN", "STATUS")
# What goes first where there is no room.
SPARED = ("AGENTS", "TOKENS", "COST")
COLORS = {
    "working": "green",
    "waiting": "bold yellow",
    "done": "dim",
    "failed": "red",
    "interrupted": "red",
    "orphaned": "yellow",
}


def runs_table(runs: Iterable[RunSummary], width: int) -> RenderableType:
    """Returns one row a run: status, agents, tokens, cost, age, where, and what it is about.

    A run's name is there to be copied: it is never cut. On a narrow screen the rest gives way, and
    what the run is about stands below its name.
    """
    now = time.time() * 1000
    rows = [(run, _cells(run, now)) for run in runs]
    widths = {
        name: max(len(name), *(cell_len(cells[name].plain) for _, cells in rows), 0)
        for name in COLUMNS
    }
    return _wide(rows, widths, width) if width >= WIDE else Group(*_narrow(rows, widths, width))


def _wide(rows: list[Row], widths: dict[str, int], width: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, wide in widths.items():
        right = name not in LEFT
        table.add_column(name, justify="right" if right else "left", no_wrap=True, width=wide)
    left = max(width - sum(widths.values()) - GAP * len(widths), 2 * GAP)
    table.add_column("WHERE", no_wrap=True, overflow="ellipsis", max_width=left // 3)
    table.add_column("TITLE", no_wrap=True, overflow="ellipsis", max_width=left * 2 // 3 - GAP)
    for run, cells in rows:
        table.add_row(*cells.values(), Text(_one_line(run.cwd)), Text(_one_line(run.title)))
    return table


def _narrow(rows: list[Row], widths: dict[str, int], width: int) -> Iterator[Text]:
    """Yields two lines for each run: its name and status, then what it is about."""
    for name in ("", *SPARED):
        widths.pop(name, None)
        if sum(widths.values()) + GAP * (len(widths) - 1) <= width:
            break
    else:
        widths = {"RUN": 0}
    yield _line({name: Text(name, "bold") for name in widths}, widths)
    for run, cells in rows:
        yield _line({name: cells[name] for name in widths}, widths)
        about = [(_one_line(run.cwd).rpartition("/")[2], "dim"), (_one_line(run.title), "dim")]
        if "STATUS" not in widths:
            status = cells["STATUS"]
            about = [(status.plain, str(status.style)), (cells["AGE"].plain, ""), *about]
        below = Text(" " * GAP, no_wrap=True).append_text(
            Text(" · ", "dim").join(Text(text, style) for text, style in about if text)
        )
        below.truncate(width, overflow="ellipsis")
        yield below


def _line(cells: dict[str, Text], widths: dict[str, int]) -> Text:
    line = Text(overflow="fold")
    for name, cell in cells.items():
        spare = " " * (widths[name] - cell_len(cell.plain))
        parts = (cell, spare) if name in LEFT else (spare, cell)
        line.append_text(Text.assemble(" " * GAP if line else "", *parts))
    line.rstrip()
    return line


def _cells(run: RunSummary, now_ms: float) -> dict[str, Text]:
    return {
        "RUN": Text(run.run),
        "STATUS": Text(run.status, style=COLORS.get(run.status, "")),
        "AGENTS": Text(str(run.agents)),
        "TOKENS": Text(token_count(run.usage.total_tokens)),
        "COST": Text(cost(run.usage)),
        "AGE": Text(age((now_ms - run.updated) / 1000)),
    }


def _one_line(text: str | None) -> str:
    # A line end would begin what looks like another run's row.
    return " ".join(safe(text or "").split())


def age(seconds: float) -> str:
    """Returns how long ago, in its largest unit."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{max(int(seconds), 0)}s"


NEWEST = 12


class SessionTable:
    """The newest of the stored sessions, while these are being listed."""

    def __init__(self, sessions: StoredSessionList) -> None:
        self._stored, self._console = sessions, Console(stderr=True)
        self._newest: list[tuple[int, int, RunSummary]] = []
        self._sessions = self._tokens = 0
        self._live: Live | None = None
        self._address: str | None = None
        self._loop, self._filled = asyncio.get_running_loop(), asyncio.Event()

    def __enter__(self) -> SessionTable:
        self._live = start_live_display(self._console, self.draw)
        return self

    def __exit__(self, *_: object) -> None:
        self._filled.set()
        if self._live is not None:
            self._live.stop()
            self._live = None
            if self._address is not None:
                warn(self._address)
        else:
            self.say(self._summary())

    def add(self, run: RunSummary) -> None:
        """Adds a session; called from the thread that reads them."""
        self._sessions += 1
        self._tokens += run.usage.total_tokens
        # Numbered, because a session may be in two folders, and runs have no order of their own.
        item = (run.updated, -self._sessions, run)
        if len(self._newest) < NEWEST:
            heapq.heappush(self._newest, item)
        else:
            heapq.heappushpop(self._newest, item)
        if self._sessions == NEWEST:
            self._loop.call_soon_threadsafe(self._filled.set)
        if self._live is None and self._sessions <= NEWEST:
            words = (run.run, run.status, str(run.agents), token_count(run.usage.total_tokens))
            self.say("  ".join((*words, run.cwd or "", run.title or "")))

    async def filled(self) -> None:
        """Waits for the sessions that are seen first, unless they take long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_SESSIONS_TIMEOUT_SECONDS):
                await self._filled.wait()

    def say(self, text: str) -> None:
        """Prints a line above the table."""
        if self._live is not None:
            self._console.print(Text(safe(text)), soft_wrap=True)
        else:
            warn(text)

    def show_address(self, url: str) -> None:
        """Prints the page's address at once, and again below a table that is still growing: it is
        what a person looks for when everything has been read.
        """
        self.say(url)
        self._address = url if self._live is not None else None

    def alert(self, given: AlertMessage) -> None:
        """Prints an alert, and makes the terminal call."""
        from unbraid.send.senders import terminal_call

        self.say("\n  ".join((given.title, *given.body.splitlines())))
        if self._console.is_terminal:
            self._console.file.write(terminal_call(given))
            self._console.file.flush()

    def draw(self) -> Group:
        """Returns what is known so far."""
        newest = [run for _, _, run in sorted(self._newest, reverse=True)]
        table = runs_table(newest, self._console.width) if newest else Text()
        listed, total = self._stored.listed, self._stored.total
        if not total or listed < total:
            row = Table.grid(padding=(0, 1))
            count = f"{listed} of {total} sessions" if total else "looking"
            bar = ProgressBar(total or None, listed, width=40, pulse=not total)
            row.add_row("Reading the history", bar, count)
            return Group(table, row)
        return Group(table, Text(self._summary(), style="dim"))

    def _summary(self) -> str:
        named = "session" if self._sessions == 1 else "sessions"
        return f"{self._sessions} {named}, {token_count(self._tokens)} tokens"
