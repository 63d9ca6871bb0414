"""Kilo, as the registry knows it: a program made from OpenCode, whose formats it writes."""

from __future__ import annotations

import re

from unbraid.agents.opencode.editions import Edition
from unbraid.agents.opencode.kind import OpenCodeKind

KILO = Edition(
    name="kilo",
    title="Kilo",
    variables="KILO",
    commands=("kilo", "kilocode"),
    agent_folders=(".kilo/agent", ".kilocode/agent"),
    first_major=7,
    own_fields=re.compile(rb'"type":"sync","syncEvent"|"kilocode\.|"metrics":\{"generation"'),
    # A spinner.
    transient_field=("kilocode.lifecycle", "transient"),
    # Every event that it stores is sent once more, as one of these.
    silent_events=("sync",),
)


def kilo_kind() -> OpenCodeKind:
    """Returns Kilo as a kind of agents."""
    return OpenCodeKind(KILO)
