"""The interactive Codex, in a terminal (tmux), with `unbraid run` in front of it."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

import pytest

from tests.agents.codex.test_codex_clis import begun, cli_of, ended, every_version
from tests.block_rows import logged_rows, rows_of
from tests.record.run.agents import UNBRAID
from tests.record.watch.watching import watched
from tests.tui.tmux import terminal
from unbraid import events as e
from unbraid.testing import Script, ScriptedModel, Spawn, Wait, bash, codex_launch, say

pytestmark = [pytest.mark.cli, pytest.mark.timeout(120)]


@every_version
async def test_it_has_the_terminal_and_we_have_its_words(version: str, tmp_path: Path) -> None:
    script = Script(
        {
            "main": [say("Plan.", Spawn("a")), say(Wait("a")), say("All done here.")],
            "a": [say("a works", bash("echo a")), say("a is done")],
        }
    )
    with ScriptedModel(script) as model:
        launch = codex_launch(cli_of(version), model.url, tmp_path, ["[[main]] Go."])
        argv = [UNBRAID, "run", "--", *launch.argv]
        beside = tmp_path / "beside"
        try:
            async with (
                watched(tmp_path, apart=beside),
                terminal(argv, launch.env, launch.cwd, (140, 45)) as screen,
            ):
                await begun(tmp_path, e.FleetTurnComplete)
                assert "Plan." in await screen.until("All done here.")
                await begun(beside, e.FleetTurnComplete)
                await screen.leave()
                # Who only watches sees it end too, though a server still has its files open.
                logs = [await ended(tmp_path), await ended(beside)]
        finally:
            _end_below(tmp_path / ".codex")
    wanted = [r for r in rows_of(model.truth) if not r[2].startswith("(main has nothing")]
    for events in logs:
        rows = [row for row in logged_rows(events) if not row[2].startswith("(main has nothing")]
        assert sorted(rows) == sorted(wanted)
        ends = [x for x in events if isinstance(x, e.StreamEnd)]
        assert [x.reason for x in ends] == ["completed"] * 2, [repr(x)[:160] for x in events]


def _end_below(home: Path) -> None:
    """End what this test has started: from 0.166 on a daemon stays, for the next time."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(home).encode() in (folder / "cmdline").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)
