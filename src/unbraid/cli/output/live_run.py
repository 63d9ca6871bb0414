"""A run on the terminal while it happens: its text scrolls, and its tree is below, live."""

from __future__ import annotations

from collections.abc import AsyncIterator

from rich.console import Console, Group
from rich.live import Live
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from unbraid.cli.output.live_display import start_live_display
from unbraid.cli.output.printer import Printer
from unbraid.log.entry import Entry
from unbraid.tui.run_tree import RunTree


class LiveRunView:
    """Shows one run. Where there is no terminal, lines are printed, and the tree at the end."""

    def __init__(self, run: str) -> None:
        self._console = Console(highlight=False, soft_wrap=True)
        self._run_tree = RunTree(run)
        width = self._console.width if self._console.is_terminal else None
        self._printer = Printer(width)
        self._live: Live | None = None

    def __enter__(self) -> LiveRunView:
        self._live = start_live_display(self._console, self._tree)
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        else:
            self.say("\nAgents:\n")
            self.say(self._run_tree.tree.to_text())

    async def follow(self, batches: AsyncIterator[list[Entry]]) -> None:
        """Shows everything, to the end of the run."""
        async for batch in batches:
            self._run_tree.apply(batch)
            for entry in batch:
                for line in self._printer.lines(entry.event):
                    self.say(line)

    def say(self, text: str) -> None:
        """Prints a line above the tree. The printer has made agents' text safe."""
        self._console.print(Text.from_ansi(text))

    def _tree(self) -> Group:
        rows = self._run_tree.rows(())
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column()
        for _ in range(max((len(row.cells) for row in rows), default=0)):
            table.add_column(justify="right")
        for row in rows:
            table.add_row(row.text, *row.cells)
        return Group(Rule(style="dim"), table) if rows else Group()
