"""What a hook of ours answers to Claude Code: permission, a message, a stop. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from unbraid.agents.control_port import AnswerDetails
from unbraid.errors import CallerError

QUESTION, PLAN = "AskUserQuestion", "ExitPlanMode"
STOPPED = "Stopped by the user, from unbraid."


def allowed_input(tool: str, given: Any, details: AnswerDetails | None) -> Any:
    """Returns what a tool is to be given if it is allowed: what it asked for, or what a person has
    changed. Raises CallerError if a question is allowed without an answer.
    """
    changed = None if details is None else details.input
    given = given if changed is None else changed
    if tool == QUESTION and isinstance(given, dict):
        answers = None if details is None else details.answers
        if not answers and not given.get("answers"):
            raise CallerError("this is a question: answer it instead of allowing it")
        asked = _questions(given)
        for name in answers or ():
            # The CLI would take an answer to nothing for no answer, and say nothing of it.
            if asked and name not in asked:
                raise CallerError(
                    f"no question {name!r}; the questions are {', '.join(map(repr, asked))}"
                )
        return {**given, "answers": answers or given["answers"]}
    return given


def _questions(given: dict[str, Any]) -> list[str]:
    found = given.get("questions")
    return [
        each["question"]
        for each in (found if isinstance(found, list) else ())
        if isinstance(each, dict) and isinstance(each.get("question"), str)
    ]


def allow(tool: str, given: Any, suggestions: list[Any], details: AnswerDetails | None) -> bytes:
    """Returns a yes. The input goes with it only if it differs, or if the tool needs it."""
    decision: dict[str, Any] = {"behavior": "allow"}
    wanted = allowed_input(tool, given, details)
    # Without its input, a plan that is allowed stays on the screen.
    if wanted != given or tool == PLAN:
        decision["updatedInput"] = wanted
    if details is not None and details.always:
        if not all(0 <= number < len(suggestions) for number in details.always):
            raise CallerError("this request has no such option to always allow it")
        decision["updatedPermissions"] = [suggestions[number] for number in details.always]
    return _of("PermissionRequest", decision=decision)


def deny(message: str | None, *, interrupt: bool = False) -> bytes:
    """Returns a no, with its reason; `interrupt` ends the turn, too."""
    decision: dict[str, Any] = {"behavior": "deny", "message": message or "Not allowed."}
    if interrupt:
        decision["interrupt"] = True
    return _of("PermissionRequest", decision=decision)


def stop(event: str) -> bytes:
    """Returns what ends an agent's turn, before its tool is used or after."""
    answer: dict[str, Any] = {"continue": False, "stopReason": STOPPED}
    if event == "PreToolUse":
        answer["hookSpecificOutput"] = {
            "hookEventName": event,
            # Without this the tool would still be used.
            "permissionDecision": "deny",
            "permissionDecisionReason": STOPPED,
        }
    return msgspec.json.encode(answer)


def context(event: str, text: str) -> bytes:
    """Returns a message to the agent whose event it is."""
    if event in ("Stop", "SubagentStop"):
        # Every version continues for this, and says where it comes from.
        return msgspec.json.encode({"decision": "block", "reason": text})
    return _of(event, additionalContext=text)


def offers(suggestions: list[Any]) -> list[str]:
    """Returns the CLI's offers to allow it always, as a person reads them: all that they do."""
    return [_offer(each) for each in suggestions]


def _offer(suggestion: Any) -> str:
    if not isinstance(suggestion, dict):
        return msgspec.json.encode(suggestion).decode()
    where = suggestion.get("destination")
    rules = suggestion.get("rules")
    kind, behavior = suggestion.get("type"), suggestion.get("behavior")
    if kind == "addRules" and behavior == "allow" and isinstance(rules, list):
        names = [_rule(rule) for rule in rules]
        if all(names) and suggestion.keys() <= {"type", "rules", "behavior", "destination"}:
            return f"always allow {', '.join(map(str, names))} ({where})"
    # Nothing is left out: what is shown is what is approved.
    return msgspec.json.encode(suggestion).decode()


def _rule(rule: Any) -> str | None:
    if not isinstance(rule, dict) or not rule.keys() <= {"toolName", "ruleContent"}:
        return None
    content = rule.get("ruleContent")
    return f"{rule.get('toolName')}({content})" if content else str(rule.get("toolName"))


def _of(event: str, **fields: Any) -> bytes:
    return msgspec.json.encode({"hookSpecificOutput": {"hookEventName": event, **fields}})
