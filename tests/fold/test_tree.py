"""The tree: who works for whom, how far, at what cost."""

from __future__ import annotations

import shutil
import subprocess

import msgspec
import pytest

from unbraid import events as e
from unbraid.cli.demo import recorded_lines
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.streams import Fleet
from unbraid.fold.tree import Tree


@pytest.fixture(scope="module")
def fleet() -> list[e.FleetEvent]:
    pipeline = Pipeline()
    return [x for _, line in recorded_lines() for x in pipeline.feed(line)] + pipeline.finish()


def test_the_demo_as_text(fleet: list[e.FleetEvent]) -> None:
    lines = Tree(fleet).to_text().splitlines()
    assert [line.split("  done")[0] for line in lines[1:]] == [
        "├─ ✔ 1 run reader (general-purpose)",
        "├─ ✔ 2 run tester (general-purpose)",
        "│  └─ ✔ 4 run explainer (general-purpose)",
        "└─ ✔ 3 run manual (general-purpose)",
    ]
    assert lines[0].startswith("✔ 0 main  done · 4 tool calls")


def test_json_rolls_usage_up(fleet: list[e.FleetEvent]) -> None:
    root = msgspec.json.decode(msgspec.json.encode(Tree(fleet).to_json()))
    tester = root["children"][1]
    own, total = tester["usage"], tester["total"]
    below = tester["children"][0]["usage"]
    assert total["input_tokens"] == own["input_tokens"] + below["input_tokens"]
    done = fleet[-1]
    assert isinstance(done, e.Done)
    assert root["total"]["cost_usd"] == done.cost_usd
    assert [child["depth"] for child in root["children"]] == [1, 1, 1]


def test_a_growing_tree_is_the_same_as_a_whole_one(fleet: list[e.FleetEvent]) -> None:
    growing = Tree()
    for event in fleet:
        growing.apply([event])
    assert growing.to_json() == Tree(fleet).to_json()


def test_who_waits_for_permission_is_seen() -> None:
    fleet = Fleet()
    asked = fleet.apply(
        [e.PermissionAsked("", 1, "r1", "Bash"), e.PermissionAsked("", 1, "r2", "X")]
    )
    tree = Tree(asked)
    assert tree.nodes[0].status == "waiting"
    tree.apply(fleet.apply([e.PermissionReplied("", 2, "r1", "allow")]))
    assert tree.nodes[0].status == "waiting"
    tree.apply(fleet.apply([e.PermissionReplied("", 2, "r2", "deny")]))
    assert tree.nodes[0].status == "working"


def hostile() -> Tree:
    fleet = Fleet()
    words = 'x"];\n} digraph { "<script>" \\'
    spawned = e.SubAgentSpawned("a", 1, "", None, "s", "p", words, "a", words)
    again = e.SubAgentSpawned("a", 1, "", None, "s", "p", words, "b", words, resumes=True)
    return Tree(
        fleet.apply([spawned, e.SubAgentEnded("a"), again]) + fleet.finish(True, "completed")
    )


def test_labels_cannot_break_out_of_a_mermaid_chart() -> None:
    lines = hostile().to_mermaid().splitlines()
    assert lines[0] == "flowchart TD"
    for line in lines[1:]:
        assert line.count('"') in (0, 2)
    # Some viewers of mermaid render what is in a label.
    assert not [line for line in lines if set("<`&\\") & set(line)]
    assert "#60;script#62;" in lines[2]
    assert "  s1 -. resumed .-> s2" in lines


def test_a_dot_graph_is_one_that_graphviz_reads() -> None:
    drawn = hostile().to_dot()
    assert drawn.startswith("digraph fleet {")
    assert "  s0 -> s1;" in drawn
    dot = shutil.which("dot")
    if dot is not None:
        subprocess.run([dot, "-Tsvg"], input=drawn.encode(), capture_output=True, check=True)
