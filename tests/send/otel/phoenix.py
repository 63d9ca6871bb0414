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
UV = (sys.executable, "-m", "uv")
# Half a gigabyte: some 20 seconds, where the registry is near.
INSTALL_SECONDS = 300


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
                for command in (
                    [*UV, "venv", "-q", "--python", sys.executable, str(target)],
                    [*UV, "pip", "install", "-q", "-p", str(target), f"arize-phoenix=={VERSION}"],
                ):
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
