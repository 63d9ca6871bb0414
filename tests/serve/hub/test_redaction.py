"""Viewers of a log that was written in clear see no secret, whenever they come, go and resume."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from tests.redact.secret import BITS, KEY, SEEN
from tests.redact.test_lines import cut
from tests.serve.hub.test_follow import Person, Progress, relaxed
from unbraid.events import FleetEvent
from unbraid.log import MemoryLog
from unbraid.redact import reader
from unbraid.redact.reader import RedactedLog
from unbraid.serve.hub import Form, Hub, Viewer
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run

TEXT = f"I use {KEY}, and then {KEY} again"
SHOWN = f"I use {SEEN}, and then {SEEN} again"
PARTS = cut(TEXT, list(range(0, 200, 3)))


@dataclass
class Reader(Person):
    """Someone who also remembers what was said, by run."""

    said: dict[str, str] = field(default_factory=dict)

    def take(self, line: bytes, last: int) -> int:
        event = json.decode(line) if line else {}
        if "seq" in event:
            run = event.get("run", "one")
            self.said[run] = self.said.get(run, "") + event.get("delta", "")
            assert not [bit for bit in BITS if bit in self.said[run].encode()]
        return super().take(line, last)


readers = st.builds(
    Reader,
    comes=st.integers(0, len(PARTS)),
    stays=st.lists(st.integers(1, 5), max_size=4),
    pauses=st.lists(st.integers(0, len(PARTS)), max_size=10),
)


def redacting(log: MemoryLog, **options: Any) -> Hub:
    """A hub that redacts."""
    return Hub(RedactedLog(log), **options)


async def play(sizes: list[int], audience: list[Reader], backlog_bytes: int) -> int:
    """One run said in small parts, to those who come and go; how many events it has."""
    log, events, progress = MemoryLog(), sample_run(PARTS), Progress()

    async def speak() -> None:
        start = 1
        for size in [*sizes, len(events)]:
            if batch := events[start : start + size]:
                await log.append("one", batch)
            start += size
            await progress.step(size)
            await asyncio.sleep(0)

    hub_of = redacting(log, backlog_bytes=backlog_bytes)
    async with asyncio.timeout(PATIENCE_SECONDS), hub_of as hub:
        await log.append("one", events[:1])

        def watch(last: int) -> object:
            return hub.watch("one", last, form=Form.NDJSON)

        async with asyncio.TaskGroup() as group:
            for person in audience:
                group.create_task(person.look(watch, progress))
            group.create_task(speak())
    return len(events)


@relaxed
@given(
    st.lists(st.integers(0, 9), max_size=30),
    st.lists(readers, min_size=1, max_size=5),
    st.sampled_from([1, 500, 10**7]),
)
def test_every_viewer_sees_all_once_and_no_secret(
    sizes: list[int], audience: list[Reader], backlog_bytes: int
) -> None:
    count = asyncio.run(play(sizes, audience, backlog_bytes))
    for person in audience:
        assert person.seen == list(range(1, count + 1))
        assert person.said == {"one": SHOWN}


async def lines(viewer: Viewer, until: Callable[[list[dict[str, object]]], bool]) -> None:
    found: list[dict[str, object]] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not until(found):
            chunk = await viewer.chunk()
            assert chunk is not None
            found += [json.decode(line) for line in chunk.splitlines() if line]


def split(events: list[FleetEvent]) -> tuple[list[FleetEvent], list[FleetEvent]]:
    """Before and after the middle of the first key."""
    return events[:8], events[8:]


async def test_a_run_in_the_middle_of_a_word_holds_up_no_other() -> None:
    log = MemoryLog()
    begun, rest = split(sample_run(PARTS))
    async with redacting(log) as hub:
        async with hub.watch("two", form=Form.NDJSON) as viewer:
            await log.append("one", begun)
            await log.append("two", sample_run(["quite other words"]))
            await lines(viewer, lambda found: bool(found) and found[-1]["type"] == "done")
        # Those who see all runs see them in the order of the log.
        async with hub.watch_all(0, form=Form.NDJSON) as viewer:
            await log.append("one", rest)
            seen: list[dict[str, object]] = []

            def all_seen(found: list[dict[str, object]]) -> bool:
                seen[:] = found
                return [each["type"] for each in found].count("done") == 2

            await lines(viewer, all_seen)
    cursors = [each["cursor"] for each in seen]
    assert cursors == list(range(1, (await log.bounds())[1] + 1))
    said = "".join(str(each.get("delta", "")) for each in seen if each["run"] == "one")
    assert said == SHOWN


@pytest.mark.parametrize("whole", [False, True], ids=["one", "all"])
async def test_who_stalls_in_the_middle_of_a_word_is_waited_for_only_so_long(
    whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "REDACTION_HOLD_SECONDS", 0.05)
    log = MemoryLog()
    begun, rest = split(sample_run(PARTS))
    said = ""

    def heard(found: list[dict[str, object]]) -> str:
        nonlocal said
        said = "".join(str(each.get("delta", "")) for each in found)
        assert not [bit for bit in BITS if bit in said.encode()]
        return said

    async with redacting(log, heartbeat_seconds=0.2) as hub:
        watch = hub.watch_all(0, form=Form.NDJSON) if whole else hub.watch("one", form=Form.NDJSON)
        async with watch as viewer:
            await log.append("one", begun)
            size = sum(len(part) for part in PARTS[:6])
            await lines(viewer, lambda found: len(heard(found)) == size)
            # What may have been the beginning of a secret is hidden, and so is what it became.
            await log.append("one", rest)
            await lines(viewer, lambda found: heard(found).endswith("again"))
    assert set(said[: said.index(",")]) <= {"*"}


async def test_what_was_withheld_before_the_hub_began_is_shown_in_the_end() -> None:
    log, (begun, _) = MemoryLog(), split(sample_run(PARTS))
    await log.append("one", begun)
    async with (
        redacting(log, heartbeat_seconds=0.05) as hub,
        hub.watch("one", form=Form.NDJSON) as viewer,
    ):
        await lines(viewer, lambda found: len(found) == len(begun))
