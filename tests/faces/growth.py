"""A stored session that is written again, piece by piece, while it is followed.

Lines come in the order of their times, cut anywhere; whoever follows looks now and then, and may be
killed between two looks, so that the next one goes on from what is in the log.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tests.faces.agreement import asked_events, asked_json
from tests.faces.folded_events import agents_of, known
from tests.faces.stored import home_of
from unbraid import events as e
from unbraid.agents.registry import stores
from unbraid.log import Log, opened_log
from unbraid.read.record import milliseconds
from unbraid.record.followed_session import FollowedSession
from unbraid.record.runs import open_run
from unbraid.testing import assert_fleet

LOOKS, KILLS = 0.4, 0.03
_LINE = re.compile(rb"[^\n]*\n|[^\n]+$")
_TIME = re.compile(rb'"timestamp":"([^"]+)"')
MOST = 100_000
LATE = 1 << 62


class Piece(msgspec.Struct, order=True):
    """What is written at once: when, in which file, and what."""

    at: int
    first: bool
    file: str
    number: int
    data: bytes


def pieces(home: Path) -> Iterator[Piece]:
    """The lines of a home's transcripts; an agent's facts are there before its first line."""
    began: dict[str, int] = {}
    for path in sorted(home.rglob("*.jsonl")):
        # A workflow's journal has no times: nothing is asked of it that is not known by the end.
        at, name = LATE if path.stem == "journal" else 0, str(path.relative_to(home))
        for number, match in enumerate(_LINE.finditer(path.read_bytes())):
            time = _TIME.search(match[0])
            at = max(at, milliseconds(time[1].decode()) if time else at)
            began.setdefault(name, at)
            yield Piece(at, True, name, number, match[0])
    for path in home.rglob("*.meta.json"):
        name = str(path.relative_to(home))
        at = began.get(name.replace(".meta.json", ".jsonl"), 0)
        yield Piece(at, False, name, 0, path.read_bytes())


class Following:
    """Whoever follows a session into a log."""

    def __init__(self, log: Log, run: str, env: Mapping[str, str]) -> None:
        self._log, self._run, self._env = log, run, env
        self._followed: FollowedSession | None = None

    async def look(self, *, at_once: bool = False) -> None:
        """Records what is new."""
        for store in stores(self._env).values() if self._followed is None else ():
            if store.is_session_id(self._run) and store.root(self._run) == self._run:
                recorder, recorded = await open_run(self._log, self._run, redact=False)
                follower = store.follow(self._run, recorded)
                assert follower is not None
                self._followed = FollowedSession(recorder, follower, shielded=False)
        if self._followed is not None:
            await self._followed.look(at_once=at_once)

    def kill(self) -> None:
        """Forgets everything but the log."""
        self._followed = None

    async def end(self) -> None:
        """Takes the last look."""
        await self.look(at_once=True)
        assert self._followed is not None
        await self._followed.close()


async def grown(env: Mapping[str, str], home: Path, run: str, seed: int) -> list[dict[str, Any]]:
    """Writes a home's sessions to where `env` has them, and returns the events of one of them."""
    chance, place = random.Random(seed), Path(env["HOME"])
    async with opened_log("memory:") as log:
        following = Following(log, run, env)
        for piece in sorted(pieces(home)):
            path, at = place / piece.file, 0
            path.parent.mkdir(parents=True, exist_ok=True)
            ends = (chance.randint(1, len(piece.data)) for _ in range(chance.choice((0, 0, 1, 2))))
            for end in (*sorted(ends), len(piece.data)):
                with path.open("ab") as file:
                    file.write(piece.data[at:end])
                at = end
                if chance.random() < LOOKS:
                    await following.look()
            if chance.random() < KILLS:
                following.kill()
        await following.end()
        assert [each.run for each in await log.runs()] == [run]
        return [json.loads(entry.data) for entry in await log.read(run, 0, MOST)]


def comparable(events: list[dict[str, Any]]) -> tuple[Any, ...]:
    """Who, what and how much, whatever the numbers of streams are; when it began, and where."""
    agents = agents_of(events)

    def name(stream: int) -> tuple[Any, ...]:
        agent = agents[stream]
        above = () if agent.parent is None else name(agent.parent)
        return (*above, agent.name, agent.description, agent.resumes is not None)

    rows = [
        (name(stream), agent.status, agent.own, agent.tools, sorted(agent.words.values()))
        for stream, agent in agents.items()
    ]
    about = (events[0]["ts"], known(events, "cwd"), known(events, "session_id"))
    return sorted(map(repr, rows)), about


def grows(folder: Path, place: Path, seed: int) -> bool:
    """Fails unless a followed session is what its files say in the end. Returns whether the
    recording has such files.
    """
    env = home_of(folder, place / "whole")
    # A packed file does not grow.
    packed = any((place / "whole").rglob("*.zst"))
    if env is None or packed or not any((place / "whole").rglob("*.jsonl")):
        return False
    for row in asked_json(env, "ps", "--all"):
        whole = asked_events(env, "cat", row["run"])
        # Its own index is nothing that the CLI has written.
        shutil.rmtree(place / "whole" / "unbraid", ignore_errors=True)
        new = place / f"grown-{row['run']}"
        again = {name: value.replace(str(place / "whole"), str(new)) for name, value in env.items()}
        events = asyncio.run(grown(again, place / "whole", row["run"], seed))
        assert_fleet([e.decode_event(msgspec.json.encode(event)) for event in events])
        assert comparable(events) == comparable(whole)
    return True
