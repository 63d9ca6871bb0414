"""`unbraid` for tests with real CLIs: it waits several times as long for what an agent writes into
another of its files.

That wait is bounded so that people see soon what there is. The bounds have tests of their own, by a
clock that these turn. Where many CLIs share two cores, one may get no processor for as long, and
what it writes after that would be logged out of order.
"""

from __future__ import annotations

import sys
from types import ModuleType

from unbraid.agents.claude.process import launch
from unbraid.agents.claude.sessions import follower
from unbraid.agents.opencode import follower as rows
from unbraid.cli import main

# The words that stand where a person writes `unbraid`.
PATIENT_UNBRAID = (sys.executable, "-P", __file__)
TIMES = 5
BOUNDS: dict[ModuleType, tuple[str, ...]] = {
    launch: (
        "STDOUT_TWIN_TIMEOUT_SECONDS",
        "STDOUT_TWIN_SETTLE_SECONDS",
        "TRANSCRIPTS_QUIET_SECONDS",
    ),
    follower: ("CHILD_ANSWER_TIMEOUT_SECONDS", "CHILD_FILE_SETTLE_SECONDS"),
    rows: ("TEXT_BEFORE_CALL_TIMEOUT_SECONDS",),
}

if __name__ == "__main__":
    for module, names in BOUNDS.items():
        for name in names:
            setattr(module, name, TIMES * getattr(module, name))
    main(prog_name="unbraid")
