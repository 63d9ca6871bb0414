"""The commands of agents: those beside `/agent` and `/parallel`, which of all an agent may use, and
how they are explained to it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct

from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.registry import kinds
from unbraid.errors import CallerError
from unbraid.orchestrate.addresses import networks
from unbraid.orchestrate.grammar import AGENT, PARALLEL, WORDS

_DELEGATING = """\
# Delegating

A line that begins with one of these commands, at the very start of the line and outside of code \
fences, is carried out when your turn ends. The results come back to you as the next message.

/agent NAME message
    Ask one agent. The message is the rest of the line.
/parallel
/agent NAME message
/agent NAME message
/endparallel
    Ask up to {most} agents at once, the same one several times if need be. Lines below an
    /agent line belong to its message.
{plugins}
Commands come first: a turn that delegates has at most one line before its commands. A turn \
without commands is your answer.

# The agents

{agents}"""


class Plugin(Struct, frozen=True):
    """A command. `carry_out` takes what stands behind the word and gives the text of the answer;
    an UnbraidError that it raises becomes an ERR line. `usage` is shown to agents.
    """

    word: str
    usage: str
    carry_out: Callable[[str], Awaitable[str]]


class Commands(Mapping[str, Plugin]):
    """The commands that agents of an orchestrator can be granted."""

    def __init__(self, *plugins: Plugin) -> None:
        self._plugins: dict[str, Plugin] = {}
        for plugin in plugins:
            self.register(plugin)

    def register(self, plugin: Plugin) -> None:
        """Adds a plugin. Raises CallerError if its word is taken or not allowed."""
        word = plugin.word
        if word in WORDS or word in self._plugins:
            raise CallerError(f"the command /{word} already exists")
        if not (word.isascii() and word.isalnum() and word.islower()):
            raise CallerError(f"a command is a word of small letters and digits: {word!r}")
        self._plugins[word] = plugin

    @property
    def usages(self) -> dict[str, str]:
        """How each is explained."""
        return {word: plugin.usage for word, plugin in self._plugins.items()}

    def __getitem__(self, word: str) -> Plugin:
        return self._plugins[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def __len__(self) -> int:
        return len(self._plugins)


def built_in(env: Mapping[str, str] | None = None) -> Commands:
    """Returns the commands of every orchestrator; `UNBRAID_FETCH_ALLOW` lists further networks for
    `/fetch`.
    """
    written = (env or {}).get("UNBRAID_FETCH_ALLOW", "")
    try:
        allowed = networks(filter(None, map(str.strip, written.split(","))))
    except ValueError as error:
        raise CallerError(f"UNBRAID_FETCH_ALLOW: {error}") from None

    async def fetch(url: str) -> str:
        # An extra, and heavy: only who fetches pays for it.
        from unbraid.orchestrate.fetch import FetchLimits, fetch

        return await fetch(url, FetchLimits(allowed))

    return Commands(Plugin("fetch", "/fetch URL\n    Read a web page as text.", fetch))


def may_use(agent: AgentSpec, command: str) -> bool:
    """Returns whether an agent may use a command, by its name or by any kind's tool that does the
    same: a file that was written for one kind of agent lists that kind's tools. An agent that has
    the tool which starts sub-agents may delegate, one with the tool which reads pages may `/fetch`.
    """
    names = {f"/{command}"}.union(*(kind.tools_like.get(command, ()) for kind in kinds()))
    if not names.isdisjoint(agent.denied):
        return False
    return agent.tools is None or not names.isdisjoint(agent.tools)


def with_fleet_prompt(
    agent: AgentSpec,
    fleet: Iterable[AgentSpec],
    plugins: Mapping[str, str],
    *,
    depth: int,
    most: int,
) -> AgentSpec:
    """Returns an agent with the commands and the other agents explained in its prompt, if it is one
    that delegates.
    """
    delegates = depth == 0 or (agent.tools is not None and depth == 1)
    if not delegates or not (may_use(agent, AGENT) or may_use(agent, PARALLEL)):
        return agent
    others = [other for other in fleet if other.name != agent.name]
    agents = "\n".join(f"- {other.name}: {_line(other.description)}" for other in others)
    usages = "".join(f"{usage}\n" for word, usage in plugins.items() if may_use(agent, word))
    explained = _DELEGATING.format(
        most=most, plugins=usages, agents=agents or "There are none: answer by yourself."
    )
    return msgspec.structs.replace(agent, prompt=f"{agent.prompt}\n\n{explained}")


def _line(text: str) -> str:
    return " ".join(text.split())[:500] or "(no description)"
