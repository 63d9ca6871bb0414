"""The command line starts without waiting for what it does not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from unbraid.cli import main

HEAVY = {"asyncio", "msgspec", "prometheus_client", "rich", "sqlite3", "starlette"}
HEAVY |= {"httpx", "textual", "uvicorn"}
LINES = Path(__file__).parents[1] / "recordings" / "single.plain.2.0.76" / "stdout.ndjson"


def test_the_version_is_reported_without_heavy_imports() -> None:
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


def test_nothing_that_stays_on_this_machine_imports_the_http_client() -> None:
    program = (
        "import sys\n"
        "from unbraid.cli import main\n"
        "import unbraid.record.run, unbraid.record.watcher, unbraid.tui.app\n"
        "try:\n"
        f"    main(['cat', '--json', {str(LINES)!r}])\n"
        "except SystemExit:\n"
        "    print(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    *events, modules = done.stdout.splitlines()
    assert len(events) > 5, done.stderr
    assert "httpx" not in modules.split()


def test_what_was_spent_is_printed_without_what_only_other_histories_need(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from unbraid.cli import main\n"
        "try:\n"
        "    main(['cost', '--json'])\n"
        "except SystemExit:\n"
        "    print(*sys.modules)\n"
    )
    names = ("HOME", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME", "UNBRAID_HOME")
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={name: str(tmp_path) for name in names},
        capture_output=True,
        text=True,
    )
    answer, modules = done.stdout.splitlines()
    assert answer.startswith('{"rows":[]'), done.stderr
    unneeded = HEAVY - {"msgspec"} | {"importlib.metadata", "hashlib", "genai_prices"}
    assert unneeded.isdisjoint(modules.split())


def test_the_list_of_commands_is_whole() -> None:
    """What does not fit a line of a narrow terminal is cut by the library that prints it."""
    printed = CliRunner().invoke(main, ["--help"], terminal_width=80).output
    commands = printed.partition("Commands:\n")[2].splitlines()
    assert len(commands) > 20
    assert [line for line in commands if line.endswith("...")] == []
