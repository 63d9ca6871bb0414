"""A display that is drawn in place on a terminal, below the lines that scroll."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console, RenderableType
from rich.live import Live

FRAMES_PER_SECOND = 12


def start_live_display(
    console: Console, draw: Callable[[], RenderableType], *, transient: bool = False
) -> Live | None:
    """Starts a display of what `draw` returns; returns None where there is no terminal."""
    if not console.is_terminal:
        return None
    live = Live(
        console=console,
        get_renderable=draw,
        refresh_per_second=FRAMES_PER_SECOND,
        transient=transient,
    )
    live.start()
    return live
