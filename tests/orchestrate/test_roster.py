"""Agent files: four places, every dialect of front matter, and bad ones by name and line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.agents.agent_spec import AgentSpec, Limits
from unbraid.orchestrate.commands import may_use, with_fleet_prompt
from unbraid.orchestrate.roster import MAX_FILE_BYTES, Roster, agent_folders


def write(folder: Path, name: str, text: str | bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def roster(tmp_path: Path, text: str | bytes, name: str = "a.md") -> Roster:
    write(tmp_path / "agents", name, text)
    return Roster.read(tmp_path, tmp_path / "home")


def only(found: Roster) -> AgentSpec:
    assert found.problems == []
    (agent,) = found
    return agent


def test_everything_that_a_file_can_say(tmp_path: Path) -> None:
    agent = only(
        roster(
            tmp_path,
            "---\nname: reviewer\ndescription: Reviews code\nmodel: opus\n"
            "tools: Read, Grep, /agent\nbackend: claude\nlimits:\n  turns: 3\n  dollars: 0.5\n---\n"
            "\nYou review.\n\n--- \nx\n",
        )
    )
    assert agent == AgentSpec(
        "reviewer",
        "Reviews code",
        "You review.\n\n--- \nx",
        "opus",
        ("Read", "Grep", "/agent"),
        (),
        "claude",
        Limits(turns=3, dollars=0.5),
        tmp_path / "agents" / "a.md",
        11,
    )
    assert agent.backend_tools == ("Read", "Grep")


def test_a_file_without_a_name_is_named_by_itself(tmp_path: Path) -> None:
    agent = only(
        roster(tmp_path, "---\r\ndescription: x\r\nmode: subagent\r\n---\r\nHi\r\n", "scout.md")
    )
    assert (agent.name, agent.description, agent.prompt) == ("scout", "x", "Hi")


def test_opencode_takes_tools_away(tmp_path: Path) -> None:
    agent = only(
        roster(tmp_path, "---\ntools:\n  write: false\n  bash: false\n  read: true\n---\n")
    )
    assert (agent.tools, agent.denied) == (None, ("write", "bash"))


def test_claude_code_reads_what_is_no_yaml(tmp_path: Path) -> None:
    output = 'Use it when: Context: x says: "no" # really'
    agent = only(roster(tmp_path, f"---\nname: a\ndescription: {output}\ntools: [Read]\n---\n"))
    assert agent.description == output
    assert agent.tools == ("Read",)


def test_the_first_of_all_places_wins(tmp_path: Path) -> None:
    home = tmp_path / "home"
    places = agent_folders(tmp_path, home)
    for number, folder in enumerate(reversed(places)):
        write(folder, f"own{number}.md", "---\ndescription: own\n---\n")
        write(folder, "both.md", f"---\ndescription: from {number}\n---\n")
    found = Roster.read(tmp_path, home)
    own = {f"own{number}" for number in range(len(places))}
    assert {agent.name for agent in found} == own | {"both"}
    both = found.get("both")
    assert both is not None and both.description == f"from {len(places) - 1}"


BAD: dict[str, tuple[str | bytes, int, str]] = {
    "empty": ("", 1, "no front matter"),
    "no front matter": ("# Just notes\n", 1, "no front matter"),
    "no end": ("---\nname: a\n", 1, "no end"),
    "not yaml": ("---\nname: a\ntools: [Read\n---\n", 3, ""),
    "tab": ("---\nname: a\nlimits:\n\tturns: 3\n---\n", 4, "cannot start any token"),
    "a list": ("---\n- a\n- b\n---\n", 2, "key: value"),
    "bad name": ("---\ndescription: x\nname: two words\n---\n", 3, "name: letters"),
    "bad type": ("---\nname: a\nmodel: [x]\n---\n", 3, "model: a text"),
    "bad tools": ("---\nname: a\n\ntools: 5\n---\n", 4, "tools: names"),
    "bad limit": ("---\nname: a\nlimits:\n  turns: many\n---\n", 3, "limits: Expected"),
    "unknown limit": (
        "---\nname: a\nlimits: {turn: 1}\n---\n",
        3,
        "limits: Object contains unknown",
    ),
    "not utf-8": (b"---\nname: a\ndescription: \xff\n---\n", 3, "not UTF-8"),
    "too large": ("---\nname: a\n---\n" + "x" * MAX_FILE_BYTES, 1, "larger"),
    "deep": ("---\nname: " + "[" * 9000 + "\n---\n", 2, ""),
}


@pytest.mark.parametrize(("text", "line", "reason"), BAD.values(), ids=BAD)
def test_bad_files_are_reported_and_the_rest_work(
    tmp_path: Path, text: str | bytes, line: int, reason: str
) -> None:
    write(tmp_path / "agents", "good.md", "---\nname: good\n---\n")
    found = roster(tmp_path, text, "bad.md")
    assert [agent.name for agent in found] == ["good"]
    (problem,) = found.problems
    assert (problem.path.name, problem.line) == ("bad.md", line)
    assert reason in problem.reason
    assert str(problem).startswith(f"{tmp_path}/agents/bad.md:{line}: ")


def test_aliases_that_would_grow_without_bound_stay_small(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    assert only(roster(tmp_path, "\n".join(["---", "name: a", *lines, "---", ""]))).name == "a"


@given(
    st.one_of(
        st.binary(max_size=200), st.binary(max_size=200).map(lambda b: b"---\n" + b + b"\n---\n")
    )
)
def test_any_file_is_an_agent_or_a_problem(data: bytes) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        found = roster(Path(folder), data)
        assert len(found) + len(found.problems) == 1 or found.master.path is not None


def test_the_master_is_built_in_until_a_file_says_otherwise(tmp_path: Path) -> None:
    assert Roster().master.name == "index"
    found = roster(tmp_path, "---\nname: index\n---\nMine.\n")
    assert (found.master.prompt, len(found), found.get("index")) == ("Mine.", 0, None)


def test_what_an_agent_may_do() -> None:
    assert may_use(AgentSpec("a"), "agent") and may_use(AgentSpec("a"), "fetch")
    assert not may_use(AgentSpec("a", tools=()), "agent")
    assert not may_use(AgentSpec("a", tools=("Read",)), "fetch")
    assert may_use(AgentSpec("a", tools=("/agent",)), "agent")
    assert may_use(AgentSpec("a", tools=("Task",)), "parallel")
    assert may_use(AgentSpec("a", tools=("WebFetch",)), "fetch")
    assert not may_use(AgentSpec("a", denied=("webfetch",)), "fetch")


def test_who_delegates_is_shown_how_and_to_whom() -> None:
    fleet = [
        AgentSpec("a", "Does\n a"),
        AgentSpec("b", tools=("/agent",)),
        AgentSpec("c", tools=("Read",)),
    ]
    plugins = {"fetch": "/fetch URL"}

    def prompt(agent: AgentSpec, depth: int) -> str:
        return with_fleet_prompt(agent, fleet, plugins, depth=depth, most=16).prompt

    master = prompt(Roster().master, 0)
    assert "- a: Does a\n- b: (no description)\n- c:" in master
    assert "up to 16" in master and "/fetch URL" in master
    assert "- a: Does a" in prompt(fleet[1], 1) and "- b:" not in prompt(fleet[1], 1)
    assert "/fetch" not in prompt(fleet[1], 1)
    assert prompt(fleet[1], 2) == prompt(fleet[2], 1) == prompt(fleet[0], 1) == ""


def test_a_project_with_a_fifo_among_its_agents_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    os.mkfifo(tmp_path / "agents" / "a.md")
    roster = Roster.read(tmp_path, tmp_path / "home")
    assert [problem.reason for problem in roster.problems] == ["Not a regular file"]
