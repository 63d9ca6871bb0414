"""A message to receivers, to see whether it arrives."""

from __future__ import annotations

from collections.abc import Mapping

from unbraid.alerts.messages import AlertMessage
from unbraid.alerts.rules import TERMINAL, AlertRules
from unbraid.errors import CallerError
from unbraid.notify.alert_service import receiver_named
from unbraid.notify.senders import DeliveryError, sender_of

TRIAL = AlertMessage("A test of unbraid", "Alerts about your agents arrive here.", [])


async def try_receivers(
    rules: AlertRules, env: Mapping[str, str], name: str | None = None
) -> dict[str, str | None]:
    """Sends a message to one receiver, or to all that rules name; returns what went wrong with
    each, None where nothing did. Raises CallerError if there is no such receiver.
    """
    named = {each for rule in rules.rules for each in rules.receivers_of(rule)}
    if name is not None:
        if name not in named | rules.receivers.keys() | {"desktop"}:
            known = ", ".join(sorted(named | rules.receivers.keys() | {"desktop"}))
            raise CallerError(f"no receiver {name!r}: there are {known}")
        named = {name}
    results: dict[str, str | None] = {}
    for each in sorted(named):
        if each == TERMINAL:
            results[each] = None
            continue
        try:
            await sender_of(receiver_named(rules, each), env).send(TRIAL)
            results[each] = None
        except DeliveryError as error:
            results[each] = str(error)
    return results
