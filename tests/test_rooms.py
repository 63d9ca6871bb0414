"""One room per agent kind, and a house that can be found one's way about in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest

from tests.test_layers import MODULES, SRC, imports, impurities
from unbraid.agents.registry import kinds
from unbraid.events import FLEET_EVENTS, RELAY_EVENTS

PACKAGE = SRC / "unbraid"
ROOMS = sorted(path.name for path in (PACKAGE / "agents").iterdir() if (path / "kind.py").is_file())
KIND = re.compile("|".join(ROOMS), re.IGNORECASE)
# What only one kind prints, stores or is served by: knowing it is knowing the kind.
FORMAT = re.compile(
    r"\.jsonl|rollout|stream-json|app-server|sidechain|parent_tool_use|toolu_|\bses_"
    r"|anthropic|openai|sonnet|opus|haiku|\bgpt-",
    re.IGNORECASE,
)
# Those who talk to models themselves, and who know what the keys and ids of providers look like.
PROVIDERS = ("orchestrate/backends", "orchestrate/model_apis", "redact/", "prices/")
# A program made from another one reads what that one wrote: it is built on its room.
BUILT_ON = {"kilo": "opencode"}
# The front door names the functions that it takes from a room; their module is all it knows.
FRONT_DOOR = PACKAGE / "__init__.py"
REGISTRY = PACKAGE / "agents" / "registry.py"
# Who writes for people: sentences there may say what to type.
FACES = ("cli", "tui")
# Where a text decides something, and is no sentence for people.
DECIDING = (ast.Compare, ast.Subscript, ast.match_case, ast.Dict, ast.Attribute)

# The page's source, and what is written into it of the tools of all kinds.
PAGE = SRC.parent / "web" / "src"
GENERATED = PAGE / "model" / "events.ts"
# What is called so elsewhere, too, and is no tool's there.
SHARED = {"send_message"}

OUTSIDE = [
    path
    for path in MODULES
    if path.relative_to(PACKAGE).parts[0] not in ("agents", "testing") and path != FRONT_DOOR
]


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def is_sentence(text: str) -> bool:
    """Returns whether people read it: it has blanks, or is an option that they type."""
    return " " in text.strip() or text.startswith("--")


@cache
def words(source: str, *, face: bool = False) -> frozenset[str]:
    """Returns all that a module calls things, and its texts; those of a `face` that are sentences,
    and decide nothing, left out.
    """
    return frozenset(_words(source, face=face))


def _words(source: str, *, face: bool) -> Iterator[str]:
    tree = ast.parse(source)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant):
            for _, value in ast.iter_fields(node):
                found = value if isinstance(value, list) else [value]
                yield from (name for name in found if isinstance(name, str))
        elif isinstance(node.value, str | bytes) and not isinstance(parents[node], ast.Expr):
            text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            if not (face and is_sentence(text) and not _decides(node, parents)):
                yield text


def _decides(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Returns whether something is compared with a text, looked up by it, or asked about it."""
    while not isinstance(above := parents[node], ast.stmt | ast.keyword):
        if isinstance(above, DECIDING) or (
            isinstance(above, ast.Call)
            and isinstance(above.func, ast.Attribute)
            and above.func.attr in ("get", "startswith", "endswith", "index", "find", "partition")
        ):
            return True
        node = above
    return False


def named_kinds(path: Path) -> set[str]:
    """Returns what a module says that names a kind of agent, or only one of them knows."""
    face = path.relative_to(PACKAGE).parts[0] in FACES
    found = words(path.read_text(encoding="utf-8"), face=face)
    known = {word for word in found if KIND.search(word)}
    if not name_of(path).startswith(PROVIDERS):
        known |= {word for word in found if FORMAT.search(word)}
    return known


def test_no_kind_of_agent_is_named_outside_its_room() -> None:
    assert {name_of(path): found for path in OUTSIDE if (found := named_kinds(path))} == {}


def tool_words() -> set[str]:
    """Returns the names of tools and of their arguments that nothing else is called. Plain words
    (`edit`, `path`) and what our own events are made of are not among them.
    """
    formats = [each for kind in kinds() for each in kind.tools()]
    named = {word for each in formats for word in (*each.names, *each.arguments, *each.todo)}
    named |= {each.multiple for each in formats}
    ours = {
        field.encode_name
        for event in (*FLEET_EVENTS, *RELAY_EVENTS)
        for field in msgspec.structs.fields(event)
    }
    return {word for word in named if re.search(r"[a-z][A-Z]|[a-z]_[a-z]", word)} - ours - SHARED


