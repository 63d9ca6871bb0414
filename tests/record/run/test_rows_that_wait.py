"""What OpenCode prints and what it stores, when a text is stored late: ends stay behind words."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.block_rows import CLEAN, RECORDINGS, judge
from tests.record.run.agents import log_path, logged
from tests.record.run.test_run import in_time
from unbraid.agents.opencode.launch import OpenCodeSource
from unbraid.agents.opencode.store import Installation
from unbraid.record.run import RunLog
from unbraid.system.clock import now_ms

FAN = RECORDINGS / "fan-same-opening.run.opencode-1.2.27"
# A helper's text with a call after it in the same message.
BEFORE_A_CALL = """SELECT id, data FROM part AS text WHERE session_id IN
    (SELECT id FROM session WHERE parent_id IS NOT NULL) AND data LIKE '%"type":"text"%'
    AND EXISTS (SELECT 1 FROM part WHERE message_id = text.message_id AND id > text.id
    AND data LIKE '%"type":"tool"%') LIMIT 1"""


async def test_what_is_printed_waits_for_rows_that_have_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNBRAID_HOME", str(log_path(tmp_path).parent))
    path = tmp_path / "opencode" / "opencode.db"
    path.parent.mkdir()
    shutil.copy(FAN / "opencode.db", path)
    with closing(sqlite3.connect(path)) as db, db:
        ((part, stored),) = db.execute(BEFORE_A_CALL)
        begun = json.loads(stored) | {"text": ""}
        del begun["time"]["end"]
        db.execute("UPDATE part SET data = ? WHERE id = ?", (json.dumps(begun), part))

    run_log = RunLog(pytest.fail)
    await run_log.begin(None)
    source = OpenCodeSource(Installation({"XDG_DATA_HOME": str(tmp_path)}), began_ms=0)
    source.printed((FAN / "stdout.ndjson").read_bytes())
    assert source.read() == []
    assert source.session_id is not None
    source.begin(await run_log.open(source.session_id))
    first = source.read()
    assert not any(chunk.data for chunk in first)
    await run_log.feed(first)
    with closing(sqlite3.connect(path)) as db, db:
        ((latest,),) = db.execute("SELECT max(time_updated) FROM part")
        row = (stored, latest + 1000, part)
        db.execute("UPDATE part SET data = ?, time_updated = ? WHERE id = ?", row)
    source.end()
    await run_log.feed(source.read())
    await run_log.finish(now_ms())
    await run_log.close()

    (events,) = (await logged(tmp_path)).values()
    in_time(events)
    assert judge(FAN, events, full=True) == CLEAN
