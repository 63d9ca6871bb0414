"""A bare `unbraid watch` beside whatever a test does."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator
from pathlib import Path

from tests.record.run.agents import cli_of, log_path
from tests.record.run.patient import PATIENT_UNBRAID
from unbraid.testing.launch import claude_launch


@contextlib.asynccontextmanager
async def watched(home: Path, *options: str, apart: Path | None = None) -> AsyncIterator[None]:
    """A watch of this home while the block runs; it ends after a last look.

    Its log is the home's, or that of the folder `apart`: then it knows of no other unbraid.
    """
    env = claude_launch(cli_of("claude", "2.1.325"), "http://127.0.0.1:1", home).env
    if apart is not None:
        env = {**env, "UNBRAID_HOME": str(log_path(apart).parent)}
    process = await asyncio.create_subprocess_exec(
        *PATIENT_UNBRAID, "watch", "--no-page", *options, env=env, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        # It has looked around, and is there.
        assert await process.stderr.readline() == b"unbraid: 0 sessions, 0 tokens\n"
        yield
        process.send_signal(signal.SIGTERM)
        await process.communicate()
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
