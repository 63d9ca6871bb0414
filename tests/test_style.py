"""What the house style says, as far as a few lines can see it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.test_layers import MODULES, SRC, parsed

MAX_POSITIONAL = 3
# Made for nearly every line, where keywords would cost a hundredth of all translating.
HOT = {
    "agents/claude/dialect/messages.py": {"TextDelta", "ThinkingDelta"},
    "agents/claude/dialect/tools.py": {"OpenCall", "ToolUse", "ToolResult"},
}
# Stands on the inside of another project's client, and says why.
ON_THE_INSIDE = "log/nats/client.py"
# What other projects mean their users to call, though it has an underscore.
PUBLIC_ALL_THE_SAME = {"_replace", "_asdict", "_exit"}
WAIT = re.compile(r"_?([A-Z_]+_)?(SECONDS|MS)")
# Those for tests alone, and units: how long a second, a minute and a day are.
WAITS_ELSEWHERE = (
    "log/contract.py",
    "testing/",
    "cli/",
    "alerts/rules_file.py",
    "sessions/costs.py",
)


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Yields the names of the modules, with their syntax trees."""
    return ((str(path.relative_to(SRC / "unbraid")), parsed(path)) for path in MODULES)


@cache
def nodes() -> list[tuple[str, ast.AST]]:
    """Returns all that is written anywhere, with the names of its modules."""
    return [(name, node) for name, tree in trees() for node in ast.walk(tree)]


def found(kind: Any) -> Iterator[tuple[str, Any]]:
    """Yields the nodes of a kind, with the names of their modules."""
    return ((name, node) for name, node in nodes() if isinstance(node, kind))


def test_more_than_three_arguments_of_a_constructor_are_passed_by_keyword() -> None:
    classes = {node.name for _, node in found(ast.ClassDef)}
    assert [
        f"{name}: {ast.unparse(node)}"
        for name, node in found(ast.Call)
        if len(node.args) > MAX_POSITIONAL
        and ast.unparse(node.func).rpartition(".")[2] in classes - HOT.get(name, set())
    ] == []


def test_nobody_reaches_into_another_object() -> None:
    """A private field is written by its own object alone, and read by nobody outside its module."""
    known = {(name, node.attr) for name, node in found(ast.Attribute) if is_own(node)}
    known |= {(name, node.name) for name, node in found(ast.FunctionDef | ast.AsyncFunctionDef)}
    assert [
        f"{name}: {ast.unparse(node)}"
        for name, node in found(ast.Attribute)
        if re.match(r"_[a-z]", node.attr)
        and node.attr not in PUBLIC_ALL_THE_SAME
        and name != ON_THE_INSIDE
        and not is_own(node)
        and (isinstance(node.ctx, ast.Store) or (name, node.attr) not in known)
    ] == []


def is_own(node: ast.Attribute) -> bool:
    """Returns whether it is a field of the object whose method this is."""
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def test_one_private_module_of_another_project_is_imported_and_its_reason_stands_there() -> None:
    modules = {(name, node.module or "") for name, node in found(ast.ImportFrom)}
    modules |= {(name, alias.name) for name, node in found(ast.Import) for alias in node.names}
    private = {each for each in modules if re.search(r"(^|\.)_(?!_)", each[1])}
    assert private == {("system/file_changes.py", "watchfiles._rust_notify")}


def test_no_hook_is_left_to_a_subclass() -> None:
    raised = [(name, ast.unparse(node)) for name, node in found(ast.Raise)]
    assert [each for each in raised if "NotImplemented" in each[1]] == []


def test_nothing_changes_at_the_level_of_modules() -> None:
    assert list(found(ast.Global)) == []


def test_every_wait_is_in_the_table_of_timings() -> None:
    waits = [
        f"{name}: {target.id}"
        for name, tree in trees()
        if name != "timings.py" and not name.startswith(WAITS_ELSEWHERE)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and WAIT.fullmatch(target.id)
    ]
    # No waits: units, limits, and the widths of what is drawn and counted.
    assert waits == [
        "fleet/prices.py: DAY_MS",
        "fleet/run_clock.py: MAX_DURATION_MS",
        "fleet/shares.py: SLOT_MS",
        "log/activity.py: FIRST_SPAN_MS",
        "serve/metrics.py: _SECONDS",
        "wire/record.py: LATEST_MS",
    ]
