"""The pinned CLIs, fetched from npm once into a cache that parallel test workers share."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CLAUDE_VERSIONS = ("1.0.128", "2.0.76", "2.1.197", "2.1.325")
OPENCODE_VERSIONS = ("1.2.27", "1.18.33")
KILO_VERSIONS = ("7.7.9",)
CODEX_VERSIONS = ("0.118.0", "0.166.0")

# From this release on the npm package wraps a native binary that comes in a package per platform.
_FIRST_NATIVE_CLAUDE = (2, 1, 113)
_FETCH_TIMEOUT_SECONDS = 600


class CliUnavailable(Exception):
    """A CLI cannot be had on this machine; the message says why."""


@dataclass(frozen=True)
class Cli:
    """An installed CLI: what to put in front of its arguments."""

    name: str
    version: str
    command: tuple[str, ...]

    @property
    def release(self) -> tuple[int, ...]:
        """The version as numbers, to compare with."""
        return release(self.version)


def release(version: str) -> tuple[int, ...]:
    """Returns a version's numbers: `release("2.1.325") == (2, 1, 325)`."""
    if not re.fullmatch(r"\d+(\.\d+)*", version, re.ASCII):
        raise ValueError(f"not a version: {version!r} (as in 2.1.325)")
    return tuple(int(number) for number in version.split("."))


def cache_folder() -> Path:
    """Returns where fetched CLIs are kept: `$UNBRAID_CACHE`, or the platform's cache folder."""
    if chosen := os.environ.get("UNBRAID_CACHE"):
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "unbraid"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "unbraid"


def claude(version: str) -> Cli:
    """Claude Code of that version, fetched if need be."""
    if release(version) >= _FIRST_NATIVE_CLAUDE:
        system = "-".join((*_system(), "musl")) if _is_musl() else "-".join(_system())
        folder = _fetch(f"@anthropic-ai/claude-code-{system}", version)
        return Cli("claude", version, (str(folder / "claude"),))
    node = shutil.which("node")
    if node is None:
        raise CliUnavailable(f"Claude Code {version} needs node on PATH")
    folder = _fetch("@anthropic-ai/claude-code", version)
    return Cli("claude", version, (node, str(folder / "cli.js")))


def opencode(version: str) -> Cli:
    """OpenCode of that version, fetched if need be."""
    if shutil.which("rg") is None:
        raise CliUnavailable("OpenCode needs rg (ripgrep) on PATH, or it downloads one itself")
    system = "-".join((*_system(), "musl")) if _is_musl() else "-".join(_system())
    folder = _fetch(f"opencode-{system}", version)
    return Cli("opencode", version, (str(folder / "bin" / "opencode"),))


def kilo(version: str) -> Cli:
    """Kilo of that version, fetched if need be."""
    if shutil.which("rg") is None:
        raise CliUnavailable("Kilo needs rg (ripgrep) on PATH, or it downloads one itself")
    folder = _fetch(f"@kilocode/cli-{'-'.join(_system())}", version)
    return Cli("kilo", version, (str(folder / "bin" / "kilo"),))


def codex(version: str) -> Cli:
    """Codex of that version, fetched if need be."""
    system = "-".join(_system())
    folder = _fetch("@openai/codex", f"{version}-{system}")
    for path in sorted(folder.glob("vendor/*/*/codex")):
        if path.parent.name in ("bin", "codex"):
            path.chmod(0o755)
            return Cli("codex", version, (str(path),))
    raise CliUnavailable(f"the package of Codex {version} has no program for {system}")


def _system() -> tuple[str, str]:
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    arch = machine.get(platform.machine().lower())
    if sys.platform not in ("linux", "darwin") or arch is None:
        raise CliUnavailable(f"no pinned CLI for {sys.platform} on {platform.machine()}")
    return sys.platform, arch


def _is_musl() -> bool:
    return sys.platform == "linux" and platform.libc_ver()[0] != "glibc"


def _fetch(package: str, version: str) -> Path:
    cache = cache_folder()
    slug = package.removeprefix("@").replace("/", "-")
    target = cache / f"{slug}-{version}"
    if target.is_dir():
        return target
    cache.mkdir(parents=True, exist_ok=True)
    with _lock(cache / f"{slug}-{version}.lock"):
        if not target.is_dir():
            _unpack_into(target, package, version)
    return target


def _unpack_into(target: Path, package: str, version: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise CliUnavailable(f"{package} {version} is not in {target.parent}, and there is no npm")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as scratch:
        # `pack` runs none of the package's scripts, unlike `install`.
        # Only its errors: they are what we report if it fails.
        options = ["--loglevel=error", "--pack-destination", scratch]
        command = [npm, "pack", *options, f"{package}@{version}"]
        try:
            done = subprocess.run(
                command, cwd=scratch, capture_output=True, timeout=_FETCH_TIMEOUT_SECONDS
            )
        except subprocess.TimeoutExpired as error:
            raise CliUnavailable(f"npm took too long to fetch {package} {version}") from error
        archives = list(Path(scratch).glob("*.tgz"))
        if done.returncode != 0 or not archives:
            reason = done.stderr.decode("utf-8", "replace").strip()[-500:]
            raise CliUnavailable(f"npm cannot fetch {package} {version}: {reason}")
        with tarfile.open(archives[0]) as archive:
            # Early releases of 3.11 have no filters.
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
            archive.extractall(scratch)
        for program in ("claude", "bin/opencode", "bin/kilo", "cli.js"):
            path = Path(scratch, "package", program)
            if path.exists():
                path.chmod(0o755)
        # The rename makes it exist: half a CLI is never visible.
        Path(scratch, "package").rename(target)


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    import fcntl

    with path.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
