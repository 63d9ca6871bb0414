"""`unbraid top`: runs, the agents of one run, what one agent says.

Followers of the log only fold what they read; a tick a few times a second draws what has changed.
So a flood costs no more than a trickle, and keys are answered in between.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Static

from unbraid.agents.control_port import VERBS
from unbraid.errors import LogError, UnbraidError
from unbraid.fold.alerts.monitor import AlertMessage
from unbraid.log.remote.ingest import ServerUnreachable
from unbraid.record.sessions.all_runs import STORED_SESSIONS_REFRESH_SECONDS
from unbraid.screen import counted, short
from unbraid.send.senders import terminal_call
from unbraid.tui.dialogs import Help, Search
from unbraid.tui.rows import Rows
from unbraid.tui.run_control import RunControl
from unbraid.tui.run_tree import EMPTY, RunTree, run_row, run_title
from unbraid.tui.services import ViewServices
from unbraid.tui.transcript import Reader, Transcript

# Changes between two pictures are one picture.
TOP_DRAW_SECONDS = 0.1
TOP_LIST_SECONDS = 0.5
# Who can be steered, and who waits for an answer.
TOP_CONTROL_POLL_SECONDS = 1.0
TOP_RETRY_SECONDS = 2.0
# The same error is shown again only after this long.
NOTICE_REPEAT_SECONDS = 30.0

MAX_CHARS = 400


class Notifier:
    """Shows messages at once, or, before the view has started, as soon as it has."""

    def __init__(self, app: App[Any], clock: Callable[[], float]) -> None:
        self._app, self._clock = app, clock
        self._early: list[str] = []
        self._shown_at: dict[str, float] = {}

    def begin(self) -> None:
        """Shows the messages that came before the view had started."""
        early, self._early = self._early, []
        for text in early:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Shows a warning."""
        if self._app.is_running:
            self._app.notify(short(text, MAX_CHARS), severity="warning", markup=False)
        else:
            self._early.append(text)

    def alert(self, given: AlertMessage) -> None:
        """Shows an alert."""
        if self._app.is_running:
            title, body = short(given.title, MAX_CHARS), short(given.body, MAX_CHARS)
            self._app.notify(body, title=title, severity="warning", markup=False)

    def show_error(self, error: UnbraidError) -> None:
        """Shows an error; the same one again only after a while."""
        # Those who ask a server that has gone away find different reasons at different moments.
        same = "unreachable" if isinstance(error, ServerUnreachable) else str(error)
        now = self._clock()
        recent = {k: at for k, at in self._shown_at.items() if now - at < NOTICE_REPEAT_SECONDS}
        self._shown_at = {same: now} | recent
        if same not in recent:
            self._app.notify(short(str(error), MAX_CHARS), severity="error", markup=False)


# What opens a dialog. These keys have priority: they are acted on before the next one is looked at,
# so that words which are typed ahead go to the dialog and are never taken for commands.
ASKING = ("help", "search", "answer", "message", "interrupt", "stop")


