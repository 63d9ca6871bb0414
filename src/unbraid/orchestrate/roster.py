"""The agents there are: Markdown files with front matter, where each kind of agents keeps them.

A file that cannot be used is reported by its name and line; the others work. Of two agents of one
name the first place wins, so a project's own stands before the person's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from unbraid.agents.agent_spec import AgentSpec, Limits
from unbraid.agents.registry import kinds
from unbraid.system.files import read_small

MAX_FILE_BYTES = 256 * 1024
FENCE = "---"

MASTER = "index"

MASTER_AGENT = AgentSpec(
    name=MASTER,
    description="Delegates to the fleet and answers",
    prompt="""\
You lead a fleet of agents. Decide what the request needs, delegate what others do better or what \
can be done at the same time, and answer the person yourself once you have what you need. Do not \
delegate what you can answer at once. An agent knows nothing but the message that you give it: say \
in it all that it needs. Agents can fail: their answer is then a line that begins with ERR: and \
says how to go on. Never invent what an agent has not said.""",
)

_NAME = re.compile(r"[^\W_](?:[\w.:-]{0,62}\w)?")
# `key: any words: with colons`, which the agents' own programs read and YAML does not.
_PLAIN = re.compile(r"^([A-Za-z][\w-]*):[ \t]+([^\s\"'\[{>|&*!#].*)$", re.MULTILINE)


class AgentFileProblem(Struct, frozen=True):
    """Why a file gives no agent, and where in it."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


class Roster:
    """Agents by name. The master is always among them."""

    def __init__(
        self, agents: Iterable[AgentSpec] = (), problems: Iterable[AgentFileProblem] = ()
    ) -> None:
        self.problems = list(problems)
        self._agents: dict[str, AgentSpec] = {}
        for agent in agents:
            self._agents.setdefault(agent.name, agent)
        self.master = self._agents.pop(MASTER, MASTER_AGENT)

    @classmethod
    def read(cls, cwd: Path, home: Path) -> Roster:
        """Returns all agents of a project and a person."""
        problems: list[AgentFileProblem] = []
        agents: list[AgentSpec] = []
        for folder in agent_folders(cwd, home):
            for path in sorted(folder.glob("*.md")):
                try:
                    agents.append(read_agent(path))
                except _Bad as bad:
                    problems.append(AgentFileProblem(path, bad.line, bad.reason))
        return cls(agents, problems)

    def get(self, name: str) -> AgentSpec | None:
        """Returns the agent of that name; the master is not one to delegate to."""
        return self._agents.get(name)

    def __iter__(self) -> Iterator[AgentSpec]:
        return iter(self._agents.values())

    def __len__(self) -> int:
        return len(self._agents)

    def __bool__(self) -> bool:
        return True  # the master is always there


def agent_folders(cwd: Path, home: Path) -> list[Path]:
    """Returns where agents are looked for, first come, first served."""
    return [
        cwd / "agents",
        *(cwd / folder for kind in kinds() for folder in kind.agent_folders),
        *(home / folder for kind in kinds() for folder in kind.home_agent_folders),
    ]


class _Bad(Exception):
    def __init__(self, line: int, reason: str) -> None:
        self.line, self.reason = line, reason


def read_agent(path: Path) -> AgentSpec:
    """Returns one file's agent."""
    head, head_lines, prompt = _split(path)
    fields, lines = _front_matter(head)

    def bad(key: str, reason: str) -> _Bad:
        return _Bad(lines.get(key, 1), f"{key}: {reason}")

    def text(key: str) -> str | None:
        value = fields.get(key)
        if value is not None and not isinstance(value, str):
            raise bad(key, "a text is wanted")
        return value

    name = text("name") or path.stem
    if not _NAME.fullmatch(name):
        raise bad("name", "letters, digits and . _ - : only, at most 64")
    try:
        tools, denied = _tools(fields.get("tools"))
        denied += _tools(fields.get("disallowedTools"))[0] or ()
    except ValueError as error:
        raise bad("tools", str(error)) from None
    try:
        limits = msgspec.convert(fields.get("limits") or {}, Limits)
    except msgspec.ValidationError as error:
        raise bad("limits", str(error)) from None
    model = text("model")
    return AgentSpec(
        name=name,
        description=text("description") or "",
        prompt=prompt.strip(),
        # `inherit` is "as my caller".
        model=None if model == "inherit" else model,
        tools=tools,
        denied=denied,
        backend=text("backend"),
        limits=limits,
        path=path,
        line=head_lines + 1,
    )


def _split(path: Path) -> tuple[str, int, str]:
    """Returns the front matter, how many lines it takes with its fences, and the rest."""
    try:
        # A project brings its agents along, and its author may be anybody.
        found = read_small(path, links=True)
        if len(found) > MAX_FILE_BYTES:
            raise _Bad(1, f"larger than {MAX_FILE_BYTES} bytes")
        content = found.decode("utf-8-sig")
    except OSError as error:
        raise _Bad(1, error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise _Bad(error.object[: error.start].count(b"\n") + 1, "not UTF-8") from None
    lines = content.split("\n")
    if lines[0].rstrip() != FENCE:
        raise _Bad(1, f"no front matter: the first line must be {FENCE}")
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() == FENCE:
            return "\n".join(lines[1 : number - 1]), number, "\n".join(lines[number:])
    raise _Bad(1, f"the front matter has no end: a second {FENCE} is missing")


def _front_matter(head: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Returns the fields, and the line of the file that each stands in."""
    import yaml  # takes long, and most servers run no agents of their own

    try:
        return _yaml(head)
    except yaml.YAMLError as error:
        try:
            return _yaml(_PLAIN.sub(lambda m: f"{m[1]}: {_quoted(m[2])}", head))
        except yaml.YAMLError:
            mark = getattr(error, "problem_mark", None)
            reason = getattr(error, "problem", None) or "not YAML"
            raise _Bad(1 if mark is None else mark.line + 2, reason) from None
    except RecursionError:
        raise _Bad(2, "nested too deeply") from None


def _yaml(head: str) -> tuple[dict[str, Any], dict[str, int]]:
    import yaml

    node = yaml.compose(head, Loader=yaml.SafeLoader)
    fields = yaml.safe_load(head)
    if node is None:
        return {}, {}
    if not isinstance(node, yaml.MappingNode):
        raise _Bad(2, "the front matter must be `key: value` lines")
    return fields, {key.value: key.start_mark.line + 2 for key, _ in node.value}


def _quoted(value: str) -> str:
    return msgspec.json.encode(value.strip()).decode()


def _tools(given: Any) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Returns what is granted (None: everything) and what is denied.

    Some kinds write `Read, Grep` or a list, others a mapping of tools to true or false.
    """
    if given is None:
        return None, ()
    if isinstance(given, str):
        given = [name.strip() for name in given.split(",") if name.strip()]
    if isinstance(given, list) and all(isinstance(name, str) for name in given):
        return (None, ()) if given == ["*"] else (tuple(given), ())
    if isinstance(given, dict) and all(isinstance(value, bool) for value in given.values()):
        # A mapping only takes away: whatever it does not name stays.
        return None, tuple(str(name) for name, granted in given.items() if not granted)
    raise ValueError("names, or a mapping of names to true or false")
