"""A list of one-line rows with a cursor: a text that takes what room there is, and cells behind it.

Only the rows on the screen are ever drawn. When there is little room, the last cells go first.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from unbraid.tui.run_tree import Row

MIN_TEXT = 16


class Rows(ScrollView, can_focus=True):
    """The widget. The cursor stays with its row, wherever that goes."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--cursor"}
    DEFAULT_CSS = """
    Rows { overflow-x: hidden; scrollbar-size-vertical: 1; }
    Rows > .rows--cursor { background: $surface-lighten-2; text-style: bold; }
    Rows:focus > .rows--cursor { background: $primary; color: $text; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", "edge(0)", "First", show=False),
        Binding("end,G", "edge(1)", "Last", show=False),
        Binding("enter", "choose", "Open", show=False),
        Binding("space", "fold", "Fold", show=False),
    ]

    class Moved(Message):
        """The cursor stands on another row, because a person has put it there."""

        def __init__(self, rows: Rows, key: str) -> None:
            super().__init__()
            self.rows, self.key = rows, key

        @property
        def control(self) -> Rows:
            return self.rows

    class Chosen(Moved):
        """A row was chosen with Enter or a second click."""

    class Folded(Moved):
        """A row is to be folded or unfolded."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.rows: list[Row] = []
        self.cursor: str | None = None
        self._widths: list[int] = []

    def show(self, rows: list[Row], cursor: str | None = None) -> None:
        """Shows other rows; `cursor` moves the cursor to that row."""
        self.rows = rows
        columns = max((len(row.cells) for row in rows), default=0)
        self._widths = [
            max((row.cells[i].cell_len for row in rows if i < len(row.cells)), default=0)
            for i in range(columns)
        ]
        self.virtual_size = Size(self.size.width, len(rows))
        if cursor is not None and cursor != self.cursor:
            self.cursor = cursor
            self._reveal()
        self.refresh()

    @property
    def index(self) -> int | None:
        """Where the cursor stands."""
        return next((i for i, row in enumerate(self.rows) if row.key == self.cursor), None)

    def render_line(self, y: int) -> Strip:
        """Returns one line of the screen."""
        number, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if number >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        row = self.rows[number]
        line = self._line(row, width)
        style = self.rich_style
        if row.key == self.cursor:
            style += self.get_component_rich_style("rows--cursor", partial=True)
        segments = list(Segment.apply_style(line.render(self.app.console), style))
        return Strip(segments).adjust_cell_length(width, style)

    def _line(self, row: Row, width: int) -> Text:
        room, cells = width, list[tuple[Text, int]]()
        for cell, column in zip(row.cells, self._widths, strict=False):
            if room - column - 1 < MIN_TEXT:
                break
            if column:
                cells.append((cell, column))
                room -= column + 1
        text = row.text
        text.truncate(room, overflow="ellipsis", pad=True)
        for cell, column in cells:
            text.append(" " * (column - cell.cell_len + 1), Style())
            text.append_text(cell)
        text.end = ""
        return text

    def action_move(self, by: int) -> None:
        """Moves the cursor up or down."""
        index = self.index
        self._put(0 if index is None else index + by)

    def action_page(self, by: int) -> None:
        """Moves the cursor a screen up or down."""
        self._put((self.index or 0) + by * max(self.size.height - 1, 1))

    def action_edge(self, last: int) -> None:
        """Moves the cursor to the first or last row."""
        self._put(len(self.rows) - 1 if last else 0)

    def action_choose(self) -> None:
        """Chooses the row at the cursor (Enter)."""
        if self.cursor is not None:
            self.post_message(self.Chosen(self, self.cursor))

    def action_fold(self) -> None:
        """Folds or unfolds the row at the cursor (Space)."""
        if self.cursor is not None:
            self.post_message(self.Folded(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor to a clicked row; a second click chooses it."""
        place = event.get_content_offset(self)
        number = -1 if place is None else place.y + self.scroll_offset.y
        if 0 <= number < len(self.rows):
            self._put(number)
            if event.chain == 2:
                self.action_choose()

    def _put(self, index: int) -> None:
        if not self.rows:
            return
        row = self.rows[min(max(index, 0), len(self.rows) - 1)]
        if row.key != self.cursor:
            self.cursor = row.key
            self.post_message(self.Moved(self, row.key))
        self._reveal()
        self.refresh()

    def _reveal(self) -> None:
        index = self.index
        if index is not None:
            self.scroll_to_region(Region(0, index, 1, 1), animate=False, force=True)
