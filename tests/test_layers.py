"""The layers hold: a module imports only leftwards, and the pure core touches no world."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SRC = Path(__file__).parent.parent / "src"
MODULES = sorted((SRC / "unbraid").rglob("*.py"))

# Each room imports only from those before it, in its own layer and in the layers before that.
LAYERS = {
    "pure": ["errors", "timings", "events", "screen", "read", "fold"],
    "kinds": ["system", "agents"],
    "storage": ["log", "redact"],
    "acts": ["steer", "send", "record", "orchestrate"],
    "faces": ["serve", "machine", "tui", "cli"],
}
ROOMS = [room for rooms in LAYERS.values() for room in rooms]
RANKS = {room: rank for rank, room in enumerate(ROOMS)}
# May import all of them, and none imports it.
ALONE = "testing"
# Who translates asks all kinds of agents, which are built on what translates: this one way round
# is taken late, inside a function.
REGISTRY = ("read/reader.py", "unbraid.agents.registry.kinds")

# All that pure code needs of the standard library; whatever reaches out of the process is not here.
PURE_IMPORTS = {
    "__future__",
    "bisect",
    "collections",
    "contextlib",
    "dataclasses",
    "datetime",
    "enum",
    "functools",
    "hashlib",
    "heapq",
    "itertools",
    "json",
    "math",
    "msgspec",
    "operator",
    "re",
    "struct",
    "tomllib",
    "typing",
    "unicodedata",
    "unbraid",
}

WORLD_CALLS = {"open", "print", "input", "exec", "eval", "compile", "breakpoint", "__import__"}
CLOCKS = {"now", "utcnow", "today", "monotonic", "perf_counter", "astimezone"}


@cache
def parsed(path: Path) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> frozenset[str]:
    """The dotted names that a module imports, wherever in it, for its annotations too."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    package = path.relative_to(SRC).with_suffix("").parts
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level] if node.level else ()
            name = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{name}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and str(node.value).startswith("unbraid."):
            # Lazily imported places, as in `unbraid.cli.cat:cat`.
            yield str(node.value).partition(":")[0]


def part_of(path: Path) -> str:
    """The layer that a module belongs to; nothing for the package's own front door."""
    name = path.relative_to(SRC / "unbraid").parts[0].removesuffix(".py")
    return "" if name.startswith("__") else name


def inner(path: Path) -> set[str]:
    """The layers of ours that a module imports from."""
    late = {REGISTRY[1]} if path == SRC / "unbraid" / REGISTRY[0] else set()
    names = [name.split(".") for name in set(imports(path)) - late]
    return {name[1] for name in names if name[0] == "unbraid" and len(name) > 1} & (
        set(RANKS) | {ALONE}
    )


def test_every_part_has_its_place() -> None:
    assert {part_of(path) for path in MODULES} - {""} <= set(RANKS) | {ALONE}


def test_a_module_imports_only_leftwards() -> None:
    wrong: dict[str, set[str]] = {}
    for path in MODULES:
        if not (part := part_of(path)):
            continue
        others = inner(path) - {part}
        allowed = {name for name in others - {ALONE} if RANKS[name] < RANKS.get(part, len(ROOMS))}
        if others - allowed:
            wrong[str(path.relative_to(SRC))] = others - allowed
    assert wrong == {}


@cache
def impurities(path: Path) -> set[str]:
    """What a module uses of the world outside the process, its clock included."""
    # A lock reaches nothing: who starts no threads may still be called by several.
    names = imports(path) - {"threading.Lock"}
    found = {name.partition(".")[0] for name in names} - PURE_IMPORTS
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found |= {node.func.id} & WORLD_CALLS
        elif isinstance(node, ast.Attribute):
            found |= {node.attr} & CLOCKS
        elif isinstance(node, ast.AsyncFunctionDef | ast.Global):
            found.add(type(node).__name__)
    return found


def test_the_pure_core_touches_no_world_and_looks_at_no_clock() -> None:
    pure = [path for path in MODULES if part_of(path) in LAYERS["pure"]]
    assert {path.name: found for path in pure if (found := impurities(path))} == {}
