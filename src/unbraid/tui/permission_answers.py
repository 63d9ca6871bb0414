"""The answers that a permission request can have in the terminal view, beside yes and no."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from unbraid.agents.control_port import AnswerDetails
from unbraid.agents.registry import tools
from unbraid.screen import safe
from unbraid.steer.permissions import PermissionRequest
from unbraid.system.home import user_name

REASON, EDIT = "reason", "edit"
MANY = 9


class Choice(NamedTuple):
    """One answer: what is shown of it, and what it says."""

    text: str
    details: AnswerDetails


def details_of(**given: Any) -> AnswerDetails:
    """Returns the details of an answer that is given in this view."""
    return AnswerDetails(by=user_name(), where="top", **given)


def choices_of(asked: PermissionRequest) -> list[Choice]:
    """Returns what can be chosen by its number: the CLI's own offers, or the answers to an agent's
    one question.
    """
    questions = tools().questions(asked.tool, asked.input)
    if len(questions) == 1 and questions[0].labels:
        return [
            Choice(f"answer: {safe(label)}", details_of(answers={questions[0].text: label}))
            for label in questions[0].labels[:MANY]
        ]
    offers = enumerate(asked.always[:MANY])
    return [
        Choice(f"approve, and: {safe(offer)}", details_of(always=[number]))
        for number, offer in offers
    ]


def can_be_given_back(asked: PermissionRequest) -> bool:
    """Returns whether the agent's own terminal can ask instead."""
    return asked.also_in_terminal or asked.held_until is not None


def note_on(asked: PermissionRequest, now_ms: int) -> str:
    """Returns where else it can be answered, and for how long it waits here."""
    if asked.also_in_terminal:
        return "Also shown in its terminal. The first answer counts."
    if asked.held_until is None:
        return ""
    seconds = max(0, asked.held_until - now_ms) // 1000
    return f"Not shown in its terminal. Returned to it in {seconds // 60}:{seconds % 60:02}."


def edited(text: str) -> dict[str, Any] | None:
    """Returns an input that a person has typed; None if it is no JSON object."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
