"""Searches what agents said, and goes to a result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rich.style import Style
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Footer, Input

from unbraid.agents.port import SearchHit
from unbraid.errors import UnbraidError
from unbraid.log.port import Found
from unbraid.log.summary import RunSummary
from unbraid.screen import short
from unbraid.tui.dialogs import Dialog
from unbraid.tui.rows import Row, Rows
from unbraid.tui.run_tree import DIM
from unbraid.tui.services import ViewServices

# A search begins when nothing was typed for this long.
SEARCH_TYPING_PAUSE_SECONDS = 0.3

MAX_RESULTS = 150
KINDS = {"tool_use": "⚙", "thinking": "✻", "prompt": "▌", "response": "→", "retracted": "✘"}


class Search(Dialog):
    """Words in, places out: runs whose title has them, then what was said. The answer is the place,
    as `run/stream/seq`.
    """

    DEFAULT_CSS = """
    Search > Vertical { height: 80%; }
    Search Rows { height: 1fr; }
    """

    def __init__(self, services: ViewServices, runs: Callable[[], list[RunSummary]]) -> None:
        super().__init__()
        self._services, self._runs = services, runs

    def compose(self) -> ComposeResult:
        """Yields a line for the words, and the results below it."""
        with Vertical() as box:
            box.border_title = "Find"
            yield Input(placeholder='words, or "a phrase"')
            yield Rows(id="places")
            yield Footer(show_command_palette=False)

    @on(Input.Changed)
    def changed(self, event: Input.Changed) -> None:
        """Searches again when the words have changed."""
        self.find(event.value.strip())

    @on(Input.Submitted)
    def submitted(self) -> None:
        """Goes to the first result on Enter."""
        rows = self.query_one(Rows)
        if rows.rows:
            self.dismiss(rows.cursor or rows.rows[0].key)

    @on(Rows.Chosen)
    def chosen(self, event: Rows.Chosen) -> None:
        """Goes to the chosen result."""
        self.dismiss(event.key)

    def key_down(self) -> None:
        """Moves from the line to the results."""
        rows = self.query_one(Rows)
        if not rows.has_focus:
            rows.focus()
            rows.action_move(0)

    @work(exclusive=True)
    async def find(self, words: str) -> None:
        """Searches the titles, then the log."""
        runs = {run.run: run for run in self._runs()}
        titled = [
            Row(f"{run.run}/0/0", Text.assemble(("▸ ", DIM), short(run.title or run.run)))
            for run in runs.values()
            if words and words.lower() in f"{run.title} {run.cwd} {run.run}".lower()
        ]
        places, box = self.query_one(Rows), self.query_one(Vertical)
        box.border_subtitle = "looking" if words else ""
        rows = titled[:20]
        places.cursor = None
        places.show(rows)
        if not words:
            return
        try:
            async for found in self._services.all_runs.search(words, limit=MAX_RESULTS):
                rows = [*rows, *(_row(each, runs.get(each.run)) for each in found)]
                places.show(rows)
                # Files are read for the next results: not while somebody types.
                await asyncio.sleep(SEARCH_TYPING_PAUSE_SECONDS)
        except UnbraidError as error:
            self.notify(short(str(error)), severity="error", markup=False)
        box.border_subtitle = f"{len(rows)} found" if rows else "No results."


def _row(found: Found | SearchHit, run: RunSummary | None) -> Row:
    title = short((run.title if run else None) or found.run, 24)
    mark, where = "“", "0/0"
    if isinstance(found, Found):
        mark, where = KINDS.get(found.kind, mark), f"{found.stream_id}/{found.seq}"
    text = Text.assemble((mark, Style(bold=True)), " ", short(found.snippet))
    return Row(f"{found.run}/{where}", text, [Text(title, DIM)])
