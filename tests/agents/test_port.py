"""What a kind of agents has to offer."""

from __future__ import annotations

import pytest

from unbraid.agents.port import AgentKind


def test_a_kind_has_a_dialect() -> None:
    class Mute(AgentKind):
        name, title = "mute", "Mute"

    with pytest.raises(TypeError, match="dialect"):
        Mute()  # type: ignore[abstract]
