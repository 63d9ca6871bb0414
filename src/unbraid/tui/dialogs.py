"""Dialogs on top of the view: a line of text, yes or no, a permission request, a search."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, NamedTuple

import msgspec
from rich.style import Style
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Footer, Input, Static

from unbraid.agents.control_port import GIVE_BACK, AnswerDetails
from unbraid.agents.port import SearchHit
from unbraid.agents.registry import tools
from unbraid.errors import UnbraidError
from unbraid.log.port import Found
from unbraid.log.summary import RunSummary
from unbraid.screen import safe, short
from unbraid.steer.permissions import PermissionRequest
from unbraid.system.clock import now_ms
from unbraid.system.home import user_name
from unbraid.tui.rows import Rows
from unbraid.tui.run_tree import DIM, Row
from unbraid.tui.services import ViewServices

# A search begins when nothing was typed for this long.
SEARCH_TYPING_PAUSE_SECONDS = 0.3
# A key that is pressed this soon after a request has appeared was meant for something else. The
# page waits as long (ARMED_AFTER_MS in web/src/control/Permission.svelte).
REQUEST_ARMED_SECONDS = 0.8

REASON, EDIT = "reason", "edit"
MANY = 9


class Choice(NamedTuple):
    """One answer: what is shown of it, and what it says."""

    text: str
    details: AnswerDetails


def details_of(**given: Any) -> AnswerDetails:
    """Returns the details of an answer that is given in this view."""
    return AnswerDetails(by=user_name(), where="top", **given)


def choices_of(asked: PermissionRequest) -> list[Choice]:
    """Returns what can be chosen by its number: the CLI's own offers, or the answers to an agent's
    one question.
    """
    questions = tools().questions(asked.tool, asked.input)
    if len(questions) == 1 and questions[0].labels:
        return [
            Choice(f"answer: {safe(label)}", details_of(answers={questions[0].text: label}))
            for label in questions[0].labels[:MANY]
        ]
    offers = enumerate(asked.always[:MANY])
    return [
        Choice(f"approve, and: {safe(offer)}", details_of(always=[number]))
        for number, offer in offers
    ]


def can_be_given_back(asked: PermissionRequest) -> bool:
    """Returns whether the agent's own terminal can ask instead."""
    return asked.also_in_terminal or asked.held_until is not None


def note_on(asked: PermissionRequest, now_ms: int) -> str:
    """Returns where else it can be answered, and for how long it waits here."""
    if asked.also_in_terminal:
        return "Also shown in its terminal. The first answer counts."
    if asked.held_until is None:
        return ""
    seconds = max(0, asked.held_until - now_ms) // 1000
    return f"Not shown in its terminal. Returned to it in {seconds // 60}:{seconds % 60:02}."


def edited(text: str) -> dict[str, Any] | None:
    """Returns an input that a person has typed; None if it is no JSON object."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None


HELP = """\
Left: runs, live ones first, and the agents of the selected run.
Right: the conversation of the selected agent.

  tab, 1 2 3   next list, or list 1, 2, 3
  enter, esc   open, go back
  ↑ ↓, j k     move; also PgUp PgDn, Home End
  space        fold or unfold sub-agents
  x            expand thinking, calls and results (click: one)
  z            maximize the list, and back
  /            search everything that agents said
  y            copy the command that continues an agent

For runs that can be steered (`run --steer`, servers, hooks):

  p            answer a permission request
  h            answer requests of background agents here
  m            send a message to the main agent
  i            interrupt the main agent
  s            stop the selected agent; on the main agent, the run

● working ◐ waiting ✔ done ✘ failed ■ interrupted ○ orphaned
"""


class Dialog(ModalScreen[str | None]):
    """A box in the middle; Escape closes it without an answer."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > Vertical {
        width: 90%; max-width: 100; height: auto; max-height: 90%;
        border: round $primary; padding: 0 1; background: $surface;
    }
    Dialog VerticalScroll { height: auto; max-height: 16; scrollbar-size-vertical: 1; }
    Dialog Footer { dock: none; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "answer", "Close")]

    def on_mount(self) -> None:
        """Takes the keyboard focus at once, not only when the screen has been drawn."""
        self.set_focus(next(iter(self.query(Input)), None))

    def action_answer(self, answer: str | None = None) -> None:
        """Closes the dialog with an answer."""
        self.dismiss(answer)


class Help(Dialog):
    """The keys."""

    DEFAULT_CSS = "Help VerticalScroll { max-height: 100%; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("question_mark,q,enter", "answer", show=False)]

    def compose(self) -> ComposeResult:
        """Yields the keys, and how to close them."""
        with Vertical() as box:
            box.border_title, box.border_subtitle = "unbraid top", "esc"
            yield VerticalScroll(Static(HELP, markup=False))


