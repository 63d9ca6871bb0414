"""Files that others read while we write them: a reader finds the old one or the new one."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from tempfile import mkstemp


def swap_file(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Writes a whole file in one step. It keeps its mode, or gets this one if it is new. A link
    stays a link: what it leads to is written. Raises OSError.
    """
    target = path.resolve()
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        target.parent.mkdir(parents=True, exist_ok=True)
    number, beside = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(beside).chmod(mode)
        Path(beside).replace(target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
