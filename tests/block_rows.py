"""Who said what: by the word of the scripted model, and by our events.

A row is (agent, kind, words): the agent by the call that spawned it (`""` is the main one), and for
a tool call its id as words. The truth is what the model served. Of a recording's stream alone, only
what its CLI printed can be expected; with transcripts or the database, everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from unbraid import events as e
from unbraid.testing import Recording, load

RECORDINGS = Path(__file__).parent / "recordings"
FOLDERS = sorted(path.parent for path in RECORDINGS.glob("*/truth.json"))

Row = tuple[str, str, str]

CODEX_CALLS = {
    "command_execution",
    "file_change",
    "mcp_tool_call",
    "collab_tool_call",
    "web_search",
    "todo_list",
    "commandExecution",
    "fileChange",
    "mcpToolCall",
    "collabAgentToolCall",
    "webSearch",
}


class Verdict(NamedTuple):
    """What went wrong; nothing, if all of it is empty."""

    lost: list[tuple[str, str]]
    twice: list[tuple[str, str]]
    misplaced: list[Row]
    disordered: list[str]


CLEAN = Verdict([], [], [], [])


def stream_of(folder: Path) -> Path:
    """The file that holds what a recording's CLI printed, or what its server sent."""
    names = ("stdout", "events", "app-server")
    return next(path for name in names if (path := folder / f"{name}.ndjson").exists())


def sources_of(folder: Path, *, full: bool) -> list[str]:
    """The stream alone, or with everything that the CLI wrote down."""
    sources = [stream_of(folder)]
    if full:
        transcripts = sorted(folder.glob("projects/*/*.jsonl"))
        sources += [path for path in transcripts if not path.name.startswith("agent-")]
        sources += folder.glob("*.db")
        if is_codex(recording := load(folder)):
            sources += rollouts_of(folder, recording)
    return [str(path) for path in sources]


def judge(folder: Path, events: Iterable[e.FleetEvent], *, full: bool) -> Verdict:
    """Compare a recording's events with its truth."""
    return compare(load(folder), logged_rows(events), full=full)


def compare(recording: Recording, got: list[Row], *, full: bool) -> Verdict:
    """Compare what was logged, in one run of the log or in several, with a recording's truth."""
    want = expected(recording, full=full)
    if has_parts(recording):
        # There one answer of the model is one part, however many blocks it had.
        want, got = joined(want), joined(got)
    if is_codex(recording):
        got = got if full else known(recording, got, want)
        got = comparable(recording, got, full=full)
        want = comparable(recording, want, full=full)
    wanted, given = (Counter((kind, words) for _, kind, words in rows) for rows in (want, got))
    there = wanted & given
    misplaced = Counter(want) - Counter(got)
    disorder = [] if recording.scenario == "interrupt" else disordered(recording, want, got)
    return Verdict(
        list((wanted - given).elements()),
        list((given - wanted).elements()),
        [row for row in misplaced.elements() if there[row[1:]]],
        disorder,
    )


def has_parts(recording: Recording) -> bool:
    """Whether a recording is OpenCode's, or that of a program made from it."""
    return recording.version.startswith(("opencode", "kilo"))


def up_to_the_cut(recording: Recording, events: Iterable[e.FleetEvent]) -> None:
    """Fail unless an answer that somebody interrupted is logged as far as it came, and the next."""
    first, second = expected(recording, full=True)
    cut, after = logged_rows(events)
    assert first[2].startswith(cut[2])
    assert 0 < len(cut[2]) < len(first[2])
    assert after == second


def expected(recording: Recording, *, full: bool) -> list[Row]:
    """What should be logged of a recording."""
    truth = served(recording)
    if has_parts(recording):
        everyone = full or recording.mode == "serve"
        return [row for _, row in truth if everyone or row[0] == ""]
    if is_codex(recording) and not full:
        calls = {name: each["tool_use_id"] for name, each in recording.truth["parents"].items()}
        return printed(recording, {"main": ""} | calls)
    if full and recording.scenario != "interrupt":
        return [row for _, row in truth]
    shown = Counter(
        (record["message"]["id"], (record["parent_tool_use_id"] or "", *content(block)))
        for record in recording.records
        if record["type"] == "assistant"
        for block in record["message"]["content"]
        if not block.get("text", "").startswith("API Error")  # logged as an error, by the CLI
    )
    rows = []
    for message_id, row in truth:
        if shown[message_id, row] > 0:
            shown[message_id, row] -= 1
            rows.append(row)
    # What is left was said by the CLI in an agent's name: an answer that it cut short.
    return rows + [row for _, row in shown.elements()]


def served(recording: Recording) -> list[tuple[str, Row]]:
    """All that the model served, as (message, row), in order."""
    calls = {name: spawn["tool_use_id"] for name, spawn in recording.truth["parents"].items()}
    calls["main"] = ""
    return [(b["message_id"], (calls[b["agent"]], *content(b))) for b in recording.blocks]


def content(block: dict[str, Any]) -> tuple[str, str]:
    """A block's kind, and what it says."""
    if block["type"] == "tool_use":
        return "tool_use", block["id"]
    return block["type"], block.get("text") or block.get("thinking") or ""


