"""The map in docs/concepts.md: every folder, module, function and class that it names exists."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.test_layers import ALONE, RANKS, SRC

ROOT = Path(__file__).parents[2]
PACKAGE = SRC / "unbraid"
MAP = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8").partition("## Map of the code")[2]
# A row of a way from byte to frame: a function, its module, and what it does.
STEP = re.compile(r"^\| `([\w.]+)` \| `([\w/]+\.py)` \| ", re.MULTILINE)
# A row of the ports: its protocols, and the module that defines them.
PORT = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \| `([\w/]+\.py)` \| ", re.MULTILINE)
FOLDER = re.compile(r"^\| `(\w+)/` \| ", re.MULTILINE)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
WAYS = MAP.partition("### From byte to SSE frame")[2]
STEPS = STEP.findall(WAYS)
# Recordings are data with their player, and `testing` is for tests: neither is a layer.
NO_LAYERS = {ALONE, "recordings"}


def defined(module: str) -> set[str]:
    """What a module defines: functions, classes, and `Class.method`."""
    found: set[str] = set()
    for node in ast.parse((PACKAGE / module).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}.{inner.name}"
                for inner in node.body
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
            }
    return found


@pytest.mark.parametrize(("function", "module"), STEPS)
def test_a_function_is_where_the_map_says(function: str, module: str) -> None:
    assert function in defined(module)


def test_every_step_is_read() -> None:
    rows = [line for line in WAYS.splitlines() if line.startswith("| ")]
    assert len(STEPS) == len([row for row in rows if not row.startswith("| function |")]) > 50


def test_each_function_is_named_once() -> None:
    assert {step: count for step, count in Counter(STEPS).items() if count > 1} == {}


def test_ports_are_where_the_map_says() -> None:
    ports = PORT.findall(MAP.partition("### From byte")[0])
    named = {name for names, _ in ports for name in SPAN.findall(names)}
    for names, module in ports:
        assert set(SPAN.findall(names)) <= defined(module)
    # All that a kind offers is there.
    body = ast.parse((PACKAGE / "agents" / "port.py").read_text(encoding="utf-8")).body
    (kind,) = (node for node in body if isinstance(node, ast.ClassDef) and node.name == "AgentKind")
    made = {
        part
        for node in kind.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None
        for part in re.findall(r"\b[A-Z]\w+", ast.unparse(node.returns))
    } - {"Any", "None"}
    assert len(made) == 10 and made <= named


def test_folders_are_the_layers_in_their_order() -> None:
    folders = FOLDER.findall(MAP)
    assert folders == sorted(folders, key=RANKS.__getitem__)
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert set(folders) == packages - NO_LAYERS


def test_no_part_of_the_package_is_left_out() -> None:
    parts = {path.name for path in PACKAGE.glob("*.py")} - {"__init__.py", "__main__.py"}
    parts |= {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    assert parts - set(SPAN.findall(MAP)) == set()


def test_every_path_leads_somewhere() -> None:
    paths = [span for span in SPAN.findall(MAP) if span.endswith((".py", "/"))]
    assert len(paths) > 50
    for path in paths:
        assert (PACKAGE / path).exists() or (ROOT / path).exists(), path