class Top(App[None]):
    """The view."""

    TITLE = "unbraid"
    CSS_PATH = "top.tcss"
    # To their base class, these are instance variables.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (70, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (12, "-middling"), (22, "-high")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+c", "quit", "Quit"),
        Binding("question_mark", "help", "Help", key_display="?", priority=True),
        Binding("slash", "search", "Find", key_display="/", priority=True),
        Binding("x", "whole", "Details"),
        Binding("z", "zoom", "Zoom", show=False),
        Binding("p", "answer", "Answer", priority=True),
        Binding("h", "answer_here", "Answer here", show=False),
        Binding("m", "message", "Message", priority=True),
        Binding("i", "interrupt", "Interrupt", priority=True),
        Binding("s", "stop", "Stop", priority=True),
        Binding("y", "copy", "Copy command", show=False),
        Binding("escape", "back", "Back", show=False),
        Binding("1", "pane('runs')", show=False),
        Binding("2", "pane('agents')", show=False),
        Binding("3", "pane('stream')", show=False),
    ]

    def __init__(
        self, services: ViewServices, run: str | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self._clock = clock
        self._services, self._wanted_run = services, run
        self.notifier = Notifier(self, clock)
        self._run_control = RunControl(self, services)
        self._run_tree: RunTree | None = None
        self._reader: Reader | None = None
        self._able: list[str] = []
        # Held, not looked up: workers outlive the screen by a moment when the view is closed.
        self._runs, self._agents = Rows(id="runs"), Rows(id="agents")
        self._title, self._about = _static("title"), _static("about")
        self.transcript, self._bar = Transcript(id="stream"), _static("waiting")
        self._folded: set[int] = set()
        self._dirty = False
        self._goal: tuple[int, int] | None = None  # the stream and seq to show once they are known

    def compose(self) -> ComposeResult:
        """Yields the lists on the left, the words on the right."""
        self._runs.border_title, self._agents.border_title = "Runs", "Agents"
        yield self._title
        yield Static(EMPTY, id="empty", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield self._runs
                yield self._agents
            with Vertical(id="right"):
                yield self._about
                yield self.transcript
        yield self._bar
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Starts the background tasks."""
        self._runs.focus()
        self.notifier.begin()
        self.list_runs()
        self.list_stored()
        self.refresh_control()
        self.set_interval(TOP_DRAW_SECONDS, self._draw)

    # --- what is looked at all the time ---

    @work
    async def list_runs(self) -> None:
        """Lists the runs again whenever the log has grown."""
        first = True
        while True:
            try:
                await self._services.refresh()
                if first and self._wanted_run is not None:
                    await self._open(self._wanted_run)
            except UnbraidError as error:
                self.notifier.show_error(error)
                await asyncio.sleep(TOP_RETRY_SECONDS)
            first = False
            self._show_runs()
            await asyncio.sleep(TOP_LIST_SECONDS)

    @work
    async def list_stored(self) -> None:
        """Lists the sessions that are not in the log, now and then."""
        while True:
            try:
                await self._services.refresh_stored()
            except UnbraidError as error:
                self.notifier.show_error(error)
            await asyncio.sleep(STORED_SESSIONS_REFRESH_SECONDS)

    @work
    async def refresh_control(self) -> None:
        """Reads again which runs can be steered, and which permission requests are pending."""
        while True:
            try:
                await self._run_control.refresh()
            except UnbraidError as error:
                self.notifier.show_error(error)
            self._show_waiting()
            await asyncio.sleep(TOP_CONTROL_POLL_SECONDS)

    @work(exclusive=True, group="follow")
    async def follow(self, run_tree: RunTree) -> None:
        """Applies the events of the chosen run as it grows."""
        while True:
            try:
                summary = await self._services.log.run(run_tree.run)
                run_tree.known = summary.last_seq if summary else 0
                async for batch in self._services.log.follow(run_tree.run, run_tree.page_index.seq):
                    run_tree.apply(batch)
                    if not batch:
                        run_tree.known = 0  # the rest of it waits for more: show what there is
                    self._dirty = True
                    await asyncio.sleep(0)
                return
            except LogError as error:
                self.notifier.show_error(error)
                await asyncio.sleep(TOP_RETRY_SECONDS)

    @work(exclusive=True, group="read")
    async def read(self, reader: Reader) -> None:
        """Shows the chosen stream."""
        while True:
            try:
                await reader.run()
            except LogError as error:
                self.notifier.show_error(error)
                await asyncio.sleep(TOP_RETRY_SECONDS)

    # --- what is chosen ---

    @on(Rows.Moved, "#runs")
    def run_moved(self, event: Rows.Moved) -> None:
        """Shows the run under the cursor."""
        if self._services.logged_run(event.key) is not None:
            self._choose(event.key)
        else:
            self._about.update(Text("This session is not in the log yet.\nPress Enter to open it."))

    @on(Rows.Chosen, "#runs")
    async def run_chosen(self, event: Rows.Chosen) -> None:
        """Opens a run on Enter."""
        await self._attempt(self._open(event.key))
        self.action_pane("agents")

    @on(Rows.Moved, "#agents")
    def agent_moved(self, event: Rows.Moved) -> None:
        """Shows the agent under the cursor."""
        self._read_stream(int(event.key))

    @on(Rows.Chosen, "#agents")
    def agent_chosen(self) -> None:
        """Moves to the text of an agent on Enter."""
        self.action_pane("stream")

    @on(Rows.Folded, "#agents")
    def agent_folded(self, event: Rows.Folded) -> None:
        """Folds what is below an agent, or unfolds it."""
        self._folded ^= {int(event.key)}
        self._dirty = True

    @on(Transcript.Wanted)
    def place_wanted(self, event: Transcript.Wanted) -> None:
        """Asks the reader for what is beyond the window, to which a person has scrolled."""
        if self._reader is not None:
            self._reader.want(event.where)

    @property
    def _chosen(self) -> str:
        return self._run_tree.run if self._run_tree else ""

    async def _open(self, name: str) -> None:
        self._choose(await self._services.open(name))

    def _choose(self, run: str, goal: tuple[int, int] | None = None) -> None:
        self._goal = goal
        if self._run_tree is None or self._run_tree.run != run:
            self._run_tree = RunTree(run)
            self._folded = set()
            self.follow(self._run_tree)
            self._read_stream(goal[0] if goal else 0)
        self._dirty = True
        self._show_runs()
        self._show_waiting()

    def _read_stream(self, stream: int, seq: int | None = None) -> None:
        if self._run_tree is None:
            return
        self._reader = Reader(
            transcript=self.transcript,
            log=self._services.log,
            run_tree=self._run_tree,
            stream=stream,
            seq=seq,
        )
        self.read(self._reader)
        self._dirty = True

    # --- drawing ---

    def _draw(self) -> None:
        run_tree, reader = self._run_tree, self._reader
        if not self._dirty or run_tree is None or reader is None:
            return
        if run_tree.page_index.seq < run_tree.known:
            return  # its beginning is still being read: nothing of it is news
        self._dirty = False
        if self._goal is not None and run_tree.page_index.seq >= self._goal[1]:
            (stream, seq), self._goal = self._goal, None
            if seq or stream != reader.stream:
                self._read_stream(stream, seq or None)
                return
        self._agents.show(run_tree.rows(self._folded), str(reader.stream))
        agents = counted(len(run_tree.tree.nodes), "agent")
        self._agents.border_subtitle = f"{agents} · totals"
        self._about.update(Text("\n").join(run_tree.about(reader.stream)))
        reader.tick()

    def _show_runs(self) -> None:
        runs, services = self._services.runs(), self._services
        self.screen_stack[0].set_class(not runs, "-nothing")
        if self._run_tree is None and services.logged and self._wanted_run is None:
            logged = {run.run for run in services.logged}
            self._choose(next(run.run for run in runs if run.run in logged))
            return
        now = self._clock() * 1000
        rows = [run_row(run, now) for run in runs]
        is_stored = any(run.run == self._runs.cursor for run in services.stored)
        self._runs.show(rows, self._runs.cursor if is_stored else self._chosen or None)
        live = sum(not run.over for run in runs)
        self._runs.border_subtitle = f"{live} live of {len(runs)}"
        shown = next((run for run in runs if run.run == self._chosen), None)
        self._title.update(run_title(shown))

    def _show_waiting(self) -> None:
        waiting = self._run_control.waiting(self._chosen)
        chosen = self._services.logged_run(self._chosen)
        said = self._run_control.waiting_text(waiting, chosen)
        self._bar.display = said is not None
        self._bar.update(Text(said or ""))
        able = [*self._run_control.verbs(self._chosen), *["answer"] * bool(waiting)]
        if able != self._able:
            # This draws the footer again, so it is done only when something has changed.
            self._able = able
            self.refresh_bindings()

    def alert(self, given: AlertMessage) -> None:
        """Shows an alert, and makes the terminal call."""
        self.notifier.alert(given)
        if self._driver is not None:
            self._driver.write(terminal_call(given))

    # --- keys ---

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Returns whether a key can do something now; None if it is shown as disabled. In a dialog,
        keys are letters.
        """
        if action in ASKING and len(self.screen_stack) > 1:
            return False
        if action == "stop":
            action = "stop" if self._reader is not None and self._reader.stream else "cancel"
        steers = action in (*VERBS, "answer")
        return True if not steers or action in self._able else None

    async def action_help(self) -> None:
        """Shows the keys."""
        await self.push_screen(Help())

    def action_pane(self, name: str) -> None:
        """Moves the focus to a list."""
        # At once: `focus` waits a moment, and the next key may be there already.
        self.screen.set_focus(self.query_one(f"#{name}"))

    async def action_back(self) -> None:
        """Goes back from the text to the agents to the runs."""
        if self.screen.maximized is not None:
            self.screen.minimize()
            return
        focused = self.focused.id if self.focused else None
        self.action_pane("agents" if focused == "stream" else "runs")

    def action_zoom(self) -> None:
        """Shows one list on the whole screen, or all of them again."""
        if self.screen.maximized is not None:
            self.screen.minimize()
        elif self.focused is not None:
            self.screen.maximize(self.focused)

    def action_whole(self) -> None:
        """Folds thinking, calls and results, or unfolds them."""
        self.transcript.toggle(whole=not self.transcript.whole)

    def action_copy(self) -> None:
        """Copies the command that continues the chosen agent."""
        if self._run_tree is not None and self._reader is not None:
            command = f"unbraid attach {self._run_tree.run}/{self._reader.stream} --resume"
            self.copy_to_clipboard(command)
            self.notify(command, title="Copied", markup=False)

    async def action_search(self) -> None:
        """Opens the search."""

        async def go(place: str | None) -> None:
            if place is None:
                return
            run, stream, seq = place.rsplit("/", 2)
            if self._services.logged_run(run) is None:
                await self._attempt(self._open(run))
            self._choose(run, (int(stream), int(seq)))
            self.action_pane("stream")

        await self.push_screen(Search(self._services), go)

    async def action_answer(self) -> None:
        """Answers the first pending permission request."""
        asked = next(iter(self._run_control.waiting(self._chosen)), None)
        if asked is not None:
            run = self._services.logged_run(asked.run)
            await self._run_control.answer(asked, (run and run.title) or asked.run)

    async def action_answer_here(self) -> None:
        """Says, or no longer, that permission requests are answered here."""
        await self._run_control.toggle_answering()

    async def action_message(self) -> None:
        """Sends the main agent a message."""
        await self._run_control.message(self._chosen)

    async def action_interrupt(self) -> None:
        """Interrupts the main agent."""
        await self._run_control.interrupt(self._chosen)

    async def action_stop(self) -> None:
        """Stops the chosen agent, or the run."""
        await self._run_control.stop(self._chosen, self._reader.stream if self._reader else 0)

    async def _attempt(self, opening: Awaitable[None]) -> None:
        try:
            await opening
        except UnbraidError as error:
            self.notifier.show_error(error)


def _static(name: str) -> Static:
    return Static(id=name, markup=False)
