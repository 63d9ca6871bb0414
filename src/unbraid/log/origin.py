"""Where a run comes from: on a log that many machines share, each run names its machine and its
user.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping

from msgspec import Struct

from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.system.home import user_name


class RunOrigin(Struct, frozen=True):
    """The machine that a run is from, and its user there."""

    machine: str | None = None
    user: str | None = None


UNNAMED = RunOrigin()


def this_origin(env: Mapping[str, str] = os.environ) -> RunOrigin:
    """Returns this machine and this user; `UNBRAID_MACHINE` gives it another name."""
    return RunOrigin(env.get("UNBRAID_MACHINE") or platform.node() or None, user_name())


def origin_of(log: Log, run: RunSummary | None) -> RunOrigin:
    """Returns what the first event of a run names: for a run that exists, the same machine and user
    again; a run that begins here names them only on a shared log.
    """
    if run is not None:
        return RunOrigin(run.machine, run.user)
    return this_origin() if log.shared else UNNAMED
