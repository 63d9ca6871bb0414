"""`unbraid tree`: who worked for whom."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.block_rows import RECORDINGS, sources_of
from unbraid.cli import main
from unbraid.cli.tree import fitted

NESTED = sources_of(RECORDINGS / "nested.plain-fwd.2.1.325", full=True)
RESUMED = sources_of(RECORDINGS / "resumed.plain.2.1.197", full=True)


def run(*args: str) -> str:
    result = CliRunner().invoke(main, ["tree", *args], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    assert "\x1b" not in result.stdout
    return result.stdout


def depths(node: dict[str, Any], depth: int = 0) -> list[tuple[str, int]]:
    own = [(node["agent"], depth)]
    return own + [each for child in node["children"] for each in depths(child, depth + 1)]


def test_json_is_the_tree_itself() -> None:
    tree = json.loads(run("--json", *NESTED))
    assert depths(tree) == [("main", 0), ("general-purpose", 1), ("general-purpose", 2)]
    assert tree["status"] == "done"


def test_text_is_one_line_an_agent() -> None:
    lines = run(*NESTED).splitlines()
    assert len(lines) == 3
    assert all("done" in line for line in lines)
    indents = [len(line) - len(line.lstrip(" │├└─╰")) for line in lines]
    assert indents == sorted(set(indents)), "the deeper, the further right"


def test_mermaid_has_every_agent_and_every_edge() -> None:
    text = run("--mermaid", *NESTED)
    assert text.split()[0] in ("flowchart", "graph")
    assert [f"s{n}[" in text for n in range(3)] == [True] * 3
    assert "s0 --> s1" in text
    assert "s1 --> s2" in text


def test_dot_has_every_agent_and_every_edge() -> None:
    text = run("--dot", *NESTED)
    assert text.startswith("digraph")
    assert text.rstrip().endswith("}")
    assert "s0 -> s1;" in text
    assert "s1 -> s2;" in text


def test_an_agent_that_was_asked_again_is_tied_to_what_it_was() -> None:
    assert "-. resumed .->" in run("--mermaid", *RESUMED)
    assert "[style=dashed]" in run("--dot", *RESUMED)


def test_several_runs_are_several_trees() -> None:
    assert run(NESTED[0], RESUMED[0]) == run(NESTED[0]) + run(RESUMED[0])


@given(
    st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), min_size=1),
    st.integers(40, 120),
)
def test_long_lines_go_on_within_the_tree(words: list[str], width: int) -> None:
    leads = ("", "├─ ", "│  └─ ", "└─ ")
    text = "\n".join(f"{lead}✔ {' '.join(words)} end" for lead in leads)
    lines = list(fitted(text, width))
    assert all(cell_len(line) <= width for line in lines)
    guides = ("", "│  ", "│     ", "   ")
    for lead, guide in zip(leads, guides, strict=True):
        output, *lines = lines
        assert output.startswith(f"{lead}✔")
        while not output.endswith(" end") and lines:
            more, *lines = lines
            assert more.startswith(f"{guide}  ")
            output += " " + more.removeprefix(guide).strip()
        said = "".join(output.removeprefix(lead).split())
        assert said == "".join(f"✔ {' '.join(words)} end".split())
    assert not lines
    assert list(fitted(text, None)) == text.split("\n")
