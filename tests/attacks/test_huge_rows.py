"""Attack: an agent's database has a row of hundreds of megabytes, or a session with more children
than SQLite takes values in one query.

Such a row was read, decoded and kept several times over. Its length is asked first: what is longer
than a line may be is reported once, as `malformed`, with its length; all else is read. Ids are
given as one value.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.agents.opencode.tables import TABLES
from unbraid import events as e
from unbraid.agents.opencode.database import database_blocks, database_runs
from unbraid.agents.opencode.follower import Database
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.record.sessions.sources import events_of, runs_of_sources

HUGE = DEFAULT_MAX_LINE_BYTES + 100
CHILDREN = 32_800


def database(path: Path) -> Path:
    """Returns a database of one root session whose agent has said three things."""
    info = json.dumps({"role": "assistant", "time": {"created": 1}})
    huge = '{"type":"text","text":"' + "x" * (HUGE - 25) + '"}'
    parts = [f'{{"type":"text","text":"{word}","time":{{"start":1,"end":2}}}}' for word in "ac"]
    with closing(sqlite3.connect(path)) as db:
        db.executescript(TABLES)
        row = ("ses_a", None, "t", "/w", "1.2.27", 1, 1, None, None)
        db.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        db.execute("INSERT INTO message VALUES ('msg_a', 'ses_a', ?, 1)", (info,))
        for number, data in enumerate((parts[0], huge, parts[1])):
            values = (f"prt_{number}", "msg_a", "ses_a", number + 1, data, number + 1)
            db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", values)
        db.commit()
    return path


def assert_all_but_the_huge_row(events: list[e.RelayEvent] | list[e.FleetEvent]) -> None:
    assert [event.delta for event in events if isinstance(event, e.Text)] == ["a", "c"]
    (bad,) = [event for event in events if event.type == "malformed"]
    assert f"a row of {HUGE} bytes" in bad.reason  # type: ignore[union-attr]
    assert not any(event.type == "unrecognized" for event in events)


def test_a_huge_row_is_reported_with_its_length(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db")
    (run,) = runs_of_sources([str(path)], {})
    assert_all_but_the_huge_row(list(events_of(run)))
    lines = Database(path).changed(last=True)["ses_a"].lines
    assert max(map(len, lines)) < 1000
    assert not list(database_blocks(path, "xxx", ()))
    assert len(list(database_blocks(path, "c", ()))) == 1


def test_a_session_with_very_many_children_is_read(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db")
    with closing(sqlite3.connect(path)) as db:
        rows = [(f"ses_{n}", "ses_a", "", "", "", 1, 1, None, None) for n in range(CHILDREN)]
        db.executemany("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        db.commit()
    (run,) = database_runs(path)
    assert sum(1 for _ in run.tracks[0].read()) > CHILDREN
    (changed,) = Database(path, only="ses_a").changed(last=True).values()
    assert len(changed.lines) > CHILDREN
