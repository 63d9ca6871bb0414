"""Phoenix in an environment of its own, installed once into the cache of the pinned CLIs."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

from unbraid.testing import CliUnavailable
from unbraid.testing.clis import cache_folder

VERSION = "20.26.1"
# Half a gigabyte, on a machine that has nothing yet: only `make phoenix` fetches it.
INSTALL_SECONDS = 900


def installed() -> Path:
    """Returns its environment, installed if need be."""
    cache = cache_folder()
    target = cache / f"arize-phoenix-{VERSION}-{sys.version_info.major}.{sys.version_info.minor}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{target.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = target / ".installed"
        if not done.exists():
            shutil.rmtree(target, ignore_errors=True)
            try:
                for command in _commands(target):
                    subprocess.run(
                        command, check=True, capture_output=True, timeout=INSTALL_SECONDS
                    )
            except subprocess.TimeoutExpired:
                raise CliUnavailable(
                    f"Phoenix cannot be installed within {INSTALL_SECONDS} seconds"
                ) from None
            except subprocess.CalledProcessError as error:
                reason = error.stderr.decode("utf-8", "replace")[-300:]
                raise CliUnavailable(f"Phoenix cannot be installed: {reason}") from error
            done.touch()
    return target


def _commands(target: Path) -> list[list[str]]:
    python, package = str(target / "bin" / "python"), f"arize-phoenix=={VERSION}"
    if uv := shutil.which("uv"):
        return [
            [uv, "venv", "-q", "--python", sys.executable, str(target)],
            [uv, "pip", "install", "-q", "-p", python, package],
        ]
    return [
        [sys.executable, "-m", "venv", str(target)],
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package],
    ]
