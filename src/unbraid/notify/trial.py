"""Sends a test message to receivers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unbraid.alerts.messages import AlertMessage
from unbraid.alerts.rules import BROWSER, BUILT_IN, TERMINAL, AlertRules
from unbraid.errors import CallerError
from unbraid.notify.alert_service import receiver_named
from unbraid.notify.senders import DeliveryError, sender_of
from unbraid.notify.terminal import terminal_call

TRIAL = AlertMessage("A test of unbraid", "Alerts about your agents arrive here.", [])


async def try_receivers(
    rules: AlertRules,
    env: Mapping[str, str],
    name: str | None = None,
    *,
    ring: Callable[[str], None],
) -> dict[str, str | None]:
    """Sends a message to one receiver, or to all that rules name; returns what went wrong with
    each, None where nothing did. `ring` writes to the terminal. Raises CallerError if there is no
    such receiver.
    """
    named = {each for rule in rules.rules for each in rules.receivers_of(rule)}
    able = (named | rules.receivers.keys() | set(BUILT_IN)) - {BROWSER}
    if name == BROWSER:
        raise CallerError(
            "only an open page can notify: turn on notifications at the top of the page"
        )
    if name is not None and name not in able:
        raise CallerError(f"unknown receiver {name!r}; available: {', '.join(sorted(able))}")
    results: dict[str, str | None] = {}
    for each in sorted(named & able if name is None else {name}):
        if each == TERMINAL:
            ring(terminal_call(TRIAL))
            results[each] = None
            continue
        try:
            await sender_of(receiver_named(rules, each), env).send(TRIAL)
            results[each] = None
        except DeliveryError as error:
            results[each] = str(error)
    return results