def logged_rows(events: Iterable[e.FleetEvent]) -> list[Row]:
    """The rows in a run's log: the deltas of a block joined, what was withdrawn left out."""
    agents: dict[int, str | None] = {}
    blocks: dict[tuple[int, str, str, int], list[str]] = {}
    for event in events:
        stream = event.stream_id
        match event:
            case e.StreamStart():
                owner = event.tool_use_id if stream else ""
                agents[stream] = owner if event.resumes is None else agents[event.resumes]
            case e.Text() | e.Thinking():
                key = (stream, event.type, event.message_id, event.block)
                blocks.setdefault(key, []).append(event.delta)
            case e.FleetToolUse():
                key = (stream, event.type, event.tool_use_id, event.seq)
                blocks[key] = [event.tool_use_id]
            case e.FleetRetracted():
                for key in [key for key in blocks if key[2] in event.message_ids]:
                    del blocks[key]
    # Agents that no call has spawned are the CLI's own housekeeping.
    rows = [(agents[key[0]], key[1], "".join(pieces)) for key, pieces in blocks.items()]
    return [(agent, kind, words) for agent, kind, words in rows if agent is not None]


def log_of(events: Sequence[e.FleetEvent]) -> bytes:
    """The log as bytes; each event is one JSON object of its type, on one line."""
    lines = [e.encode(event) for event in events]
    for event, line in zip(events, lines, strict=True):
        assert b"\n" not in line
        assert msgspec.json.decode(line)["type"] == event.type
    return b"\n".join(lines)


def rows_of(truth: dict[str, Any]) -> list[Row]:
    """What the model said."""
    calls = {name: spawn["tool_use_id"] for name, spawn in truth["parents"].items()}
    return [
        (calls.get(b["agent"], ""), b["type"], b.get("text") or b.get("thinking") or b["id"])
        for b in truth["blocks"]
    ]


def joined(rows: list[Row]) -> list[Row]:
    """All text of an agent as one row, and all its thinking; tool calls as they are."""
    found: dict[tuple[str, ...], str] = {}
    for agent, kind, words in rows:
        key = (agent, kind, words) if kind == "tool_use" else (agent, kind)
        found[key] = words if kind == "tool_use" else found.get(key, "") + words
    return [(key[0], key[1], words) for key, words in found.items() if words]


def disordered(recording: Recording, want: list[Row], got: list[Row]) -> list[str]:
    """The agents whose words are not in the order in which they said them."""
    counts = Counter(row for _, row in served(recording))

    def order(rows: list[Row], agent: str) -> list[Row]:
        # Equal words cannot be told apart, so they have no order among each other.
        return [row for row in rows if row[0] == agent and counts[row] <= 1]

    agents = dict.fromkeys(row[0] for row in want)
    return [agent for agent in agents if order(want, agent) != order(got, agent)]


def is_codex(recording: Recording) -> bool:
    """Whether a recording is Codex's."""
    return recording.version.startswith("codex")


def rollouts_of(folder: Path, recording: Recording) -> list[Path]:
    """The rollout of the main agent; those of its sub-agents lie beside it."""
    thread = recording.truth["thread"]
    return sorted(folder.glob(f"sessions/**/rollout-*{thread}.jsonl*"))


def printed(recording: Recording, owner: dict[str, str]) -> list[Row]:
    """Each item that Codex's stream has printed, once. `exec` prints calls without their ids, and
    thinking in parts or as one; an answer that broke off is nobody's words; the calls that a script
    of an agent made are not the model's.
    """
    agents = {thread: owner[name] for name, thread in recording.truth["threads"].items()}
    items: dict[tuple[Any, str], tuple[dict[str, Any], str, bool]] = {}
    process = 0
    for record in recording.records:
        kind = record.get("type") or record.get("method")
        given = record.get("params") or record
        process += kind == "thread.started"  # item ids begin again with each process
        if kind in ("item.started", "item.completed", "item/started", "item/completed"):
            item, thread = given["item"], given.get("threadId")
            ended = kind.endswith("completed")
            items[thread or process, item["id"]] = item, agents.get(thread, ""), ended
    rows: list[Row] = []
    for (_, item_id), (item, agent, ended) in items.items():
        if item["type"] in ("agent_message", "agentMessage") and ended:
            rows.append((agent, "text", item["text"]))
        elif item["type"] == "reasoning" and ended:
            words = item["text"] if "text" in item else "".join(item["summary"])
            rows.append((agent, "thinking", words))
        elif item["type"] in CODEX_CALLS:
            rows.append((agent, "tool_use", item_id))
    return rows


def comparable(recording: Recording, rows: list[Row], *, full: bool) -> list[Row]:
    """Rows without what one of the two sides cannot know."""
    blocks = recording.truth["blocks"]
    cut = [block.get("id") or block["text"] for block in blocks if "cut" in block]
    kept = [
        row
        for row in rows
        if (row[1] == "thinking" or not any(words.startswith(row[2]) for words in cut))
        and not (full and row[2].startswith("exec-"))
    ]
    if not full and recording.mode.startswith("exec"):
        mixed = recording.truth.get("mixed")
        kept = [
            ("" if mixed else agent, kind, "" if kind == "tool_use" else words)
            for agent, kind, words in kept
        ]
    thinking: dict[str, str] = {}
    for agent, kind, words in kept:
        if kind == "thinking":
            thinking[agent] = thinking.get(agent, "") + "".join(words.split())
    rest = [row for row in kept if row[1] != "thinking"]
    return rest + [(agent, "thinking", words) for agent, words in thinking.items()]


def known(recording: Recording, got: list[Row], want: list[Row]) -> list[Row]:
    """What was logged, but for calls that were made and not printed: they may be known all the
    same.
    """
    shown = {row[2] for row in want}
    made = {block.get("id") for block in recording.truth["blocks"]}
    return [row for row in got if row[2] in shown or row[2] not in made]
