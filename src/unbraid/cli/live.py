"""A run on the terminal while it works: what scrolls, and what is drawn in place below it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import AsyncIterator

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.rule import Rule
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from unbraid import events as e
from unbraid.cli.output import start_live_display, warn
from unbraid.cli.printer import Printer
from unbraid.fold.gate import DELEGATING
from unbraid.fold.status import MARKS, WAITING
from unbraid.fold.tree import Node, Tree
from unbraid.log.entry import Entry
from unbraid.screen import safe, safe_json, token_count
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


MAX_SUB_AGENTS = 20
ACTION_CHARS = 60


class FleetView:
    """Shows one run after the other."""

    def __init__(self, *, as_json: bool = False) -> None:
        self._as_json = as_json
        self._out = Console(highlight=False)
        self._err = Console(stderr=True, highlight=False)
        self._both = self._out.is_terminal
        self._live: Live | None = None
        self._clear()

    def _clear(self) -> None:
        self._tree, self._line, self._draft = Tree(), "", ""
        self._actions: dict[int, str] = {}
        self._spinners: dict[int, Spinner] = {}

    def __enter__(self) -> FleetView:
        self._clear()
        console = self._out if self._both else self._err
        if not self._as_json:
            self._live = start_live_display(console, self._drawn, transient=True)
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
        if self._line:
            self._print(self._line + "\n")
            self._line = ""

    def draft(self, draft: e.Draft) -> None:
        """Shows what the master may be about to say."""
        first = not self._draft
        self._draft = (self._draft + draft.delta)[-4 * ACTION_CHARS :]
        if first:
            self._draw()

    def show(self, event: e.FleetEvent, data: bytes) -> None:
        """Shows one more event; `data` is its line of JSON."""
        if self._as_json:
            sys.stdout.buffer.write(safe_json(data) + b"\n")
            sys.stdout.buffer.flush()
            return
        self._tree.apply((event,))
        if isinstance(event, e.Text):
            if event.stream_id == 0:
                self._draft = ""
                self._say(event.delta)
            else:
                seen = self._actions.get(event.stream_id, "") + event.delta
                self._actions[event.stream_id] = seen[-4 * ACTION_CHARS :]
        elif isinstance(event, e.StreamStart):
            self._draw()
        elif isinstance(event, e.FleetToolUse):
            self._actions[event.stream_id] = f"⚙ {event.tool} "
        elif isinstance(event, e.FleetPermissionAsked):
            command = shlex.join(("unbraid", "approve", event.request_id))
            warn(f"{event.agent} asks for {event.tool}: {command}")
        elif isinstance(event, e.FleetError):
            warn(f"{event.agent}: {event.message}")

    def _draw(self) -> None:
        """Draws new content at once, and mere progress with the next frame."""
        if self._live is not None:
            self._live.refresh()

    def _say(self, delta: str) -> None:
        if delta.startswith(DELEGATING):
            if self._live is not None:
                self._live.console.print(Text(safe(delta.strip()), style="dim"))
            return
        if self._live is None or not self._both:
            self._print(delta)
            return
        # Above the sub-agents there is only room for whole lines; the last one is drawn with them.
        *whole, self._line = (self._line + delta).split("\n")
        if whole:
            self._print("\n".join(whole) + "\n")

    def _print(self, text: str) -> None:
        if self._both:
            self._out.print(Text(safe(text)), end="", soft_wrap=True)
        else:
            # Not a terminal: bytes cannot do anything to it, and are kept as they are.
            sys.stdout.write(text)
            sys.stdout.flush()

    def _drawn(self) -> RenderableType:
        parts: list[RenderableType] = []
        if self._both and self._line:
            parts.append(Text(safe(self._line)))
        elif self._draft:
            parts.append(Text(_tail(self._draft), style="dim italic"))
        sub_agents = [node for node in self._tree.nodes.values() if node.stream_id]
        running = [node for node in sub_agents if node.ended is None]
        shown = (running or sub_agents[-MAX_SUB_AGENTS:])[:MAX_SUB_AGENTS]
        parts += [self._helper(node) for node in shown if running]
        if len(running) > MAX_SUB_AGENTS:
            parts.append(Text(f"… and {len(running) - MAX_SUB_AGENTS} more", style="dim"))
        return Group(*parts)

    def _helper(self, node: Node) -> RenderableType:
        tokens = node.usage.total_tokens
        used = f"  {token_count(tokens)} tokens" if tokens else ""
        action = _tail(self._actions.get(node.stream_id, ""))
        text = Text("  " * (node.depth - 1))
        text.append(safe(node.agent), style="bold")
        text.append(f"  {action}{used}", style="dim")
        if node.status == WAITING:
            return Text(f"{MARKS[WAITING]} ", style="yellow").append_text(text)
        spinner = self._spinners.setdefault(node.stream_id, Spinner("dots"))
        spinner.update(text=text)
        return spinner


def _tail(text: str) -> str:
    """Returns the end of what was said, in one line that no terminal acts on."""
    line = " ".join(safe(text).split())
    return line if len(line) <= ACTION_CHARS else "…" + line[1 - ACTION_CHARS :]
