"""`unbraid` for tests that call it dozens of times: the same program with the same arguments,
environment, exit code and output, also where it becomes another program. It is forked from a
process that has imported it, because to start Python anew takes longer than most commands.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from unbraid.cli import main


class Forks:
    """A process that forks a command for every line it is given."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, *words: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        given, taken = self._process.stdin, self._process.stdout
        assert given is not None and taken is not None
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            given.write(json.dumps([words, dict(env), str(out), str(err)]) + "\n")
            given.flush()
            code = int(taken.readline())
            return subprocess.CompletedProcess(words, code, out.read_text(), err.read_text())


@contextmanager
def forking(*modules: str) -> Iterator[Forks]:
    """Commands of a process that has imported these modules once."""
    argv = [sys.executable, "-m", "tests.forked", *modules]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as process:
        yield Forks(process)


ROOT = Path(__file__).parents[1]


def _serve() -> None:
    for name in sys.argv[1:]:
        importlib.import_module(name)
    gc.freeze()
    for line in sys.stdin:
        words, env, out, err = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(words, env, out, err)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(words: list[str], env: dict[str, str], out: str, err: str) -> None:
    for stream, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(env)
    try:
        main(words, prog_name="unbraid")
    except SystemExit as end:
        sys.stdout.flush()
        sys.stderr.flush()
        # Its modules are not taken apart one by one: the process from which they come goes on.
        os._exit(end.code if isinstance(end.code, int) else bool(end.code))


if __name__ == "__main__":
    _serve()
