"""What readers of Claude Code's output lose, show twice or place under the wrong agent.

    python -m benchmarks parsers

The recordings under tests/recordings come with the truth: every block that the scripted model
served, agent by agent. Three readers get the same sessions: a loop over stdout, as in most scripts;
claude-code-log, which reads transcripts; and `unbraid cat`, which gets both. Only texts are counted
here: all of them show them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.table import Measured

RECORDINGS = Path("tests/recordings")
CLAUDE_CODE_LOG = "claude-code-log==1.7.0"
Texts = Counter[tuple[str | None, str]]


def sessions() -> Iterator[tuple[Path, dict[str, Any]]]:
    """The recordings of Claude Code whose agents all finished what they said."""
    for truth in sorted(RECORDINGS.glob("*/truth.json")):
        said = json.loads(truth.read_text())
        if (truth.parent / "projects").is_dir() and said["scenario"] not in (
            "interrupt",
            "api-cut",
        ):
            yield truth.parent, said


def served(said: dict[str, Any]) -> Texts:
    """What the model served: the call that spawned the agent, "" for the main one; the text."""
    calls = {agent: parent["tool_use_id"] for agent, parent in said["parents"].items()}
    blocks = (block for block in said["blocks"] if block["type"] == "text")
    return Counter((calls.get(block["agent"], ""), block["text"]) for block in blocks)


def stdout_loop(folder: Path) -> Texts:
    """The text blocks of stdout's assistant records, under the call that each record names."""
    found: Texts = Counter()
    for line in (folder / "stdout.ndjson").read_bytes().splitlines():
        record = json.loads(line)
        if record.get("type") == "assistant":
            for block in record["message"]["content"]:
                if block["type"] == "text":
                    found[record.get("parent_tool_use_id") or "", block["text"]] += 1
    return found


def claude_code_log(program: Path, folder: Path) -> Texts:
    """The assistant's texts in what it makes of the session: whose they are is not in there."""
    found: Texts = Counter()
    for main in folder.glob("projects/*/*.jsonl"):
        with tempfile.TemporaryDirectory() as place:
            output = Path(place) / "session.json"
            command: list[Path | str] = [program, main, "--no-cache", "-o", output]
            subprocess.run(command, check=True, capture_output=True)
            todo: list[Any] = [json.loads(output.read_text())["messages"]]
        while todo:
            match todo.pop():
                case {"type": "assistant", "content": {"items": items}, **rest}:
                    found.update((None, item["text"]) for item in items if "text" in item)
                    todo.append(list(rest.values()))
                case dict() as node:
                    todo.append(list(node.values()))
                case list() as nodes:
                    todo.extend(nodes)
    return found


def unbraid(folder: Path) -> Texts:
    """The texts of `unbraid cat --json`, with the stdout and the transcripts."""
    program = Path(sys.executable).with_name("unbraid")
    files = sorted(folder.glob("projects/*/*.jsonl"))
    command: list[Path | str] = [program, "cat", "--json", folder / "stdout.ndjson", *files]
    printed = subprocess.run(command, check=True, capture_output=True).stdout
    calls: dict[int, str] = {0: ""}
    pieces: dict[tuple[int, str, int], str] = {}
    for line in printed.splitlines():
        event = json.loads(line)
        if event["type"] == "stream_start" and event["stream_id"]:
            resumed = calls.get(event.get("resumes"))
            calls[event["stream_id"]] = resumed or event.get("tool_use_id", "?")
        elif event["type"] == "text":
            block = event["stream_id"], event["message_id"], event["block"]
            pieces[block] = pieces.get(block, "") + event["delta"]
    return Counter((calls[stream], text) for (stream, *_), text in pieces.items())


def main(cache: Path) -> list[Measured]:
    """One line a reader: the share of blocks that are lost, twice or under another agent."""
    totals: dict[str, Counter[str]] = {}
    program = _installed(cache / "claude-code-log")
    readers = {
        "a loop over stdout": stdout_loop,
        "claude-code-log": lambda folder: claude_code_log(program, folder),
        "unbraid": unbraid,
    }
    for folder, said in sessions():
        expected = served(said)
        for name, read in readers.items():
            totals.setdefault(name, Counter()).update(_compared(expected, read(folder)))
    return [_row(name, total) for name, total in totals.items()]


def _compared(expected: Texts, found: Texts) -> dict[str, int]:
    def texts(of: Texts) -> Counter[str]:
        return sum((Counter({text: count}) for (_, text), count in of.items()), Counter[str]())

    known = texts(found)
    lost = (texts(expected) - known).total()
    placed = any(agent is not None for agent, _ in found)
    misplaced = (expected - found).total() - lost if placed else 0
    twice = {text: known[text] - count for text, count in texts(expected).items()}
    return {
        "blocks": expected.total(),
        "lost": lost,
        "twice": sum(count for count in twice.values() if count > 0),
        "misplaced": misplaced,
    }


def _row(name: str, total: Counter[str]) -> Measured:
    wrong = total["lost"] + total["twice"] + total["misplaced"]
    return Measured(
        f"texts that {name} gets wrong",
        100 * wrong / total["blocks"],
        "%",
        against=f"{total['blocks']} texts of the recordings",
        at_most=0 if name == "unbraid" else None,
        detail=f"{total['lost']} lost, {total['twice']} twice, {total['misplaced']} misplaced",
    )


def _installed(place: Path) -> Path:
    program = place / "bin" / "claude-code-log"
    if not program.exists():
        venv.create(place, with_pip=True)
        pip: list[Path | str] = [
            place / "bin" / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            CLAUDE_CODE_LOG,
        ]
        subprocess.run(pip, check=True, capture_output=True)
    return program.absolute()
