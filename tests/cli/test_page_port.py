"""The page of `unbraid watch`: its port is taken by another unbraid, and a browser is shown it."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

from tests.polling import until
from tests.record.run.agents import UNBRAID


async def test_a_taken_port_names_the_other_unbraid_and_a_browser_is_opened(tmp_path: Path) -> None:
    shown, browser = tmp_path / "shown", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {shown}.part && mv {shown}.part {shown}\n')
    browser.chmod(0o755)
    env = {**os.environ, "HOME": str(tmp_path), "BROWSER": str(browser)}
    first = await asyncio.create_subprocess_exec(
        *(UNBRAID, "watch", "--port", "0", "--open"), env=env, stderr=asyncio.subprocess.PIPE
    )
    try:
        assert first.stderr is not None
        async with asyncio.timeout(60):
            while not (
                found := re.search(rb"http://127.0.0.1:(\d+)", await first.stderr.readline())
            ):
                pass
            port = found[1].decode()
            second = await asyncio.create_subprocess_exec(
                *(UNBRAID, "watch", "--port", port), env=env, stderr=asyncio.subprocess.PIPE
            )
            _, said = await second.communicate()
            assert second.returncode != 0
            assert f"another unbraid serves its page at 127.0.0.1:{port}" in said.decode()
            await until(shown.exists)
        assert shown.read_text().startswith(f"http://127.0.0.1:{port}/")
    finally:
        first.terminate()
        await first.wait()
