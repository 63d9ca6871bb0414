"""The data folder of each platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid.log import data_folder, open_log


@pytest.mark.parametrize(
    ("environ", "platform", "folder"),
    [
        ({"UNBRAID_HOME": "/x", "HOME": "/h"}, "linux", "/x"),
        ({"HOME": "/h"}, "linux", "/h/.local/share/unbraid"),
        ({"HOME": "/h", "XDG_DATA_HOME": "/d"}, "linux", "/d/unbraid"),
        ({"HOME": "/h", "XDG_DATA_HOME": "relative"}, "linux", "/h/.local/share/unbraid"),
        ({"HOME": "/h"}, "darwin", "/h/Library/Application Support/unbraid"),
        ({"LOCALAPPDATA": "/l", "USERPROFILE": "/u"}, "win32", "/l/unbraid"),
    ],
)
def test_data_folder(environ: dict[str, str], platform: str, folder: str) -> None:
    assert data_folder(environ, platform) == Path(folder)


async def test_the_log_is_made_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNBRAID_HOME", str(tmp_path / "home"))
    log = await open_log()
    await log.close()
    assert (tmp_path / "home" / "log.db").is_file()
    for private in (tmp_path / "home", tmp_path / "home" / "log.db"):
        assert private.stat().st_mode & 0o077 == 0
