"""Attack: another user of the machine reads the log, because its folder was made by someone else.

A folder that we make is private. One that was there before, with others' permissions, is mended
with a message if it is ours alone; else it is refused. Where others could write, one of them may
have put a file of tokens there: that folder is not ours alone, and the file lets nobody in.
"""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import msgspec
import pytest

from tests.access import SECRET, TOKEN
from tests.forked import ran
from unbraid.errors import CallerError, LogError
from unbraid.log import opened_log
from unbraid.serve import TokenFile
from unbraid.serve.access import Keys
from unbraid.system.home import make_private_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")


def ps(home: Path) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(home.parent), "UNBRAID_HOME": str(home)}
    return ran("ps", env=env)


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


@pytest.mark.parametrize("given", [0o755, 0o770, 0o701, 0o777])
async def test_a_folder_of_ours_is_mended_with_a_message(tmp_path: Path, given: int) -> None:
    home = tmp_path / "home"
    async with opened_log(env={"UNBRAID_HOME": str(home)}):
        assert mode(home) == 0o700
    home.chmod(given)
    done = ps(home)
    assert done.returncode == 0, done.stderr
    assert "other users could read" in done.stderr and str(home) in done.stderr
    assert mode(home) == 0o700
    assert ps(home).stderr == ""


async def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.txt").write_text("All of it.")
    home.chmod(0o755)
    with pytest.raises(LogError, match="other users can read the folder"):
        async with opened_log(env={"UNBRAID_HOME": str(home)}):
            pass
    assert mode(home) == 0o755, "it may be everybody's"


def test_no_folder_on_the_way_to_ours_is_open(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "share" / "home" / "leases")
    assert [mode(tmp_path / place) for place in ("share", "share/home", "share/home/leases")] == [
        0o700, 0o700, 0o700,
    ]  # fmt: skip


def plant(path: Path) -> None:
    """Makes a file of another user: as root, who can; else a way to one."""
    if os.geteuid() == 0:
        path.write_bytes(msgspec.json.encode([TOKEN]))
        os.chown(path, 65534, 65534)
    else:
        path.symlink_to("/etc/passwd")


@pytest.mark.parametrize("name", ["tokens.json", "sign-ins/8420.json"])
async def test_a_folder_into_which_another_user_wrote_is_refused(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    async with opened_log(env={"UNBRAID_HOME": str(home)}):
        pass
    home.chmod(0o777)
    (home / name).parent.mkdir(exist_ok=True)
    plant(home / name)
    with pytest.raises(LogError, match="other users can read the folder"):
        async with opened_log(env={"UNBRAID_HOME": str(home)}):
            pass
    assert mode(home) == 0o777


def test_tokens_that_another_user_wrote_let_nobody_in(tmp_path: Path) -> None:
    plant(tmp_path / "tokens.json")
    with pytest.raises(CallerError):
        TokenFile(tmp_path / "tokens.json").tokens()
    keys = Keys(source=TokenFile(tmp_path / "tokens.json"))
    assert keys.of_token(SECRET) is None and not keys.any
