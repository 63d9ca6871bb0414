"""What is on this machine, what of it can be seen, and what to do about the rest."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path

from unbraid.agents.port import Finding
from unbraid.agents.registry import kinds, plugin_problems, stores
from unbraid.errors import LogError
from unbraid.log import configured_log, opened_log
from unbraid.log.disk_space import log_bytes
from unbraid.log.port import LogFinding, LogUnusable
from unbraid.screen import byte_count, counted
from unbraid.send.user_rules import UserRules


async def checkup(env: Mapping[str, str], log: str | None = None) -> list[Finding]:
    """Returns the findings of every kind of agent, then the plugins that do not work, then the
    log.
    """
    stores(env)  # finds out which plugins fail at it
    of_kinds = [finding for kind in kinds() for finding in await kind.checkup(env)]
    advice = "its agents are not shown: update or remove the package that brings it"
    of_plugins = [
        Finding(f"plugin {name}", "warning", f"cannot be used: {problem}", advice=advice)
        for name, problem in plugin_problems().items()
    ]
    return [*of_kinds, *of_plugins, *_alerts(env), *await _log(env, log)]


def _alerts(env: Mapping[str, str]) -> list[Finding]:
    """Returns what is wrong in a rules file, or that there is one; never what is in it."""
    own = UserRules(env)
    loaded = own.load()
    if loaded.problems:
        advice = "correct it; the other rules count"
        return [Finding("alerts", "warning", problem, advice=advice) for problem in loaded.problems]
    if not loaded.is_there:
        return []
    rules = loaded.rules
    forms = ", ".join(f"{each.name} ({each.form})" for each in rules.receivers.values())
    found = f"{counted(len(rules.rules), 'rule')} in {loaded.path}"
    if loaded.is_open and rules.receivers:
        advice = f"others can read it, and the addresses in it: chmod 600 {loaded.path}"
        return [Finding("alerts", "warning", found, advice=advice)]
    return [Finding("alerts", "ok", f"{found}; {forms}" if forms else found)]


_ADVICE = {
    "away": "start its nodes, or mend the way to them; what agents say meanwhile is read from their"
    " own files afterwards",
    "refused": "mend the user, password or certificate in its address",
}


async def _log(env: Mapping[str, str], url: str | None) -> list[Finding]:
    place = Path(str(url or configured_log(env)).removeprefix("sqlite://"))
    try:
        async with opened_log(url, env) as log:
            if log.shared:
                return [_shared(each) for each in await log.checkup()]
            await log.check()
            runs = len(await log.run_names())
        size = await log_bytes(place)
    except LogError as error:
        reason = error.reason if isinstance(error, LogUnusable) else ""
        advice = _ADVICE.get(reason, "until then agents run as always, but are not logged")
        return [Finding("log", "warning", str(error), advice=advice)]
    if not size:  # it is not in a file of its own
        return [Finding("log", "ok", counted(runs, "run"))]
    free = await asyncio.to_thread(shutil.disk_usage, place.parent)
    left = f"{free.free / 1e9:.0f} GB free"
    return [Finding("log", "ok", f"{counted(runs, 'run')}, {byte_count(size)} in {place}, {left}")]


def _shared(finding: LogFinding) -> Finding:
    status = "ok" if finding.ok else "warning"
    return Finding(finding.about, status, finding.found, advice=finding.advice)
