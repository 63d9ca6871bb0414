"""The sessions on this machine, while they are being read: a growing table and a progress bar.

On a terminal it is drawn in place and stays as it was last; elsewhere the newest sessions are lines
as soon as they are known.
"""

from __future__ import annotations

import asyncio
import heapq
from contextlib import suppress

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from unbraid.cli.output.live_display import start_live_display
from unbraid.cli.output.messages import warn
from unbraid.cli.output.table import runs_table
from unbraid.fold.alerts.monitor import AlertMessage
from unbraid.log.summary import RunSummary
from unbraid.record.sessions.stored_sessions import StoredSessionList
from unbraid.screen import safe, token_count
from unbraid.send.senders import terminal_call

# The newest sessions are listed before a watch does anything else, if they are read this soon.
FIRST_SESSIONS_TIMEOUT_SECONDS = 0.5

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
