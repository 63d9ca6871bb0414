"""The view over a log, as a test reads and drives it."""

from __future__ import annotations

import contextlib
import html
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.block_rows import sources_of
from tests.polling import until
from unbraid import events as e
from unbraid.log import MemoryLog
from unbraid.log.port import Log
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.record.sessions.stored_sessions import StoredSessionList
from unbraid.steer.controllers import Controllers
from unbraid.tui.app import Top
from unbraid.tui.rows import Rows
from unbraid.tui.services import ViewServices
from unbraid.tui.transcript import Transcript

_AT = re.compile(r'x="([\d.]+)"')


class Screen:
    """A view that runs."""

    def __init__(self, app: Top, pilot: Pilot[None], stored: StoredSessionList) -> None:
        self.app, self.pilot, self.stored = app, pilot, stored

    async def until(self, holds: Callable[[], Any]) -> None:
        """Wait until something holds."""
        await until(holds)

    async def until_said(self, texts: Iterable[str]) -> None:
        """Wait until all texts stand in the transcript."""
        wanted = [squeezed(text) for text in texts]
        await self.until(lambda: all(text in squeezed(self.words()) for text in wanted))

    async def press(self, *keys: str) -> None:
        """Press keys, and let the view act on them."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    @property
    def transcript(self) -> Transcript:
        """The words of the chosen agent."""
        return self.app.transcript

    def words(self) -> str:
        """All lines of the transcript, on the screen or scrolled away."""
        lines = self.transcript.lines
        return "\n".join(line.plain for line in lines)

    def rows(self, name: str) -> list[str]:
        """The keys of a list's rows."""
        return [row.key for row in self.app.query_one(f"#{name}", Rows).rows]

    def text(self) -> str:
        """The whole screen as text."""
        return screen_text(self.app)


def screen_text(app: Top) -> str:
    """What a picture of the screen shows, line by line."""
    run_tree = app.export_screenshot()
    width = app.size.width
    wide = float(next(iter(re.findall(r'-clip-terminal">\s*<rect[^>]*width="([\d.]+)"', run_tree))))
    cell = wide / width
    lines: dict[int, str] = {}
    for found in re.finditer(r"<text ([^>]*)>(.*?)</text>", run_tree):
        line = re.search(r"-line-(\d+)\)", found[1])
        at = _AT.search(found[1])
        if line is None or at is None:
            continue
        number, column = int(line[1]), round(float(at[1]) / cell)
        text = html.unescape(found[2]).replace("\xa0", " ")
        lines[number] = lines.get(number, "").ljust(column) + text
    last = max(lines, default=-1)
    return "\n".join(lines.get(number, "").rstrip() for number in range(last + 1)) + "\n"


@contextlib.asynccontextmanager
async def showing(
    log: Log,
    home: Path,
    *,
    run: str | None = None,
    size: tuple[int, int] = (100, 30),
    now: float = 0,
    controllers: Controllers | None = None,
    redact: bool = False,
) -> AsyncIterator[Screen]:
    """The view on a screen of that size."""
    stored = StoredSessionList(log, {"HOME": str(home)}, home, redact=redact)
    services = ViewServices(log, controllers or Controllers(), stored, redact=redact)
    app = Top(services, run, clock=lambda: now)
    async with app.run_test(size=size) as pilot:
        try:
            yield Screen(app, pilot, stored)
        finally:
            # As when a person leaves; `run_test` would take the screen away from them first.
            app.workers.cancel_all()


async def recorded(log: MemoryLog, folder: Path) -> list[e.FleetEvent]:
    """A recording with all its sources, as a run of the log."""
    (found,) = runs_of_sources(sources_of(folder, full=True), {})
    events = list(events_of(found))
    await log.append(folder.name, events)
    return events


def squeezed(text: str) -> str:
    """Text without its spaces and line ends: the view may break lines where it likes."""
    return "".join(text.split())


def said(stream_id: int, texts: Sequence[str], *, first: int = 1) -> list[e.FleetEvent]:
    """Events in which one agent says texts, each a block of its own."""
    return [
        e.Text(
            seq=first + i, ts=1000 + i, stream_id=stream_id, depth=0, agent="main",
            delta=text, message_id=f"m{first + i}", block=0,
        )
        for i, text in enumerate(texts)
    ]  # fmt: skip


def opening() -> list[e.FleetEvent]:
    """How every run begins."""
    common: dict[str, Any] = {"ts": 1000, "stream_id": 0, "depth": 0, "agent": "main"}
    return [
        e.RequestReceived(seq=1, source="test", **common),
        e.StreamStart(seq=2, parent_stream_id=None, **common),
    ]
