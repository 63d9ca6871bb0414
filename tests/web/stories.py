"""Runs written by hand, through the real fleet: what agents might say that no scripted CLI can be
made to say, and more of it than anyone would wait for.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Raw

from unbraid import events as e
from unbraid.fold.streams import Fleet

BEGAN_MS = 1_750_000_000_000
WORDS = (
    "Looking through the files, I found that **the parser** keeps its place by `offset`, and that "
    "a reader which comes late is told so. Next I will read the tests.\n\n"
)


class Story:
    """A run that grows as it is written; agents are known by the names they were spawned under."""

    def __init__(self, prompt: str = "Tell a story.", *, began_ms: int = BEGAN_MS) -> None:
        self._fleet = Fleet("claude")
        self._now = began_ms
        self._count = 0
        self.events: list[e.FleetEvent] = []
        self._told(e.Prompt(text=prompt))

    def wait(self, milliseconds: int) -> Story:
        """Some time goes by."""
        self._now += milliseconds
        return self

    def say(self, text: str, agent: str = "", *, pieces: int = 1) -> Story:
        """Words, as one block of one message."""
        message_id, size = self._id("msg"), -(-len(text) // pieces) or 1
        for start in range(0, len(text), size):
            delta = text[start : start + size]
            self._told(e.TextDelta(agent, message_id=message_id, delta=delta))
        return self

    def think(self, text: str, agent: str = "") -> Story:
        """Thinking."""
        return self._told(e.ThinkingDelta(agent, message_id=self._id("msg"), delta=text))

    def call(
        self,
        tool: str,
        given: Mapping[str, object],
        result: str | None,
        agent: str = "",
        *,
        ok: bool = True,
    ) -> Story:
        """A tool call, and what it gave; None while it has given nothing."""
        call = self._id("toolu")
        raw = Raw(msgspec.json.encode(given))
        self._told(e.ToolUse(agent, tool_use_id=call, tool=tool, input_json=raw))
        if result is not None:
            content = Raw(msgspec.json.encode(result))
            self.wait(40)._told(
                e.ToolResult(agent, tool_use_id=call, ok=ok, content_json=content, duration_ms=40)
            )
        return self

    def spawn(self, agent: str, parent: str = "", *, kind: str = "Explore") -> Story:
        """Another agent begins."""
        call, prompt = self._id("toolu"), f"Do the part of {agent}."
        given = Raw(msgspec.json.encode({"description": agent, "prompt": prompt}))
        self._told(e.ToolUse(parent, tool_use_id=call, tool="Agent", input_json=given))
        return self._told(
            e.SubAgentSpawned(
                agent,
                parent_context=parent,
                agent_id=agent,
                prompt=prompt,
                subagent_type=kind,
                parent_tool_id=call,
                description=agent,
            )
        )

    def spend(self, agent: str = "", *, tokens: int = 1000, cost_usd: float | None = 0.01) -> Story:
        """One message's price."""
        return self._told(
            e.TokenUsage(
                agent,
                message_id=self._id("msg"),
                model="a-model",
                input_tokens=tokens,
                output_tokens=tokens // 10,
                cost_usd=cost_usd,
            )
        )

    def end(self, agent: str, *, reason: str = "completed") -> Story:
        """An agent is through."""
        return self._told(e.SubAgentEnded(agent, ok=reason == "completed", reason=reason))

    def done(self) -> Story:
        """The run is over."""
        self.events += self._fleet.finish(True, "completed", now=self._now)
        return self

    def tell(self, event: e.RelayEvent) -> Story:
        """Anything else."""
        return self._told(event)

    def _told(self, event: e.RelayEvent) -> Story:
        self._now += 5
        self.events += self._fleet.apply([event], self._now)
        return self

    def _id(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_{self._count:08d}"


def crowd(agents: int, events: int, *, over: bool = True) -> Story:
    """A run of so many agents (an eighth of them lead others) and about so many events."""
    story = Story("Review the whole project, one part each.")
    names = [""]
    for number in range(1, agents):
        parent = names[(number - 1) // 8]
        story.spawn(f"part {number}", parent, kind=("Explore", "reviewer", "writer")[number % 3])
        names.append(f"part {number}")
    turn = 0
    while len(story.events) < events - 2 * agents:
        agent = names[turn % agents]
        story.say(WORDS, agent, pieces=6)
        call: dict[str, object] = {"command": f"rg --count parser part-{turn}"}
        story.call("Bash", call, "src/parser.py:12\n" * 4, agent, ok=turn % 17 != 3)
        story.spend(agent)
        turn += 1
    if over:
        for name in reversed(names[1:]):
            story.end(name)
        story.done()
    return story


PARTS = (
    "Audit the HTTP handlers for missing input validation",
    "Check the retry logic of the queue worker",
    "Read the migration scripts",
    "Find flaky tests in the integration suite",
    "Compare the two implementations of the cache",
)
OVERLOADED = "API error 529: overloaded, gave up after 10 attempts"
ANSWER = "Two things must be fixed, and both are small."


def fan(*, over: bool = True) -> Story:
    """A fleet of 31: thirty reviewers, three of them below the first. The twentieth has failed, the
    seventh was the most expensive by far. If it is not over, every second one works.
    """
    story = Story("# Review the *whole* project\n\nOne part each.").say("I send thirty reviewers.")
    names = [f"{PARTS[number % len(PARTS)]}, part {number}" for number in range(1, 31)]
    for number, name in enumerate(names, 1):
        kind = ("general-purpose", "Explore", "reviewer")[number % 3]
        story.spawn(name, names[0] if number in (11, 12, 13) else "", kind=kind).wait(300)
    for turn in range(4):
        for number, name in enumerate(names, 1):
            story.wait(400).say(WORDS, name)
            story.call("Bash", {"command": f"rg parser part-{turn}"}, "12", name, ok=turn != 2)
            dollars = 1.5 if number == 7 else 0.01 * (1 + number % 5)
            story.spend(name, tokens=900 + number, cost_usd=dollars)
    for number, name in reversed(list(enumerate(names, 1))):
        if not over and number % 2:
            continue
        if number == 20:
            story.tell(e.Error(name, message=OVERLOADED)).end(name, reason="failed")
        else:
            story.wait(200).say(f"Part {number} is fine.", name).end(name)
    if over:
        story.wait(3000).say(ANSWER).spend(tokens=4000, cost_usd=0.31).done()
    return story
