"""Fetches the CLIs and what else tests start, before they do: `python -m tests.clis`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.agents.opencode.test_storage import VERSION as OLD_OPENCODE
from tests.record.run.test_old_lines import VERSION as OLD_CLAUDE
from tests.send.ag_ui import official
from unbraid.testing import CliUnavailable, clis


def main() -> None:
    """Fetch each program, or print why it cannot be had; its tests will be skipped for that."""
    for fetch, versions in (
        (clis.claude, (*clis.CLAUDE_VERSIONS, OLD_CLAUDE)),
        (clis.opencode, (*clis.OPENCODE_VERSIONS, OLD_OPENCODE)),
        (clis.kilo, clis.KILO_VERSIONS),
        (clis.codex, clis.CODEX_VERSIONS),
    ):
        for version in versions:
            _try(fetch, version)
    _try(official.client_folder)


def _try(fetch: Callable[..., object], *version: str) -> None:
    try:
        fetch(*version)
    except (CliUnavailable, pytest.skip.Exception) as reason:
        print(reason)


if __name__ == "__main__":
    main()
