"""What commands show beside their result: warnings, progress, what is drawn in place."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

FRAMES_PER_SECOND = 12


def warn(text: str) -> None:
    """Prints a warning; control characters in it are made safe for the terminal."""
    from unbraid.screen import safe

    click.echo(f"unbraid: {safe(text)}", err=True)


def print_json(value: object) -> None:
    """Prints a value as JSON, in which no terminal finds anything to act on."""
    import msgspec

    from unbraid.screen import safe_json

    click.echo(safe_json(msgspec.json.encode(value)))


def terminal_width() -> int | None:
    """Returns how wide standard output is, if it is a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def progress_bar() -> Callable[[int, int], None]:
    """Returns a progress bar, where a person sees it and has to wait for it."""
    if not sys.stderr.isatty():
        return lambda done, total: None
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task, began = bar.add_task("Reading the history", total=None), time.monotonic()

    def show(done: int, total: int) -> None:
        if done == total:
            bar.stop()
        elif time.monotonic() - began > 0.5:
            bar.start()
            bar.update(task, completed=done, total=total)

    return show


def start_live_display(
    console: Console, draw: Callable[[], RenderableType], *, transient: bool = False
) -> Live | None:
    """Starts a display of what `draw` returns; returns None where there is no terminal."""
    if not console.is_terminal:
        return None
    from rich.live import Live

    live = Live(
        console=console,
        get_renderable=draw,
        refresh_per_second=FRAMES_PER_SECOND,
        transient=transient,
    )
    live.start()
    return live
