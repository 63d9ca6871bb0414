"""A progress bar over the history that is being read."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


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
