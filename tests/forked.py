"""`unbraid` for tests that call it dozens of times: the same program with the same arguments,
environment, exit code and output, also where it becomes another program. It is forked from a
process that has imported it, because to start Python anew takes longer than most commands.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from unbraid.cli import main

NOTHING = Path(os.devnull)
# What commands import that read logs and sessions.
PACKAGES = ("cli", "machine", "log", "record", "agents.claude")


class Forks:
    """A process that forks a command for every line it is given."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self._turn = process, threading.Lock()

    def run(
        self, *words: str, env: Mapping[str, str], given: Path = NOTHING
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; `given` is what it reads."""
        to, taken = self._process.stdin, self._process.stdout
        assert to is not None and taken is not None
        with self._turn, tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            to.write(json.dumps([words, dict(env), str(given), str(out), str(err)]) + "\n")
            to.flush()
            try:
                code = int(taken.readline())
            except BaseException:
                # The next one would be told how this one has ended.
                self._process.kill()
                _worker.cache_clear()
                raise
            printed = (path.read_bytes().decode(errors="surrogateescape") for path in (out, err))
            return subprocess.CompletedProcess(words, code, *printed)


@contextmanager
def forking(*modules: str) -> Iterator[Forks]:
    """Commands of a process that has imported these modules, and all of packages, once."""
    argv = [sys.executable, "-m", "tests.forked", *modules]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as process:
        yield Forks(process)


def ran(
    *words: str, env: Mapping[str, str], given: Path = NOTHING
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, by a process that all tests of a worker share."""
    return _worker().run(*words, env=env, given=given)


@functools.cache
def _worker() -> Forks:
    until = ExitStack()
    atexit.register(until.close)
    return until.enter_context(forking(*(f"unbraid.{name}" for name in PACKAGES)))


ROOT = Path(__file__).parents[1]


def _serve() -> None:
    for name in sys.argv[1:]:
        module = importlib.import_module(name)
        for each in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{name}."):
            importlib.import_module(each.name)
    gc.freeze()
    for line in sys.stdin:
        words, env, given, out, err = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(words, env, given, out, err)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(words: list[str], env: dict[str, str], given: str, out: str, err: str) -> None:
    for stream, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream)
    os.dup2(os.open(given, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    try:
        main(words, prog_name="unbraid")
    except SystemExit as end:
        sys.stdout.flush()
        sys.stderr.flush()
        # Its modules are not taken apart one by one: the process from which they come goes on.
        os._exit(end.code if isinstance(end.code, int) else bool(end.code))


if __name__ == "__main__":
    _serve()
