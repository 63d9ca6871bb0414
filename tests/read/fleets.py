"""Random fleets that really happen: who said what, in which order, and the truth of it.

A fleet is a tree of agents with turns of blocks. `play` runs it: agents take steps in a random
interleaving, a parent waits for the children it has called, and every step is noted. The notes are
what the printers of `dialects` print, and at the same time the truth.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

OPENING = "I'll start by searching the codebase for the relevant files, and then I will "
WHOLE = "I'll start by looking at the code, then report."
TEXTS = ["ok", "Done.", OPENING + "report A.", OPENING + "report B.", "naïve 日本 \u2028 \x85 \x0c"]


@dataclass
class Said:
    """One step: a block was said, or a call was answered."""

    agent: str
    kind: str  # block, result
    message_id: str = ""
    index: int = 0
    block: dict[str, Any] = field(default_factory=dict)
    call: str = ""
    last: bool = False  # of its message


@dataclass
class Agent:
    """One agent: what spawned it, and what it will say."""

    name: str
    call: str | None
    parent: str | None
    prompt: str
    turns: list[list[dict[str, Any]]] = field(default_factory=list)


@dataclass
class Fleet:
    """The agents by name, and everything that happened."""

    agents: dict[str, Agent]
    steps: list[Said]

    def truth(self) -> dict[str, list[tuple[str, str]]]:
        """Agent by agent, every block in order: (type, words or call id)."""
        said: dict[str, list[tuple[str, str]]] = {name: [] for name in self.agents}
        for step in self.steps:
            if step.kind == "block":
                block = step.block
                value = block.get("id") or block.get("text") or block.get("thinking") or ""
                said[step.agent].append((block["type"], value))
        return said


def alike(rng: random.Random) -> list[str]:
    """Texts of which many begin with the same words, and one is the beginning of others."""
    words = "the file parser reads line café — 日本 tab\t nl\n path/to/x.ts 🚀".split(" ")
    longer = [" ".join(rng.choices(words, k=rng.randint(3, 30))) for _ in range(12)]
    return ["ok", WHOLE, WHOLE, WHOLE, *longer[:6], *(f"{WHOLE} {each}" for each in longer[6:])]


def grow(
    rng: random.Random, *, depth: int = 4, texts: list[str] | None = None, works: bool = False
) -> Fleet:
    """A random fleet, played to its end. In one that `works`, each message but an agent's last one
    calls a tool, as real ones do.
    """
    words = texts if texts is not None else [*TEXTS, ""]
    agents: dict[str, Agent] = {}
    counter = iter(range(1, 1_000_000))

    def make(name: str, call: str | None, parent: str | None, level: int) -> None:
        agent = agents[name] = Agent(name, call, parent, f"[[{name}]] Do your part.")
        for turn in range(rng.randint(1, 3)):
            blocks: list[dict[str, Any]] = []
            if name == "main" and turn == 0:
                # The first message shows how the source repeats itself, as real ones do.
                blocks += [
                    {"type": "thinking", "thinking": "Plan."},
                    {"type": "text", "text": "Go"},
                ]
            for _ in range(rng.randint(0 if blocks else 1, 3)):
                kind = rng.choice(["text", "text", "thinking", "tool", "spawn"])
                if kind in ("text", "thinking"):
                    said = rng.choice(words)
                    blocks.append({"type": kind, kind: said})
                    continue
                number = next(counter)
                use: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{number:08}"}
                if kind == "spawn" and level < depth and len(agents) < 12:
                    child = f"agent{number}"
                    prompt = f"[[{child}]] Do your part."
                    use |= {"name": "Task", "input": {"prompt": prompt, "subagent_type": "worker"}}
                    blocks.append(use)
                    make(child, use["id"], name, level + 1)
                else:
                    blocks.append(use | {"name": "Bash", "input": {"command": f"echo {number}"}})
            if works and not any("id" in block for block in blocks):
                use = {"type": "tool_use", "id": f"toolu_{next(counter):08}"}
                blocks.append(use | {"name": "Bash", "input": {"command": "ls"}})
            agent.turns.append(blocks)
        agent.turns.append([{"type": "text", "text": rng.choice(words)}])

    make("main", None, None, 0)
    return Fleet(agents, list(play(agents, rng)))


def play(agents: dict[str, Agent], rng: random.Random) -> Iterator[Said]:
    """Run a fleet: one random agent takes a step at a time."""
    running = {"main": _act(agents, agents["main"])}
    waiting: dict[str, set[str]] = {}
    by_call = {agent.call: name for name, agent in agents.items()}
    ended: set[str] = set()
    while running or waiting:
        name = rng.choice(sorted(running))
        step = next(running[name], None)
        if step is None:
            del running[name]
            ended.add(name)
            for parent, children in list(waiting.items()):
                if children <= ended:
                    del waiting[parent]
                    running[parent] = _resumed[parent]
            continue
        yield step
        if step.kind == "result":
            continue
        if step.last:
            calls = [b["id"] for b in agents[name].turns[step_turn(step)] if "id" in b]
            children = {by_call[c] for c in calls if c in by_call}
            if children:
                _resumed[name] = running.pop(name)
                waiting[name] = children
                for child in sorted(children):
                    running[child] = _act(agents, agents[child])


_resumed: dict[str, Iterator[Said]] = {}


def step_turn(step: Said) -> int:
    """The turn that a step belongs to."""
    return int(step.message_id.rsplit("-", 1)[1])


def _act(agents: dict[str, Agent], agent: Agent) -> Iterator[Said]:
    for turn, blocks in enumerate(agent.turns):
        message_id = f"msg_{agent.name}-{turn}"
        for index, block in enumerate(blocks):
            last = index == len(blocks) - 1
            yield Said(agent.name, "block", message_id, index, block, last=last)
        for block in blocks:
            if "id" in block:
                yield Said(agent.name, "result", call=block["id"])
