"""Dialogs on top of the view: a line of text, yes or no, a permission request."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec
from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Footer, Input, Static

from unbraid.agents.control_port import GIVE_BACK
from unbraid.screen import safe, short
from unbraid.steer.permissions import PermissionRequest
from unbraid.system.clock import now_ms
from unbraid.tui.permission_answers import (
    EDIT,
    MANY,
    REASON,
    can_be_given_back,
    choices_of,
    note_on,
)

# A key that is pressed this soon after a request has appeared was meant for something else. The
# page waits as long (ARMED_AFTER_MS in web/src/control/Permission.svelte).
REQUEST_ARMED_SECONDS = 0.8

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
