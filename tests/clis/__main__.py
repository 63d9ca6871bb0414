"""Fetches the pinned CLIs before the tests need them: `python -m tests.clis`."""

from __future__ import annotations

from unbraid.testing import CliUnavailable, clis


def main() -> None:
    """Fetch each program, or print why it cannot be had; its tests will be skipped for that."""
    for fetch, versions in (
        (clis.claude, clis.CLAUDE_VERSIONS),
        (clis.opencode, clis.OPENCODE_VERSIONS),
        (clis.kilo, clis.KILO_VERSIONS),
        (clis.codex, clis.CODEX_VERSIONS),
    ):
        for version in versions:
            try:
                fetch(version)
            except CliUnavailable as reason:
                print(reason)


if __name__ == "__main__":
    main()
