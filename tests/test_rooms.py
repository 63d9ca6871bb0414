"""One room per agent kind, and a house that can be found one's way about in."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_layers import MODULES, SRC, imports, impurities

PACKAGE = SRC / "unbraid"
ROOMS = sorted(path.name for path in (PACKAGE / "agents").iterdir() if (path / "kind.py").is_file())
KIND = re.compile("|".join(ROOMS), re.IGNORECASE)
# A program made from another one reads what that one wrote: it is built on its room.
BUILT_ON = {"kilo": "opencode"}
MAX_LINES = 400
MAX_MODULES = 20
# One file a command: as many as there are commands.
MANY = {"cli"}
# The front door names the functions that it takes from a room; their module is all it knows.
FRONT_DOOR = PACKAGE / "__init__.py"
REGISTRY = PACKAGE / "agents" / "registry.py"

OUTSIDE = [
    path
    for path in MODULES
    if path.relative_to(PACKAGE).parts[0] not in ("agents", "testing") and path != FRONT_DOOR
]


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def words(path: Path) -> Iterator[str]:
    """What a module calls things, and the strings in it that are no sentences for people."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.keyword) and node.arg is not None:
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            # A sentence has blanks; what a program compares or opens has none.
            yield from [text] if " " not in text.strip() else []
    yield from imports(path)


@pytest.mark.parametrize("path", OUTSIDE, ids=name_of)
def test_no_kind_of_agent_is_named_outside_its_room(path: Path) -> None:
    # A command's own option may be called after a kind: that is a text for people.
    options = ("--",) if path.parent.name == "cli" else ()
    found = {
        word for word in words(path) if KIND.search(word) and not word.startswith(options or "\0")
    }
    assert found == set()


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_knows_another(room: str) -> None:
    others = [
        f"unbraid.agents.{other}." for other in ROOMS if other not in (room, BUILT_ON.get(room))
    ]
    for path in (PACKAGE / "agents" / room).rglob("*.py"):
        assert [name for name in imports(path) if name.startswith(tuple(others))] == []


def reached(path: Path) -> set[Path]:
    """A module and all of ours that it imports, and so on."""
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        for name in imports(module):
            for place in (name, name.rpartition(".")[0]):
                path = SRC.joinpath(*place.split(".")).with_suffix(".py")
                # The registry is imported late, by whoever wants all kinds; a dialect does not.
                if place.startswith("unbraid.") and path.is_file() and path != REGISTRY:
                    waiting.append(path)
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_a_dialect_is_pure(room: str) -> None:
    folder = PACKAGE / "agents" / BUILT_ON.get(room, room)
    for module in reached(folder / "dialect" / "dispatcher.py"):
        assert impurities(module) == set(), name_of(module)


def test_no_module_is_too_long() -> None:
    sizes = {name_of(path): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: size for name, size in sizes.items() if size > MAX_LINES} == {}


def test_no_folder_has_too_many_modules() -> None:
    counts = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    crowded = {name_of(folder): n for folder, n in counts.items() if n > MAX_MODULES}
    assert {name: n for name, n in crowded.items() if name not in MANY} == {}


def test_every_public_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name_of(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