def test_no_tool_of_a_kind_is_named_outside_its_room() -> None:
    known = tool_words()
    assert {"AskUserQuestion", "old_string", "oldString", "exec_command"} <= known
    found = {name_of(path): known & words(path.read_text("utf-8")) for path in OUTSIDE}
    assert {name: named for name, named in found.items() if named} == {}


def test_the_page_knows_tools_by_its_generated_table_alone() -> None:
    sources = [path for path in PAGE.rglob("*") if path.suffix in (".ts", ".svelte")]
    assert GENERATED in sources
    named = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(tool_words())))})\b")
    read = [path for path in sources if path != GENERATED and not path.name.endswith(".test.ts")]
    assert {path.name: found for path in read if (found := named.findall(path.read_text()))} == {}


@pytest.mark.parametrize(
    "cheat",
    [
        'if run.source == "claude": pass',
        'if title == "Claude Code": pass',
        'name = b"opencode.db"',
        'name = f"codex-{version}"',
        'limits = {"kilo code": 1}',
        "from somewhere import thing as claude_thing",
        "import unbraid.agents.codex.kind",
        "match run:\n case Run(codex=found): pass",
        "def f(*, opencode_url): pass",
        'is_its = name.endswith(".jsonl")',
        'model = "claude-sonnet"',
        'if "the claude command" in text: pass',
    ],
)
def test_a_kind_in_disguise_is_found(cheat: str) -> None:
    for face in (False, True):
        found = words(cheat, face=face)
        assert any(KIND.search(word) or FORMAT.search(word) for word in found), found


def others_named(path: Path, *known: str) -> set[str]:
    """Returns what a module says that names a kind of agent which is not among the `known`; not
    the sentences that people read.
    """
    others = re.compile("|".join(room for room in ROOMS if room not in known), re.IGNORECASE)
    said = words(path.read_text(encoding="utf-8"), face=True)
    return {word for word in said if others.search(word)}


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_knows_another(room: str) -> None:
    modules = (PACKAGE / "agents" / room).rglob("*.py")
    known = (room, BUILT_ON.get(room, room))
    assert {name_of(path): named for path in modules if (named := others_named(path, *known))} == {}


def test_what_the_rooms_share_knows_none_of_them() -> None:
    modules = set((PACKAGE / "agents").glob("*.py")) - {REGISTRY}
    assert {name_of(path): named for path in modules if (named := others_named(path))} == {}


@pytest.mark.parametrize(
    "cheat",
    [
        "from unbraid.agents.kilo.kind import KILO",
        "marks = re.compile(rb'\"kilocode\\.')",
        'if metadata.get("kilocode.lifecycle"): pass',
        "def kilo_version(): pass",
    ],
)
def test_a_fork_in_its_base_is_found(cheat: str, tmp_path: Path) -> None:
    path = tmp_path / "cheat.py"
    path.write_text(cheat)
    assert others_named(path, "opencode")
    assert not others_named(path, "kilo", BUILT_ON["kilo"])


def reached(path: Path) -> set[Path]:
    """A module and all of ours that it imports, and so on, with the packages that they are in."""
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        module = waiting.pop()
        # The registry is imported late, by whoever wants all kinds; a dialect does not.
        if module in found or module in (REGISTRY, FRONT_DOOR):
            continue
        found.add(module)
        for name in imports(module):
            parts = name.split(".") if name.startswith("unbraid.") else []
            for count in range(2, len(parts) + 1):
                place = SRC.joinpath(*parts[:count])
                both = (place.with_suffix(".py"), place / "__init__.py")
                waiting += [each for each in both if each.is_file()]
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_a_dialect_is_pure(room: str) -> None:
    folder = PACKAGE / "agents" / BUILT_ON.get(room, room)
    modules = [*folder.glob("dialect*.py"), *folder.glob("dialect/*.py"), folder / "records.py"]
    for module in set().union(*map(reached, modules)):
        assert impurities(module) == set(), name_of(module)
