"""The command line starts without waiting for what it does not need."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {"asyncio", "msgspec", "prometheus_client", "rich", "sqlite3", "starlette"}
HEAVY |= {"textual", "uvicorn"}


def test_the_version_is_told_without_heavy_imports() -> None:
    program = (
        "import sys\n"
        "from unbraid.cli import main\n"
        "try:\n"
        "    main(['--version'])\n"
        "except SystemExit:\n"
        "    print(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    version, modules = done.stdout.splitlines()
    assert version.startswith("unbraid, version ")
    assert HEAVY.isdisjoint(modules.split())
