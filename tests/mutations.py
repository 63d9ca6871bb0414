"""Ways in which lines go wrong: all seeded, so that a failure comes back with its seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice, product
from pathlib import Path
from typing import Any

from tests.block_rows import FOLDERS, sources_of
from unbraid.read.tracks import merge
from unbraid.record.sessions.sources import runs_of_sources

# One of each JSON type: what stands where something else belongs.
TYPES: tuple[Any, ...] = (None, 7, "x", [None], {"x": 1})
NUMBERS: tuple[Any, ...] = (True, 0, -1, 1.5, 1e300, 2**63, 10**30)
TEXTS: tuple[Any, ...] = ("", "\u2028\x00", "\ud800", "<task-notification>", '"a"')
HOLDERS: tuple[Any, ...] = ([], {}, [[]], [0], ["x"], {"type": "text"}, [{"type": "tool_use"}])
STRANGE = (*TYPES, *NUMBERS, *TEXTS, *HOLDERS)

# Few ids, so that random records meet each other.
IDS = ["s1", "s2", "m1", "m2", "p1", "toolu_1", "toolu_2", "a1", "a2", "u1", "u2"]
TELLING = ("type", "subtype", "status", "tool", "name", "field", "role", "status", "task_type")


@cache
def runs() -> list[list[bytes]]:
    """The lines of every recording, all its sources merged."""
    return [_lines(folder) for folder in FOLDERS]


def _lines(folder: Path) -> list[bytes]:
    (run,) = runs_of_sources(sources_of(folder, full=True), {})
    data = b"".join(piece for _, piece in merge(run.tracks))
    return data.split(b"\n")


@cache
def vocabulary() -> tuple[list[str], list[str]]:
    """The names of fields that records have, and the values that say what they are."""
    fields: set[str] = set()
    values: set[str] = {"unbraid.agent", "control_cancel_request", "model_refusal_fallback"}
    waiting = list(shapes().values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            fields.update(value)
            values.update(v for name in TELLING if isinstance(v := value.get(name), str))
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
    return sorted(fields), sorted(values) + IDS * 3


def mutated(seed: int) -> Iterator[bytes]:
    """A recording in which about every third line has suffered."""
    rng = random.Random(seed)
    lines = list(rng.choice(runs()))
    if rng.random() < 0.3:
        lines = [*lines, *rng.choice(runs())]  # two sessions in one stream
    if rng.random() < 0.3:
        rng.shuffle(lines)
    for line in lines:
        if rng.random() < 0.65:
            yield line + b"\n"
        else:
            yield rng.choice(HARMS)(line, rng)


def flipped(line: bytes, rng: random.Random) -> bytes:
    """Some bytes are others."""
    data = bytearray(line)
    for _ in range(rng.randint(1, 4) if data else 0):
        data[rng.randrange(len(data))] = rng.choice((rng.randrange(256), *b'"{}[]:,\\\0\n'))
    return bytes(data) + b"\n"


def cut(line: bytes, rng: random.Random) -> bytes:
    """The end is missing; half of the time the newline too, so that the next line is glued on."""
    return line[: rng.randint(0, len(line))] + rng.choice((b"", b"\n"))


def beheaded(line: bytes, rng: random.Random) -> bytes:
    """The start is missing, or is a run of NULs."""
    return rng.choice((b"", b"\0" * 64)) + line[rng.randint(0, len(line)) :] + b"\n"


def repeated(line: bytes, rng: random.Random) -> bytes:
    """Said again."""
    return (line + b"\n") * rng.randint(2, 3)


def swapped(line: bytes, rng: random.Random) -> bytes:
    """One or two fields are of another type."""
    try:
        value = json.loads(line)
    except ValueError:
        return line + b"\n"
    for _ in range(rng.randint(1, 2)):
        places = list(paths(value))
        value = replaced(value, rng.choice(places), rng.choice((*STRANGE, *IDS)))
    return encoded(value)


HARMS = (flipped, cut, beheaded, repeated, swapped, swapped, swapped)


def every_swap(part: int, parts: int) -> Iterator[bytes]:
    """Records of each shape with each of their fields in turn replaced by each type there is: one
    part of them, of so many.
    """
    every = ((value, path) for value in shapes().values() for path in paths(value))
    for (value, path), new in islice(product(every, TYPES), part, None, parts):
        # One id from two kinds of agents in one run would be a collision of our own making.
        text = f"x-{'.'.join(map(str, path))}"
        yield encoded(replaced(value, path, text if new == "x" else new))


@cache
def shapes() -> dict[str, Any]:
    """One record of each shape that the recordings have."""
    found: dict[str, Any] = {}
    for line in chain.from_iterable(runs()):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        found.setdefault(str([path for path in paths(value) if len(path) < 4]), value)
    return found


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of everything in a JSON value, itself included."""
    yield at
    if isinstance(value, dict):
        for name in value:
            yield from paths(value[name], (*at, name))
    elif isinstance(value, list):
        for number, item in enumerate(value[:3]):
            yield from paths(item, (*at, number))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The same value with something else in one place."""
    if not path:
        return new
    changed = value.copy()
    changed[path[0]] = replaced(value[path[0]], path[1:], new)
    return changed


def shaped(rng: random.Random, depth: int = 0) -> Any:
    """Random JSON made of the words that records are made of."""
    fields, values = vocabulary()
    if depth > 4 or rng.random() < 0.35 + 0.1 * depth:
        return rng.choice(values if rng.random() < 0.7 else STRANGE)
    if rng.random() < 0.3:
        return [shaped(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    value = {rng.choice(fields): shaped(rng, depth + 1) for _ in range(rng.randint(1, 7))}
    return value | {"type": rng.choice(values)} if rng.random() < 0.8 else value


def random_record(rng: random.Random) -> bytes:
    """A record that was real once: about every fourth field is random now."""
    value = dict(rng.choice(list(shapes().values())))
    for path in list(paths(value)):
        if path and rng.random() < 0.25:
            try:
                value = replaced(value, path, shaped(rng, len(path)))
            except (LookupError, TypeError, AttributeError):
                continue  # it stood in something that has just been replaced
    return encoded(value | shaped_head(rng) if rng.random() < 0.5 else value)


def shaped_head(rng: random.Random) -> dict[str, Any]:
    """Another type and other ids."""
    _, values = vocabulary()
    fields = ("type", "subtype", "uuid", "parent_tool_use_id", "agentId", "session_id", "sessionID")
    return {name: rng.choice(values) for name in fields if rng.random() < 0.4}


def encoded(value: Any) -> bytes:
    """A value as a line, in real UTF-8 as the CLIs write it, lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"
