"""What a session is called: in its run, in the list, and as a person changes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unbraid import events as e
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.title import prompt_title
from unbraid.log.summary import RunSummary
from unbraid.record.sessions.stored_facts import stored_facts

SESSION = "0b8a7c1e-1111-4222-8333-444455556666"
AT = "2026-11-15T10:00:0{}.000Z"


def line(kind: str, **fields: object) -> bytes:
    return (
        json.dumps({"type": kind, "sessionId": SESSION, **fields}, separators=(",", ":")).encode()
        + b"\n"
    )


def asked(text: str, second: int = 0) -> bytes:
    return line(
        "user",
        uuid=f"u{second}",
        timestamp=AT.format(second),
        cwd="/w",
        message={"role": "user", "content": text},
    )


PROMPT = "# Mend **the** `parser`\n\nIt loses lines."
CASES = [
    ([], "Mend the parser"),
    ([line("summary", summary="A summary", leafUuid="u0")], "A summary"),
    ([line("ai-title", aiTitle="Made up")], "Made up"),
    (
        [line("ai-title", aiTitle="Made up"), line("summary", summary="Sum", leafUuid="u0")],
        "Made up",
    ),
    ([line("custom-title", customTitle="Mine"), line("ai-title", aiTitle="Made up")], "Mine"),
    ([line("custom-title", customTitle="Mine"), line("custom-title", customTitle="New")], "New"),
    ([line("agent-name", agentName="Smith"), line("ai-title", aiTitle="Made up")], "Smith"),
    ([line("ai-title", aiTitle="Made up"), line("custom-title", customTitle="")], "Made up"),
    ([line("custom-title", customTitle=7)], "Mend the parser"),
]


def listed_title(lines: list[bytes], folder: Path) -> str | None:
    """The title of a session with these lines in the list."""
    path = folder / "projects" / "-w" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    env = {"CLAUDE_CONFIG_DIR": str(folder), "HOME": str(folder)}
    (found,) = stored_facts(env, None, warn=pytest.fail)
    return found.facts.title


def summary_of(events: list[e.FleetEvent]) -> RunSummary:
    summary = RunSummary("r")
    for event in events:
        summary.fold(event, 1)
    return summary


@pytest.mark.parametrize(("records", "title"), CASES)
def test_the_best_title_wins_live_and_in_the_list(
    records: list[bytes], title: str, tmp_path: Path
) -> None:
    lines = [asked(PROMPT), *records]
    pipeline = Pipeline()
    assert summary_of([x for each in lines for x in pipeline.feed(each)]).title == title
    assert listed_title(lines, tmp_path) == title


def test_a_summary_that_precedes_everything_is_of_another_session(tmp_path: Path) -> None:
    lines = [line("summary", summary="Of before", leafUuid="x"), asked(PROMPT)]
    pipeline = Pipeline()
    assert summary_of([x for each in lines for x in pipeline.feed(each)]).title == "Mend the parser"
    assert listed_title(lines, tmp_path) == "Mend the parser"


def test_a_session_that_is_renamed_reports_each_title_once() -> None:
    pipeline = Pipeline()
    lines = [asked(PROMPT)]
    lines += [line("custom-title", customTitle=title) for title in ("One", "One", "Two")]
    events = [x for each in lines for x in pipeline.feed(each)]
    titles = [x.title for x in events if isinstance(x, e.FleetSessionMeta) and x.title]
    assert titles == ["One", "Two"]


def test_an_old_list_does_not_hide_a_new_title(tmp_path: Path) -> None:
    """A long transcript has its title at the end."""
    filler = [line("assistant", message={"content": "x" * 1000})] * 5000
    lines = [asked(PROMPT), *filler, line("custom-title", customTitle="Mine")]
    assert listed_title(lines, tmp_path) == "Mine"


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Say it", "Say it"),
        ("\n\n  Say it\nall\n\nand more", "Say it all"),
        ("# Say it\nall", "Say it"),
        ("## Say **it**", "Say it"),
        ("> Say it", "Say it"),
        ("- Say it", "Say it"),
        ("<task>\nSay it\n</task>", "Say it"),
        ("<task>Say it", "Say it"),
        ("Mend List<int>", "Mend List<int>"),
        ("2 + 2", "2 + 2"),
        ("---\nSay it", "Say it"),
        ("???", "???"),
        ("", None),
    ],
)
def test_a_prompt_as_a_title(prompt: str, title: str | None) -> None:
    assert prompt_title(prompt) == title
