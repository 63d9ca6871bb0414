"""The view shows what the scripted model said, under the agent that said it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.block_rows import RECORDINGS, served
from tests.tui.screens import opening, recorded, said, showing, squeezed
from unbraid import events as e
from unbraid.log import Entry, MemoryLog
from unbraid.log.remote.ingest import RemoteError, ServerUnreachable
from unbraid.testing import load
from unbraid.tui.app import NOTICE_REPEAT_SECONDS, Notifier, Top
from unbraid.tui.rows import Rows
from unbraid.tui.run_tree import PAGE_EVENTS, RunTree
from unbraid.tui.services import MAX_RUNS
from unbraid.tui.transcript import SPAN

SHOWN = (
    "nested.plain-fwd.2.1.325",
    "deep-fan.plain.2.1.197",
    "fan-same-opening.partial-fwd.2.1.325",
    "nested.run.opencode",
    "nested.plain.1.0.128",
)


def helper(stream_id: int, *, seq: int, description: str = "") -> e.StreamStart:
    """A sub-agent of the main agent begins."""
    return e.StreamStart(
        seq=seq, ts=1000, stream_id=stream_id, depth=1, agent="helper", parent_stream_id=0,
        description=description,
    )  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
async def test_every_text_once_under_its_agent(name: str, tmp_path: Path) -> None:
    log = MemoryLog()
    await recorded(log, RECORDINGS / name)
    recording = load(RECORDINGS / name)
    truth = [row for _, row in served(recording) if row[1] == "text"]
    run_tree = RunTree(name)
    run_tree.apply(await log.read(name, 0, 1_000_000))
    async with showing(log, tmp_path, size=(100, 40)) as screen:
        await screen.until(lambda: len(screen.rows("agents")) == len(run_tree.tree.nodes))
        assert screen.rows("runs") == [name]
        await screen.press("2", "home")
        for key in screen.rows("agents"):
            call = run_tree.tree.nodes[int(key)].tool_use_id or ""
            own = [words for agent, _, words in truth if agent == call]
            await screen.until_said(own)
            for words in map(squeezed, own):
                # One text may begin with another: that one counts as well.
                output = sum(squeezed(other).count(words) for other in own)
                assert squeezed(screen.words()).count(words) == output, words
            await screen.press("down")


async def test_nothing_there_says_what_to_do(tmp_path: Path) -> None:
    async with showing(MemoryLog(), tmp_path, size=(80, 24)) as screen:
        await screen.until(lambda: "No agents here yet" in screen.text())
        assert "unbraid run --steer -- claude" in screen.text()
        await screen.until(lambda: "q Quit" in screen.text())


async def test_what_is_said_later_appears_by_itself(tmp_path: Path) -> None:
    log = MemoryLog()
    async with showing(log, tmp_path) as screen:
        await log.append("one", opening())
        await screen.until(lambda: screen.rows("runs") == ["one"])
        await log.append("one", said(0, ["first words"], first=3))
        await screen.until(lambda: "first words" in screen.words())
        await log.append("one", said(0, ["second words"], first=4))
        await screen.until(lambda: "second words" in screen.words())
        assert screen.words().count("first words") == 1


async def test_older_pages_come_when_someone_scrolls_up(tmp_path: Path) -> None:
    log, total, held = MemoryLog(), 3000, SPAN * PAGE_EVENTS
    texts = [f"word-{number}-\n" for number in range(total)]
    await log.append("one", [*opening(), *said(0, texts, first=3)])
    async with showing(log, tmp_path) as screen:

        def numbers() -> list[int]:
            return [int(line[5:-1]) for line in screen.words().split("\n") if line]

        await screen.until(lambda: "word-2999-" in screen.words())
        assert "word-0-" not in screen.words()
        await screen.press("3")
        seen = set(numbers())
        while 0 not in seen:
            first = numbers()[0]
            # As the wheel does, or a key that is held down.
            screen.transcript.scroll_to(y=0, animate=False)
            await screen.until(lambda first=first: numbers()[0] < first)  # type: ignore[misc]
            assert numbers() == list(range(numbers()[0], numbers()[-1] + 1))
            assert len(numbers()) <= held
            seen |= set(numbers())
        assert seen == set(range(total))
        await screen.press("end")
        await screen.until(lambda: "word-2999-" in screen.text())
        await screen.press("home")
        await screen.until(lambda: "word-0-" in screen.text())
        await screen.press("end")
        await log.append("one", said(0, ["the latest"], first=total + 3))
        await screen.until(lambda: "the latest" in screen.text())
        assert len([line for line in screen.words().split("\n") if line]) <= held


async def test_whoever_has_scrolled_up_is_left_there(tmp_path: Path) -> None:
    log = MemoryLog()
    await log.append("one", [*opening(), *said(0, [f"word-{n}-\n" for n in range(200)], first=3)])
    async with showing(log, tmp_path) as screen:
        await screen.until(lambda: "word-199-" in screen.words())
        await screen.press("3", "pageup", "pageup")
        before = _top_line(screen.text())
        await log.append("one", said(0, [f"more-{n}-\n" for n in range(3000)], first=203))
        await log.append("one", [helper(1, seq=3203)])
        await screen.until(lambda: screen.rows("agents") == ["0", "1"])
        await screen.pilot.pause()
        assert _top_line(screen.text()) == before
        await screen.press("end")
        await screen.until(lambda: "more-2999-" in screen.text())


def _top_line(text: str) -> str:
    return next(line for line in text.split("\n") if "word-" in line)


async def test_a_flood_does_not_keep_keys_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, total = CountingLog(), 50_000
    texts = [f"{number} words of a flood, " for number in range(total)]
    await log.append("one", [*opening(), *said(0, texts, first=3)])
    async with showing(log, tmp_path) as screen:
        read: list[int] = []
        monkeypatch.setattr(Top, "action_whole", lambda _: read.append(log.read_events))
        await screen.until(lambda: log.read_events)
        began = log.read_events
        await screen.press("x")
        # Answered while the run was still being read: after a few batches of a thousand.
        assert read[0] - began <= 10_000 < total - began
        await screen.until(lambda: f"{total - 1} words of a flood" in screen.words())
        assert log.read_events == total + 2


async def test_an_error_that_many_meet_is_shown_once_in_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, now, shown = "http://server:1", NOTICE_REPEAT_SECONDS - 1, list[str]()
    async with showing(MemoryLog(), tmp_path) as screen:
        monkeypatch.setattr(screen.app, "notify", lambda text, **_: shown.append(text))
        notifier = Notifier(screen.app, lambda: now)
        for reason in ("reset", "refused", "reset"):
            notifier.show_error(ServerUnreachable(url, 0, f"cannot be reached: {reason}"))
            notifier.show_error(RemoteError(url, 500, "it is full"))
            now += 2
        assert shown == [f"{url}: cannot be reached: reset", f"{url}: it is full"]
        now += NOTICE_REPEAT_SECONDS
        notifier.show_error(RemoteError(url, 500, "it is full"))
        assert shown[2:] == [f"{url}: it is full"]


class CountingLog(MemoryLog):
    """Knows how many events whoever follows a run was given."""

    read_events = 0

    async def follow(self, run: str, since: int = 0) -> AsyncIterator[list[Entry]]:
        async for batch in super().follow(run, since):
            self.read_events += len(batch)
            yield batch


async def test_keys_lead_in_and_out(tmp_path: Path) -> None:
    log = MemoryLog()
    await recorded(log, RECORDINGS / SHOWN[0])
    async with showing(log, tmp_path) as screen:
        await screen.until(lambda: len(screen.rows("agents")) == 3)
        places = []
        for key in ("enter", "enter", "escape", "escape", "tab", "tab", "1", "2", "3"):
            await screen.press(key)
            await screen.until(lambda: screen.app.focused is not None)
            places.append(screen.app.focused.id if screen.app.focused else None)
        assert places == [
            "agents", "stream", "agents", "runs", "agents", "stream", "runs", "agents", "stream",
        ]  # fmt: skip
        await screen.press("z")
        assert screen.app.screen.maximized is screen.transcript
        await screen.press("z")
        assert screen.app.screen.maximized is None
        await screen.press("2", "space")
        await screen.until(lambda: screen.rows("agents") == ["0"])
        await screen.press("space")
        await screen.until(lambda: screen.rows("agents") == ["0", "1", "2"])


async def test_the_mouse_chooses_and_unfolds(tmp_path: Path) -> None:
    log = MemoryLog()
    await recorded(log, RECORDINGS / SHOWN[0])
    async with showing(log, tmp_path) as screen:
        await screen.until(lambda: len(screen.rows("agents")) == 3)
        await screen.pilot.click("#agents", offset=(5, 3))
        await screen.until(lambda: "leaf is done" in screen.words())
        agents = screen.app.query_one("#agents", Rows)
        assert agents.cursor == "2"
        await screen.pilot.click("#agents", offset=(5, 1))
        await screen.until(lambda: "Delegating down." in screen.words())
        line = screen.words().split("\n").index("Delegating down.") + 2
        assert '"subagent_type"' not in screen.words()
        y = line - round(screen.transcript.scroll_y) + 1
        await screen.pilot.click("#stream", offset=(5, y))
        await screen.until(lambda: '"subagent_type"' in screen.words())


async def test_a_search_leads_to_the_place(tmp_path: Path) -> None:
    log = MemoryLog()
    await recorded(log, RECORDINGS / SHOWN[0])
    texts = [f"word-{n}-\n" for n in range(3000)]
    texts[700] = "the needle in the haystack\n"
    await log.append("hay", [*opening(), *said(0, texts, first=3)])
    async with showing(log, tmp_path) as screen:
        await screen.until(lambda: len(screen.rows("runs")) == 2)
        await screen.press("slash", *"needle")
        await screen.until(lambda: "the needle in the" in screen.text())
        await screen.press("enter")
        await screen.until(lambda: "the needle in the haystack" in screen.text())
        assert len(screen.app.screen_stack) == 1
        await screen.press("slash", *"leaf is done")
        await screen.until(lambda: "leaf is done" in screen.text())
        await screen.press("down", "enter")
        await screen.until(lambda: "leaf is done" in screen.words())


async def test_a_session_that_nobody_followed_is_read_when_someone_opens_it(
    tmp_path: Path,
) -> None:
    (folder,) = RECORDINGS.glob(SHOWN[0])
    shutil.copytree(folder / "projects", tmp_path / ".claude" / "projects")
    log = MemoryLog()
    async with showing(log, tmp_path) as screen:
        await screen.stored.read(lambda text: None)
        await screen.until(lambda: len(screen.rows("runs")) == 1)
        await screen.press("down")
        await screen.until(lambda: "Press Enter to open it." in screen.text())
        assert await log.runs() == []
        await screen.press("enter")
        await screen.until_said(["Delegating down."])
        await screen.until(lambda: len(screen.rows("agents")) == 3)
        assert [run.run for run in await log.runs()] == screen.rows("runs")


async def test_a_thousand_runs_and_two_hundred_agents(tmp_path: Path) -> None:
    log = MemoryLog()
    for number in range(1000):
        await log.append(f"run-{number:04}", opening())
    agents = [helper(i + 1, seq=3 + i, description=f"helper {i}") for i in range(200)]
    await log.append("run-0999", agents)
    async with showing(log, tmp_path, run="run-0999", size=(80, 24)) as screen:
        await screen.until(lambda: len(screen.rows("agents")) == 201)
        assert len(screen.rows("runs")) == MAX_RUNS
        await screen.press("2", "end")
        await screen.until(lambda: "helper 199" in screen.text())
        await screen.press("1", "end")
        last = screen.rows("runs")[-1]
        await screen.until(lambda: last in screen.text())


@pytest.mark.parametrize("size", [(40, 10), (60, 20), (100, 10)], ids=str)
async def test_on_a_small_screen_whoever_is_looked_at_has_room(
    size: tuple[int, int], tmp_path: Path
) -> None:
    log = MemoryLog()
    await log.append("one", [*opening(), *said(0, ["The words."], first=3)])
    async with showing(log, tmp_path, size=size) as screen:
        await screen.until(lambda: "The words." in screen.words())
        for key, shown in (("1", "● one"), ("2", "● main"), ("3", "The words.")):
            await screen.press(key)
            await screen.until(lambda shown=shown: shown in screen.text())  # type: ignore[misc]
        for shown in ("● one", "● main", "The words."):
            await screen.press("tab")
            await screen.until(lambda shown=shown: shown in screen.text())  # type: ignore[misc]
        await screen.press("question_mark")
        await screen.until(lambda: "unbraid top" in screen.text())
        await screen.press("escape")
        await screen.until(lambda: "The words." in screen.text())


async def test_a_search_says_what_came_of_it(tmp_path: Path) -> None:
    log = MemoryLog()
    await log.append("one", [*opening(), *said(0, ["a needle", "another needle", "x"], first=3)])
    async with showing(log, tmp_path) as screen:
        await screen.until(lambda: "needle" in screen.words())
        await screen.press("slash", *"needle")
        await screen.until(lambda: "2 found" in screen.text())
        await screen.press(*"zz")
        await screen.until(lambda: "No results." in screen.text())
        await screen.press(*["backspace"] * 8)
        await screen.until(lambda: "No results." not in screen.text())


async def test_whoever_is_far_down_has_a_name(tmp_path: Path) -> None:
    log, depth = MemoryLog(), 20
    starts = [
        e.StreamStart(
            seq=number + 2, ts=1000, stream_id=number, depth=number, agent=f"agent-{number}",
            parent_stream_id=number - 1,
        )
        for number in range(1, depth + 1)
    ]  # fmt: skip
    await log.append("one", [*opening(), *starts])
    async with showing(log, tmp_path, size=(80, 40)) as screen:
        await screen.until(lambda: len(screen.rows("agents")) == depth + 1)
        await screen.until(
            lambda: all(f"● agent-{number}" in screen.text() for number in range(1, depth + 1))
        )
