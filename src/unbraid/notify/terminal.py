"""What makes a terminal alert its user: the bell, and OSC 9, which many show as a notification of
the desktop.
"""

from __future__ import annotations

from unbraid.alerts.messages import AlertMessage
from unbraid.screen import short

# With words before them: a terminal would take some numbers for commands of their own.
PREFIX = "unbraid: "
MAX_CHARS = 200


def terminal_call(given: AlertMessage) -> str:
    """Returns what to write to a terminal. Of the message only plain characters are left: whatever
    ends or begins a sequence stands there as an escape.
    """
    return f"\x1b]9;{PREFIX}{short(given.title, MAX_CHARS)}\x07\x07"
