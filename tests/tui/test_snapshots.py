"""The whole screen, as it was looked at and found good; `UNBRAID_SNAPSHOTS=write` writes it anew.

What stands on it is not taken from here: `test_app` holds the words to what the model said. This
holds what a change may break unseen: borders, columns, cut words, the footer.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.polling import until
from tests.tui.screens import Screen, showing
from unbraid.cli.demo import recorded_lines
from unbraid.log import MemoryLog
from unbraid.record.ingest import Ingest
from unbraid.record.recorder import priced_pipeline

FOLDER = Path(__file__).parent / "snapshots"
GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "top.md"
DRAWN_SECONDS = 20
NOW_MS = 1794736300000  # a minute after the recording


async def fleet() -> MemoryLog:
    log = MemoryLog()
    recorded = b"".join(line for _, line in recorded_lines())
    ingest = Ingest(log, priced_pipeline)
    await ingest.feed("demo", "stdout", 0, recorded, now=NOW_MS - 60_000, end=True)
    return log


async def compare(name: str, screen: Screen) -> None:
    path = FOLDER / f"{name}.txt"
    if os.environ.get("UNBRAID_SNAPSHOTS") == "write":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(screen.text())
    # Its parts are drawn one after the other.
    await until(screen.text, path.read_text().__eq__, seconds=DRAWN_SECONDS)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 30)], ids=lambda size: f"{size[0]}")
async def test_the_screen_is_as_it_was(size: tuple[int, int], tmp_path: Path) -> None:
    async with showing(await fleet(), tmp_path, run="demo", size=size, now=NOW_MS / 1000) as screen:
        await screen.until(lambda: len(screen.rows("agents")) == 5)
        await screen.press("2", "down", "down")
        await screen.until(lambda: "is the only failure" in screen.words())
        await screen.until(lambda: "q Quit" in screen.text())
        await compare(f"fleet-{size[0]}x{size[1]}", screen)


async def test_the_keys_fit_on_a_small_screen(tmp_path: Path) -> None:
    async with showing(await fleet(), tmp_path, size=(80, 24), now=NOW_MS / 1000) as screen:
        await screen.until(lambda: len(screen.rows("agents")) == 5)
        await screen.press("question_mark")
        await screen.until(lambda: "to the main agent" in screen.text())
        await compare("help-80x24", screen)


def test_the_guide_shows_the_real_screen() -> None:
    assert (FOLDER / "fleet-80x24.txt").read_text() in GUIDE.read_text()
