"""How the CLIs are started: what cannot be meant is refused."""

from __future__ import annotations

import pytest

from unbraid.testing import clis
from unbraid.testing.launch import (
    CLAUDE_MODES,
    OPENCODE_MODES,
    claude_arguments,
    opencode_arguments,
)

CLI = clis.Cli("claude", "2.1.325", ("claude",))


def test_a_mode_that_is_none_is_refused() -> None:
    for mode in CLAUDE_MODES:
        assert claude_arguments(CLI, mode, "hi")
    for mode in OPENCODE_MODES:
        assert opencode_arguments(mode, "hi")
    with pytest.raises(ValueError, match="no mode 'parital', but plain, plain-fwd"):
        claude_arguments(CLI, "parital", "hi")
    with pytest.raises(ValueError, match="no mode 'sever', but run, serve"):
        opencode_arguments("sever", "hi")


@pytest.mark.parametrize("version", ["latest", "", "2.x", "v2.1.325", "2.1.325\n", "../x"])
def test_a_version_that_is_none_is_refused(version: str) -> None:
    with pytest.raises(ValueError, match="not a version"):
        clis.claude(version)
