"""What runs an agent: a kind's own program, or an API, behind one small interface."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from unbraid.agents.port import Backend
from unbraid.agents.registry import kind, kinds
from unbraid.errors import CallerError
from unbraid.orchestrate.model_apis import AnthropicBackend, OpenAIBackend

APIS: dict[str, Callable[[Mapping[str, str]], Backend]] = {
    "anthropic": AnthropicBackend,
    "openai": OpenAIBackend,
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
        """The names of all backends."""
        of_kinds = (each.name for each in kinds() if each.backend(self._env, self._cwd))
        return sorted({*APIS, *of_kinds, *self._made})

    def of(self, name: str | None) -> Backend:
        """Returns the backend of that name; without one, the default."""
        name = name or self.default
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    @property
    def default(self) -> str:
        """What was chosen, or else the first that this machine seems to have."""
        if self._default is None:
            self._default = next(iter(self._made), None) or available(self._env)
        return self._default

    async def close(self) -> None:
        """Closes the backends, and what their conversations share."""
        while self._made:
            _, backend = self._made.popitem()
            await backend.close()

    def _make(self, name: str) -> Backend:
        if name in APIS:
            return APIS[name](self._env)
        found = kind(name)
        runs = None if found is None else found.backend(self._env, self._cwd)
        if runs is None:
            known = ", ".join(self.names)
            raise CallerError(f"unknown backend {name[:80]!r}; available: {known}")
        return runs


def available(env: Mapping[str, str]) -> str:
    """Returns the first backend that looks usable here."""
    runnable = [each for each in kinds() if each.program and each.backend(env, Path())]
    for each in runnable:
        if shutil.which(each.program, path=env.get("PATH")):
            return each.name
    if env.get("ANTHROPIC_API_KEY") or env.get("ANTHROPIC_AUTH_TOKEN"):
        return "anthropic"
    if env.get("OPENAI_API_KEY") or env.get("OPENAI_BASE_URL"):
        return "openai"
    installable = " or ".join(each.program for each in runnable)
    raise CallerError(
        f"no backend is available: install {installable}, or set ANTHROPIC_API_KEY,"
        " OPENAI_API_KEY or OPENAI_BASE_URL"
    )
