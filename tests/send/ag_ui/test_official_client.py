"""Every recording, read with the official client over HTTP: no protocol error, and each agent's
words are those that the model has served.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.access import TOKEN
from tests.block_rows import CLEAN, FOLDERS, compare, sources_of
from tests.send.ag_ui.official import check_protocol, client_folder, read_runs, rows_of
from unbraid import events as e
from unbraid.log.memory import MemoryLog
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.serve import ServeConfig, serving
from unbraid.testing import load

# More recordings, if there are any beside ours.
MORE = os.environ.get("UNBRAID_RECORDINGS")
ALL = [*FOLDERS, *sorted(path.parent for path in Path(MORE or "/nowhere").glob("*/truth.json"))]
# What was cut off is shown as far as it came.
CUT_OFF = ("interrupt.serve", "codex-interrupt", "kilo-interrupt")


def recorded(folder: Path) -> list[e.FleetEvent]:
    (run,) = runs_of_sources(sources_of(folder, full=True), {})
    return list(events_of(run))


@pytest.mark.timeout(600 if MORE else 120)
async def test_every_recording_with_the_official_client() -> None:
    installed = client_folder()
    log, events = MemoryLog(), {folder.name: recorded(folder) for folder in ALL}
    for name, logged in events.items():
        await log.append(name, logged)
    async with serving(ServeConfig(port=0, tokens=(TOKEN,)), log) as server:
        jobs = [
            {"name": name + query, "url": f"{server.url}/v1/runs/{name}/ag-ui{query}"}
            for name in events
            for query in ("", "?replay=true")
        ]
        found = await read_runs(installed, jobs)
    wrong: dict[str, object] = {}
    for folder in ALL:
        for query in ("", "?replay=true"):
            result = found[folder.name + query]
            check_protocol(result)
            starts = [x for x in events[folder.name] if isinstance(x, e.StreamStart)]
            begun = {x["subagentRunId"] for x in result["subagents"]}
            assert len(begun) == len(starts) - 1
            if not folder.name.startswith(CUT_OFF):
                recording = load(folder)
                verdict = compare(recording, rows_of(result), full=True)
                if recording.scenario == "workflow":
                    # Its agents share a call, and have no order among them.
                    verdict = verdict._replace(disordered=[])
                if verdict != CLEAN:
                    wrong[folder.name + query] = verdict
    assert wrong == {}
