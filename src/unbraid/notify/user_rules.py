"""A person's rules file: where it is, and what it says now."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from unbraid.alerts.rules import DEFAULT_RULES, AlertRules, FileProblem
from unbraid.alerts.rules_file import read_rules
from unbraid.system.files import read_small
from unbraid.system.home import data_folder

VARIABLE = "UNBRAID_ALERTS"
FILE_NAME = "alerts.toml"


class LoadedRules(Struct):
    """Rules, the file that they are from, and what is wrong there: `FILE:LINE: PROBLEM`."""

    path: Path
    rules: AlertRules
    problems: list[str]
    is_there: bool = True
    is_open: bool = False  # others can read it


class UserRules:
    """The rules of a person, read again when their file has changed. Never raises: where a file is
    wrong, the rest of it counts, and without one the defaults do.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        named = env.get(VARIABLE)
        self.path = Path(named) if named else data_folder(env) / FILE_NAME
        self._is_named = bool(named)
        self._home = env.get("HOME") or env.get("USERPROFILE") or str(Path.home())
        self._seen: tuple[int, int, int] | None = None

    def changed(self) -> bool:
        """Returns whether the file is another than the one that was loaded."""
        return self._stamp() != self._seen

    def load(self) -> LoadedRules:
        """Returns what the file says now."""
        self._seen = self._stamp()
        nothing = AlertRules(DEFAULT_RULES)
        try:
            text = read_small(self.path, links=True).decode()
        except FileNotFoundError:
            problems = [f"{self.path}: no such rules file"] if self._is_named else []
            return LoadedRules(self.path, nothing, problems, is_there=False)
        except OSError as error:
            problem = f"{self.path}: the rules cannot be read ({error.strerror or error})"
            return LoadedRules(self.path, nothing, [problem])
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            problem = f"{self.path}:{line}: not text: the rules are not used"
            return LoadedRules(self.path, nothing, [problem])
        rules = read_rules(text, self._home.rstrip("/"))
        shown = [self._shown(each) for each in rules.problems]
        return LoadedRules(self.path, rules, shown, is_open=self._is_open())

    def _shown(self, problem: FileProblem) -> str:
        return f"{self.path}:{problem.line}: {problem.text}"

    def _is_open(self) -> bool:
        try:
            mode = self.path.stat().st_mode
        except OSError:
            return False
        return os.name == "posix" and bool(mode & (stat.S_IRGRP | stat.S_IROTH))

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns
