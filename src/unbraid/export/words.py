"""The words of an export that HTML and Markdown share."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from unbraid.agents.registry import tools
from unbraid.export.document import ExportedStream, RunExport
from unbraid.fleet.conversation import Item
from unbraid.fleet.notes import note_of
from unbraid.fleet.status import MARKS
from unbraid.fleet.usage import Usage
from unbraid.screen import cost, duration, safe, short


def title_of(export: RunExport) -> str:
    """Returns what the export is called."""
    return short(export.title or export.run)


def name_of(stream: ExportedStream) -> str:
    """Returns an agent in a few words."""
    name = f"{MARKS.get(stream.status, '?')} {stream.stream_id} {short(stream.agent, 60)}"
    return f"{name} “{short(stream.description, 80)}”" if stream.description else name


def facts_of(stream: ExportedStream) -> str:
    """Returns how an agent stands, what it took and what it cost."""
    facts = [stream.status]
    if stream.total == stream.usage:
        facts.append(spent(stream.usage))
    else:
        facts += [f"own {spent(stream.usage)}", f"total {spent(stream.total)}"]
    if stream.duration_ms:
        facts.append(duration(stream.duration_ms))
    if stream.model:
        facts.append(short(stream.model, 60))
    return " · ".join(facts)


def run_facts(export: RunExport) -> list[tuple[str, str]]:
    """Returns the facts of a run, each with its name."""
    facts = [
        ("Run", export.run),
        ("Status", export.status),
        ("Agents", str(export.agents)),
        ("Spent", spent(export.usage)),
    ]
    if export.started:
        # A stream without times has no duration either.
        begun = datetime.fromtimestamp(export.started / 1000, UTC)
        facts.insert(2, ("Started", f"{begun:%Y-%m-%d %H:%M:%S} UTC"))
        facts.append(("Duration", duration(export.duration_ms)))
    if export.cwd:
        facts.append(("Folder", short(export.cwd)))
    return facts


def spent(usage: Usage) -> str:
    """Returns tokens and money."""
    tokens, money = f"{usage.total_tokens:,} tokens", cost(usage)
    return f"{tokens}, {money}" if money else tokens


def call_of(item: Item) -> str:
    """Returns a tool call in one line."""
    mark = {None: "…", True: "✔", False: "✘"}[item.ok]
    about = short(tools().summary(item.tool or "", item.arguments), 120)
    return f"{mark} {short(item.tool or 'tool', 60)} {about}".rstrip()


def input_of(item: Item) -> str:
    """Returns the arguments of a call, one below the other."""
    if item.input is None:
        return ""
    encoded = msgspec.json.format(msgspec.json.encode(item.arguments), indent=2)
    return safe(encoded.decode("utf-8", "backslashreplace"))


def note(item: Item) -> str:
    """Returns the line that stands for what is neither words nor a call."""
    found = note_of(item, tools())
    return "" if found is None else safe(found.text)
