"""Records a scenario by name, with what the person does in it: prompts, answers, an interrupt."""

from __future__ import annotations

from pathlib import Path

from . import scenarios
from .conversation import Permit, allow, deny
from .model import ScriptedModel
from .model_request import Json
from .opencode_server import Reply
from .recording import Recording
from .runner import InterruptWhen, run_claude, run_opencode

INTERACTIVE = ("many-turns", "permission", "interrupt", "compacted")


def _all_but_writing(request: Json) -> Json:
    return deny(request) if request["tool_name"] == "Write" else allow(request)


def _all_but_editing(asked: Json) -> str:
    return "reject" if asked["permission"] == "edit" else "once"


async def _counting(model: ScriptedModel) -> None:
    await model.reached("main", 0, chunks=20)


async def record_claude(version: str, name: str, mode: str, home: Path) -> Recording:
    """Claude Code in a scenario; those of `INTERACTIVE` need the mode `stdin`."""
    permit: Permit | None = _all_but_writing if name == "permission" else None
    interrupt_when: InterruptWhen | None = _counting if name == "interrupt" else None
    return await run_claude(
        version,
        scenarios.scenario(name),
        home=home,
        mode=mode,
        prompts=scenarios.prompts(name),
        permit=permit,
        interrupt_when=interrupt_when,
    )


async def record_opencode(version: str, name: str, mode: str, home: Path) -> Recording:
    """OpenCode in a scenario; those of `INTERACTIVE` need the mode `serve`."""
    reply: Reply | None = _all_but_editing if name == "permission" else None
    interrupt_when: InterruptWhen | None = _counting if name == "interrupt" else None
    return await run_opencode(
        version,
        scenarios.scenario(name),
        home=home,
        mode=mode,
        prompts=scenarios.prompts(name),
        reply=reply,
        interrupt_when=interrupt_when,
    )
