"""Which CLIs are started for which scenario: an old and a current one of each, in several modes."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from _pytest.mark import ParameterSet

from unbraid.testing import clis


class Case(NamedTuple):
    """A CLI of a version, and how it is started."""

    cli: str
    version: str
    mode: str

    @property
    def release(self) -> tuple[int, ...]:
        """The version as numbers, to compare with."""
        return clis.release(self.version)

    @property
    def prints_children(self) -> bool:
        """Whether its stream has anything that a sub-agent said."""
        return self.mode != "run"


class Broken(NamedTuple):
    """A case that fails for a known reason, and must be put back when it no longer does."""

    name: str
    reason: str


def on(*names: str | Broken) -> pytest.MarkDecorator:
    """The cases of a test, each as `cli-version-mode`."""
    return pytest.mark.parametrize("case", [_parameter(name) for name in names])


def _parameter(given: str | Broken) -> ParameterSet:
    if isinstance(given, Broken):
        mark = pytest.mark.xfail(raises=AssertionError, reason=given.reason, strict=True)
        return pytest.param(Case(*given.name.split("-", 2)), id=given.name, marks=mark)
    return pytest.param(Case(*given.split("-", 2)), id=given)
