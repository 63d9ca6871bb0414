"""Files that others read while we write them: a reader finds the old one or the new one."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from tempfile import mkstemp

from unbraid.system.home import make_private_folder


def write_atomically(
    path: Path,
    content: bytes,
    *,
    mode: int = 0o600,
    durable: bool = True,
    private_folder: bool = False,
) -> None:
    """Writes a whole file in one step, also if several processes do so at once. Raises OSError;
    then the file is as it was.

    A link stays a link: what it leads to is written. A file that exists keeps its mode, and a new
    one gets `mode`. With `private_folder`, nobody else gets access: folders that are missing are
    made private, and the file gets `mode` in any case. Without `durable`, the file may be empty
    after a power failure; that is for what can be made again, and is much faster.
    """
    target = path.resolve()
    if private_folder:
        make_private_folder(target.parent)
    else:
        try:
            mode = stat.S_IMODE(target.stat().st_mode)
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
    # A name of its own for each writer: two that shared one would mix what they write.
    number, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    scratch = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        scratch.chmod(mode)
        scratch.replace(target)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
