"""What OpenCode calls a session becomes the title of its run."""

from __future__ import annotations

import json

from unbraid import events as e
from unbraid.fold.pipeline import Pipeline
from unbraid.log.summary import RunSummary

SESSION = "ses_e21e60c8affedC7WRBuE3g7ehQ"


def session(kind: str, title: str, at: int) -> bytes:
    info = {"id": SESSION, "title": title, "directory": "/w", "time": {"updated": at}}
    properties = {"sessionID": SESSION, "info": info}
    return json.dumps({"type": kind, "properties": properties}).encode() + b"\n"


def test_a_title_replaces_the_one_before_but_no_title_is_none() -> None:
    pipeline, summary = Pipeline(), RunSummary("r")
    lines = [
        session("session.created", "New session - 2026-11-15T10:00:00.000Z", 1_800_000_000_000),
        session("session.updated", "Mend the parser", 1_800_000_000_001),
        session("session.updated", "Mend the parser", 1_800_000_000_002),
        session("session.updated", "Mine", 1_800_000_000_003),
    ]
    events = [x for line in lines for x in pipeline.feed(line)]
    metas = [x for x in events if isinstance(x, e.FleetSessionMeta)]
    assert [meta.title for meta in metas] == [None, "Mend the parser", "Mine"]
    for event in events:
        summary.fold(event, 1)
    assert (summary.title, summary.cwd) == ("Mine", "/w")