class TextDialog(Dialog):
    """A line of text."""

    def __init__(self, title: str, text: str = "", *, can_be_empty: bool = False) -> None:
        super().__init__()
        self._title, self._text, self._can_be_empty = title, text, can_be_empty

    def compose(self) -> ComposeResult:
        """Yields the line."""
        with Vertical() as box:
            box.border_title = Text(self._title)
            yield Input(self._text)
            yield Footer(show_command_palette=False)

    @on(Input.Submitted)
    def said(self, event: Input.Submitted) -> None:
        """Closes the dialog with the text when Enter is pressed."""
        text = event.value.strip()
        self.dismiss(text if self._can_be_empty else text or None)


class Confirm(Dialog):
    """Yes or no; the answer is yes, or nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('yes')", "Yes"),
        Binding("n", "answer", "No"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """Yields the question."""
        with Vertical():
            yield Static(self._question, markup=False)
            yield Footer(show_command_palette=False)


class PermissionDialog(Dialog):
    """May an agent use a tool? Shows all that it wants to do; the answer is allow or deny, with a
    reason, changed, given back, or the number of one of the choices below it.

    It can be answered a while after it has appeared, and after the last key that came before: one
    that was meant for the request before it, or that is held down, does not answer this one. A
    terminal does not tell a repeated key from another.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "answer('allow')", "Approve"),
        Binding("d", "answer('deny')", "Deny"),
        Binding("r", f"answer('{REASON}')", "Deny with a reason"),
        Binding("e", f"answer('{EDIT}')", "Edit"),
        Binding("g", f"answer('{GIVE_BACK}')", "Return"),
        *(Binding(str(key), f"answer('{key}')", show=False) for key in range(1, MANY + 1)),
    ]

    def __init__(self, asked: PermissionRequest, title: str) -> None:
        super().__init__()
        self._asked, self._title = asked, title
        self._choices = choices_of(asked)
        self._arming: Timer | None = None
        self.is_armed = False

    def on_mount(self) -> None:
        """Waits for a while until it can be answered."""
        super().on_mount()
        self._arming = self.set_timer(REQUEST_ARMED_SECONDS, self._arm)

    def on_key(self) -> None:
        """Waits anew after a key that comes too early."""
        if self._arming is not None and not self.is_armed:
            self._arming.reset()

    def _arm(self) -> None:
        self.is_armed = True
        self.query_one(Vertical).border_subtitle = ""
        self.refresh_bindings()

    def compose(self) -> ComposeResult:
        """Composes the dialog: which agent asks, and for what."""
        shown = tool_input_text(self._asked.input)
        with Vertical() as box:
            box.border_title, box.border_subtitle = "May it?", "not ready yet"
            yield Static(short(self._title, 200), markup=False)
            with VerticalScroll():
                wanted = f"wants to use {safe(self._asked.tool)}:"
                yield Static(Text(wanted, Style(bold=True)))
                yield Static(shown, markup=False)
                # Here, because they say what is approved, too, and may be as long.
                for number, choice in enumerate(self._choices, 1):
                    yield Static(f"{number}  {choice.text}", markup=False)
            yield Static(Text(f"{len(shown):,} characters", Style(dim=True)), id="unread")
            if note := note_on(self._asked, now_ms()):
                yield Static(note, markup=False)
            yield Footer(show_command_palette=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Returns whether an answer is one that this request can have; None, which shows its key
        dimmed, if it cannot have it yet.
        """
        answer = parameters[0] if action == "answer" and parameters else None
        if answer is None:
            return True
        can = not str(answer).isdecimal() or int(str(answer)) <= len(self._choices)
        if answer == EDIT:
            can = self._asked.can_edit
        elif answer == GIVE_BACK:
            can = can_be_given_back(self._asked)
        return None if can and not self.is_armed else can

    def action_answer(self, answer: str | None = None) -> None:
        """Closes the dialog with an answer. What was not shown to its end cannot be approved."""
        asked = self.query_one(VerticalScroll)
        refuses = answer in (None, "deny", REASON, GIVE_BACK)
        if refuses or asked.scroll_offset.y >= asked.max_scroll_y:
            self.dismiss(answer)
            return
        asked.scroll_page_down(animate=False)
        unread = self.query_one("#unread", Static)
        unread.update(Text("There is more: scroll to the end to approve.", Style(bold=True)))


def tool_input_text(given: Any) -> str:
    """Returns all that a tool is to be given, safe. Only a real argument stands at the beginning of
    a line, so that none can pass for two.
    """
    arguments = given.items() if isinstance(given, dict) else [("", given)]
    lines = []
    for name, value in arguments:
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        lines.append(f"{safe(str(name))}: {safe(text)}".replace("\n", "\n    "))
    return "\n".join(lines)


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

    def __init__(self, services: ViewServices) -> None:
        super().__init__()
        self._services = services

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
        runs = {run.run: run for run in self._services.runs()}
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
