"""The releases since which Claude Code has certain features."""

from __future__ import annotations

from unbraid.system.versions import Release

FIRST_SESSION_ID: Release = (1, 0, 54)
FIRST_PARTIAL: Release = (1, 0, 109)
FIRST_TOOLS: Release = (2, 0, 76)
FIRST_WITHOUT_HISTORY: Release = (2, 0, 76)
FIRST_FILE_PER_AGENT: Release = (2, 0, 0)
FIRST_NESTING: Release = (2, 1, 0)
FIRST_FORWARDING: Release = (2, 1, 211)
