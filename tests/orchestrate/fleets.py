"""A fleet on a scripted model: what the model was made to say is the truth."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec
from unbraid.orchestrate.orchestrator import Orchestrator
from unbraid.orchestrate.roster import Roster
from unbraid.testing import Script, ScriptedModel, Turn, assert_fleet

APIS = ("anthropic", "openai")


def environment(model: ScriptedModel) -> dict[str, str]:
    """Both APIs, at the scripted model."""
    return {
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": model.url,
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{model.url}/v1",
        "OPENAI_MODEL": "scripted",
        "HOME": "/nonexistent",
        "PATH": "",
    }


@asynccontextmanager
async def scripted(agents: Mapping[str, Sequence[Turn]]) -> AsyncIterator[ScriptedModel]:
    """The model; `main` is the master, and each agent is known by its marker."""
    async with ScriptedModel(Script(agents), answers_without_tools=True) as model:
        yield model


def fleet(*names: str | AgentSpec) -> Roster:
    """Agents that are nothing but their names."""
    return Roster(name if isinstance(name, AgentSpec) else AgentSpec(name) for name in names)


def orchestrator(model: ScriptedModel, roster: Roster, **settings: Any) -> Orchestrator:
    """An orchestrator at the scripted model."""
    settings.setdefault("backend", "anthropic")
    return Orchestrator(roster, env=environment(model), cwd=Path("/"), **settings)


async def played(
    agents: Mapping[str, Sequence[Turn]], roster: Roster, **settings: Any
) -> tuple[list[e.FleetEvent], ScriptedModel]:
    """All events of one request, checked, and the model that was asked."""
    async with scripted(agents) as model:
        events = [e async for e in orchestrator(model, roster, **settings).run("[[main]] Go.")]
    assert_fleet(events)
    return events, model


def of(events: Sequence[e.FleetEvent], stream_id: int) -> list[e.FleetEvent]:
    """One stream's events."""
    return [event for event in events if event.stream_id == stream_id]


def text_of(events: Sequence[e.FleetEvent], stream_id: int = 0) -> str:
    """What one stream said."""
    return "".join(event.delta for event in of(events, stream_id) if isinstance(event, e.Text))


def shape(events: Sequence[e.FleetEvent]) -> list[str]:
    """The types of events, each once for as often as it comes in a row."""
    types: list[str] = []
    for event in events:
        if not types or types[-1] != event.type:
            types.append(event.type)
    return types


def command_results(model: ScriptedModel, number: int = 1) -> str:
    """The master's n-th message after the first: the results of its commands."""
    masters = [r for r in model.requests if "[[main]]" in str(_users(r)[0])]
    return str(_users(masters[-1])[number])


def _users(request: Mapping[str, Any]) -> list[str]:
    return [m["content"] for m in request["messages"] if m["role"] == "user"]
