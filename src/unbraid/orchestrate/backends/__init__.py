"""What runs an agent: a CLI, a server or an API, behind one small interface."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Mapping
from pathlib import Path

from unbraid.errors import CallerError
from unbraid.orchestrate.backends.port import Asking, Backend, Conversation

__all__ = ["Asking", "Backend", "Backends", "Conversation"]

# Imported when first asked for: most requests need one of them.
BUILT_IN = {
    "claude": "unbraid.agents.claude.backend:ClaudeBackend",
    "opencode": "unbraid.agents.opencode.backend:OpenCodeBackend",
    "anthropic": "unbraid.orchestrate.backends.anthropic_api:AnthropicBackend",
    "openai": "unbraid.orchestrate.backends.openai_api:OpenAIBackend",
}


class Backends:
    """Backends by name, made when they are needed; `given` ones stand before ours."""

    def __init__(
        self,
        env: Mapping[str, str],
        cwd: Path,
        *,
        default: str | None = None,
        given: Mapping[str, Backend] | None = None,
    ) -> None:
        self._env, self._cwd, self._default = env, cwd, default
        self._made: dict[str, Backend] = dict(given or {})

    @property
    def names(self) -> list[str]:
        """Every name there is."""
        return sorted({*BUILT_IN, *self._made})

    def of(self, name: str | None) -> Backend:
        """The backend of that name; without one, the default."""
        name = name or self.default
        if name not in self._made:
            if name not in BUILT_IN:
                known = ", ".join(self.names)
                raise CallerError(f"there is no backend {name[:80]!r}; there are: {known}")
            module, kind = BUILT_IN[name].split(":")
            make = getattr(importlib.import_module(module), kind)
            self._made[name] = make(env=self._env, cwd=self._cwd)
        return self._made[name]

    @property
    def default(self) -> str:
        """What was chosen, or else the first that this machine seems to have."""
        if self._default is None:
            self._default = next(iter(self._made), None) or available(self._env)
        return self._default

    async def close(self) -> None:
        """End what they share."""
        while self._made:
            _, backend = self._made.popitem()
            await backend.close()


def available(env: Mapping[str, str]) -> str:
    """The first backend that looks usable here."""
    path = env.get("PATH")
    for program in ("claude", "opencode"):
        if shutil.which(program, path=path):
            return program
    if env.get("ANTHROPIC_API_KEY") or env.get("ANTHROPIC_AUTH_TOKEN"):
        return "anthropic"
    if env.get("OPENAI_API_KEY") or env.get("OPENAI_BASE_URL"):
        return "openai"
    raise CallerError(
        "there is nothing to run agents with: install claude or opencode, or set ANTHROPIC_API_KEY,"
        " OPENAI_API_KEY or OPENAI_BASE_URL"
    )
