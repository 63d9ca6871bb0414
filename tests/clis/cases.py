"""Which CLIs are started for which scenario: an old and a current one of each, in several modes."""

from __future__ import annotations

from typing import NamedTuple

import pytest

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


def on(*names: str) -> pytest.MarkDecorator:
    """The cases of a test, each as `cli-version-mode`."""
    cases = [Case(*name.split("-", 2)) for name in names]
    return pytest.mark.parametrize("case", cases, ids=names)
