"""`unbraid top --redact` shows no secret: not in words, titles, places or requests for leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.record.run.agents import UNBRAID, log_path
from tests.record.watch.test_restart import environment
from tests.redact.secret import KEY, SEEN, bits_in
from tests.redact.test_lines import cut
from tests.steer.steered_run import SteeredRun, append_request
from tests.tui.screens import opening, showing
from tests.tui.tmux import terminal
from unbraid import events as e
from unbraid.log import MemoryLog, SqliteLog
from unbraid.steer.controllers import Controllers
from unbraid.testing.log_contract import sample_run

TEXT = f"I use {KEY}, and it works."
SHOWN = f"I use {SEEN}, and it works."
SIZE = (160, 40)


def bits(text: str, first: int) -> list[e.FleetEvent]:
    """A text of the main agent's, bit by bit."""
    place: dict[str, Any] = {"stream_id": 0, "depth": 0, "agent": "main", "message_id": "m"}
    return [
        e.Text(seq=seq, ts=seq, delta=part, block=0, **place)
        for seq, part in enumerate(cut(text, list(range(0, 100, 3))), first)
    ]


def leaked(text: str) -> list[bytes]:
    """Bits of the key in a text."""
    return bits_in(text)


async def test_words_titles_and_places(tmp_path: Path) -> None:
    log, events = MemoryLog(), sample_run(cut(TEXT, list(range(0, 100, 3))))
    events[0].prompt = events[1].prompt = f"Go with {KEY}"  # type: ignore[attr-defined]
    await log.append("one", events)
    async with showing(log, tmp_path, size=SIZE, redact=True) as screen:
        await screen.until_said([SHOWN, f"Go with {SEEN}"])
        assert f"Go with {SEEN}" in screen.text()
        assert not leaked(screen.words() + screen.text())
        await screen.press("slash", *"works")
        await screen.until(lambda: "“ " in screen.text() and "and it works" in screen.text())
        assert not leaked(screen.text())


async def test_what_is_not_decided_waits_and_the_rest_is_shown(tmp_path: Path) -> None:
    log, output = MemoryLog(), bits(TEXT, 3)
    half = len(output) // 3
    await log.append("one", [*opening(), *output[:half]])
    async with showing(log, tmp_path, size=SIZE, redact=True) as screen:
        await screen.until(lambda: "I use" in screen.words())
        await log.append("one", output[half:])
        await screen.until_said([SHOWN.removesuffix("works.")])
        assert not leaked(screen.words())
        await log.append("one", sample_run(["."] * len(output))[-3:])
        await screen.until_said([SHOWN])
        assert not leaked(screen.words() + screen.text())


async def test_requests_for_leave(tmp_path: Path) -> None:
    log, controllers = MemoryLog(), Controllers()
    controllers.register("one", SteeredRun("one"))
    await log.append("one", opening())
    await append_request(log, "one", command=f"curl -H 'x: {KEY}'")
    async with showing(log, tmp_path, size=SIZE, redact=True, controllers=controllers) as screen:
        await screen.until(lambda: f"x: {SEEN}" in screen.text())
        await screen.press("p")
        await screen.until(lambda: "May it?" in screen.text())
        assert not leaked(screen.text())


async def test_in_a_terminal(tmp_path: Path) -> None:
    env = environment(tmp_path)
    log = await SqliteLog.open(log_path(tmp_path))
    await log.append("one", sample_run(cut(TEXT, list(range(0, 100, 3)))))
    await log.close()
    async with terminal([UNBRAID, "top", "--redact"], env, tmp_path, SIZE) as view:
        assert not leaked(await view.until(SHOWN))
        await view.type("q")
        await view.until("ended with 0")
