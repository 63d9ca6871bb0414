"""Why a run cannot be steered, and what to do so that it can."""

from __future__ import annotations

import os
from collections.abc import Collection

from msgspec import Struct

from unbraid.agents.port import AgentKind
from unbraid.agents.registry import kind
from unbraid.errors import SourceError
from unbraid.log.summary import RunSummary


class SteeringHint(Struct, frozen=True):
    """Why nothing can be sent to a run, and the command that starts one which accepts messages, if
    there is one.
    """

    reason: str
    command: str | None = None

    def __str__(self) -> str:
        return f"{self.reason} {self.command}" if self.command else self.reason


def steering_hint(run: RunSummary, verbs: Collection[str]) -> SteeringHint | None:
    """Returns why a run takes no messages, by what can be asked of it; None if it does."""
    if "message" in verbs:
        return None
    of_kind = kind(run.source)
    if run.over:
        resumable = of_kind is not None and run.session_id is not None
        command = f"unbraid attach {run.run} --resume" if resumable else None
        return SteeringHint(
            "This run has ended." + (" To continue it:" if command else ""), command
        )
    if of_kind is None or not of_kind.steered_command:
        return SteeringHint("This kind of agent takes no messages while it works.")
    if verbs:
        reason = "This run can only be ended. To start one that takes messages:"
    elif _has_hooks(of_kind):
        return SteeringHint(
            "Its hooks have not reported yet: a CLI runs them only when something happens in the"
            " session. Answer it in its own terminal; from its next prompt, request or tool call on"
            " it can be steered here."
        )
    else:
        reason = "This run has its own terminal: answer it there. To start one that can be steered:"
    return SteeringHint(reason, of_kind.steered_command)


def _has_hooks(of_kind: AgentKind) -> bool:
    """Returns whether sessions of a kind call us, once something happens in them."""
    try:
        found = of_kind.hooks(os.environ)
        return found is not None and found.state().installed in ("yes", "plugin")
    except SourceError:
        return False
