"""What a list says of a stored session is what the whole translation of the session says.

A list reads only the lines that can change what it shows. Here every recording, and histories that
were made for it, are listed, and translated from the first line to the last; also with their JSON
written in another way, and cut off in the middle, as a process that was killed leaves them.
"""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.index_history import make
from tests.block_rows import FOLDERS
from tests.faces.stored import AGO_SECONDS, home_of
from unbraid.agents.registry import stores
from unbraid.fold.usage import Usage
from unbraid.log import RunSummary
from unbraid.record.sessions.run_list import list_sessions
from unbraid.record.sessions.sources import events_of
from unbraid.record.sessions.stored_facts import stored_facts

WITH_PROJECTS = [folder for folder in FOLDERS if (folder / "projects").is_dir()]
STORED = [
    folder
    for folder in FOLDERS
    if (folder / "projects").is_dir() or (folder / "sessions").is_dir() or any(folder.glob("*.db"))
]


def whole(env: dict[str, str], kind: str, session: str) -> RunSummary:
    """A stored session, translated from its first line to its last."""
    run = stores(env)[kind].run(session)
    assert run is not None
    summary = RunSummary(session)
    for event in events_of(run):
        summary.fold(event, 0)
    return summary


def numbers(usage: Usage) -> tuple[object, ...]:
    """Tokens, and money to the billionth."""
    money = (usage.cost_usd, usage.estimated_usd)
    return (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_creation_tokens,
        usage.unpriced_tokens,
        *(None if each is None else round(each, 9) for each in money),
    )


def shown(run: RunSummary) -> dict[str, object]:
    """What a list shows of a run."""
    return {
        "agents": run.agents,
        "usage": numbers(run.usage),
        "title": run.title,
        "cwd": run.cwd,
        "started": run.started,
        "updated": run.updated,
        "status": run.status,
        "session_id": run.session_id,
        "source": run.source,
    }


def compare(env: dict[str, str]) -> int:
    """Fails unless the list and the translation agree; returns how many sessions there are."""
    rows = list(list_sessions(env, None, warn=pytest.fail))
    for row in rows:
        assert shown(row) == shown(whole(env, row.source, row.run)), row.run
    return len(rows)


def rewrite(place: Path, write: str) -> None:
    """Writes the JSON of all transcripts and rollouts in another way."""
    for path in [*place.rglob("*.jsonl"), *place.rglob("*.meta.json")]:
        lines = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
        separators = (", ", ": ") if write == "spaced" else (",", ":")
        path.write_text("".join(json.dumps(line, separators=separators) + "\n" for line in lines))
        os.utime(path, (time.time() - AGO_SECONDS,) * 2)


@pytest.mark.parametrize("write", ["as it is", "spaced", "compact"])
@pytest.mark.parametrize("folder", STORED, ids=lambda folder: folder.name)
def test_of_every_recording(folder: Path, write: str, tmp_path: Path) -> None:
    env = home_of(folder, tmp_path)
    assert env is not None
    if write != "as it is":
        if any(folder.glob("*.db")) or any(tmp_path.rglob("*.zst")):
            return
        rewrite(tmp_path, write)
    assert compare(env)


@pytest.mark.parametrize("write", ["compact", "spaced"])
def test_of_a_made_history(write: str, tmp_path: Path) -> None:
    make(tmp_path / "claude", 12, 1_000_000)
    rewrite(tmp_path, write)
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    assert compare(env) == 12


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(WITH_PROJECTS),
    st.sampled_from(["compact", "spaced"]),
    st.integers(0, 2**32),
)
def test_of_a_session_that_was_cut_off(
    tmp_path_factory: pytest.TempPathFactory, folder: Path, write: str, seed: int
) -> None:
    """Every file may be cut off anywhere, as if its process had been killed."""
    place, dice = tmp_path_factory.mktemp("cut"), random.Random(seed)
    env = home_of(folder, place)
    assert env is not None
    rewrite(place, write)
    for path in place.rglob("*.jsonl"):
        lines = [line + b"\n" for line in path.read_bytes().split(b"\n") if line]
        path.write_bytes(b"".join(lines[: dice.randint(1, len(lines))]))
        os.utime(path, (time.time() - AGO_SECONDS,) * 2)
    compare(env)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(["compact", "spaced"]), st.integers(0, 2**32))
def test_of_a_long_session_in_any_state(
    tmp_path_factory: pytest.TempPathFactory, write: str, seed: int
) -> None:
    """Its files are cut off anywhere, lines are written twice, and its account is among them."""
    place, dice = tmp_path_factory.mktemp("long"), random.Random(seed)
    make(place / "claude", 2, 60_000, seed)
    rewrite(place, write)
    for path in place.rglob("*.jsonl"):
        lines = [line + b"\n" for line in path.read_bytes().split(b"\n") if line]
        lines = lines[: dice.randint(1, len(lines))]
        for _ in range(dice.randint(0, 2)):
            begin = dice.randrange(len(lines))
            lines[begin:begin] = lines[max(begin - dice.randint(1, 6), 0) : begin]
        usage = {"inputTokens": dice.randint(1, 10**5), "outputTokens": 7}
        account = {"type": "cost-state", "sessionId": path.stem, "totalCostUSD": 0.5}
        account |= {"modelUsage": {"claude-opus-5-5": usage}}
        if dice.random() < 0.5 and not path.name.startswith("agent-"):
            at = dice.randint(1, len(lines))
            lines.insert(at, json.dumps(account).encode() + b"\n")
        path.write_bytes(b"".join(lines))
        os.utime(path, (time.time() - AGO_SECONDS,) * 2)
    compare({"HOME": str(place), "CLAUDE_CONFIG_DIR": str(place / "claude")})


def test_what_was_kept_of_a_session_is_what_was_read(tmp_path: Path) -> None:
    make(tmp_path / "claude", 12, 1_000_000)
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    first = list(stored_facts(env, tmp_path / "kept", warn=pytest.fail))
    assert list(stored_facts(env, tmp_path / "kept", warn=pytest.fail)) == first
    assert list(stored_facts(env, None, warn=pytest.fail)) == first
