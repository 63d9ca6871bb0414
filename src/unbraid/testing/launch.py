"""How to start each CLI against a scripted model: its arguments, and a clean environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .clis import Cli

CLAUDE_MODES = ("plain", "plain-fwd", "partial", "partial-fwd", "stdin", "json")
OPENCODE_MODES = ("run", "serve")
CODEX_MODES = ("exec",)

FIRST_FORWARDING_CLAUDE = (2, 1, 211)
_FIRST_OPENCODE_WITH_DEPTH = (1, 18, 0)

# What OpenCode asks about; the last two by default, and then it waits for an answer without a
# limit.
ASKING = ("bash", "edit", "doom_loop", "external_directory")


@dataclass(frozen=True)
class Launch:
    """A command that is ready to be started, and where it will leave its records."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: Path
    projects: Path | None = None
    data: Path | None = None
    codex_home: Path | None = None


def claude_launch(
    cli: Cli,
    model_url: str,
    home: Path,
    args: Sequence[str] = (),
    *,
    asks: bool = False,
    git: bool = False,
) -> Launch:
    """Claude Code with these arguments; unless it `asks`, every tool is allowed. With `git`, its
    folder is a repository: then every CLI starts git again and again, and computes for longer.
    """
    config = home / "claude"
    env = {
        **_environment(home),
        "CLAUDE_CONFIG_DIR": str(config),
        "ANTHROPIC_BASE_URL": model_url,
        "ANTHROPIC_API_KEY": "sk-ant-made-up",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    if os.getuid() == 0:
        env["IS_SANDBOX"] = "1"  # or it refuses to skip permissions as root
    allowed = () if asks else ("--dangerously-skip-permissions",)
    cwd = _folder(home, git=git)
    return Launch((*cli.command, *allowed, *args), env, cwd, projects=config / "projects")


def claude_arguments(cli: Cli, mode: str, prompt: str) -> list[str]:
    """Returns the arguments that make up a mode."""
    _check(mode, CLAUDE_MODES)
    reads_stdin = mode == "stdin"
    output = "json" if mode == "json" else "stream-json"
    args = ["-p", "--output-format", output, "--verbose"]
    if mode.startswith("partial"):
        args.append("--include-partial-messages")
    if mode.endswith("-fwd"):
        if cli.release < FIRST_FORWARDING_CLAUDE:
            raise ValueError(f"Claude Code {cli.version} cannot forward sub-agents' text")
        args.append("--forward-subagent-text")
    if reads_stdin:
        return [*args, "--input-format", "stream-json", "--permission-prompt-tool", "stdio"]
    return [*args, prompt]


def opencode_launch(
    cli: Cli,
    model_url: str,
    home: Path,
    args: Sequence[str] = (),
    *,
    asks: bool = False,
    git: bool = False,
) -> Launch:
    """OpenCode with these arguments; unless it `asks`, every tool is allowed."""
    # The list of all models of all providers is a third of what it does at its start.
    models = home / ".config" / "models.json"
    name = cli.name  # Kilo is made from OpenCode: the same settings under its own name
    prefix = name.upper()
    env = {
        **_environment(home),
        f"{prefix}_MODELS_PATH": str(models),
        f"{prefix}_DISABLE_AUTOUPDATE": "1",
        f"{prefix}_DISABLE_MODELS_FETCH": "1",
        f"{prefix}_DISABLE_DEFAULT_PLUGINS": "1",
        f"{prefix}_DISABLE_LSP_DOWNLOAD": "1",
        f"{prefix}_DISABLE_SHARE": "1",
        f"{prefix}_TELEMETRY_LEVEL": "off",  # Kilo waits for seconds until its server is reached
    }
    if name == "kilo":
        env["BUN_JSC_useDFGJIT"] = "1"  # it computes for long enough to be compiled for speed
    config = Path(env["XDG_CONFIG_HOME"], name, f"{name}.json")
    config.parent.mkdir(parents=True, exist_ok=True)
    models.write_text("{}")
    # Where this is missing, older versions fetch it from the registry at their start.
    (config.parent / "node_modules").mkdir(exist_ok=True)
    plugin = {"dependencies": {"@opencode-ai/plugin": cli.version}}
    (config.parent / "package.json").write_text(json.dumps(plugin))
    settings = _opencode_config(model_url, asks=asks)
    if cli.release >= _FIRST_OPENCODE_WITH_DEPTH:
        # Its default is 1; older versions refuse a setting that they do not know.
        settings["subagent_depth"] = 4
    config.write_text(json.dumps(settings))
    cwd = _folder(home, git=git)
    data = Path(env["XDG_DATA_HOME"], name)
    return Launch((*cli.command, *args), env, cwd, data=data)


def codex_launch(
    cli: Cli, model_url: str, home: Path, args: Sequence[str] = (), *, git: bool = False
) -> Launch:
    """Codex with these arguments; every tool is allowed."""
    cwd = _folder(home, git=git)
    codex_home = home / ".codex"
    codex_home.mkdir(parents=True, exist_ok=True)
    (codex_home / "config.toml").write_text(_CODEX_CONFIG.format(url=model_url, cwd=cwd))
    closed = "http://127.0.0.1:9"
    env = {
        **_environment(home),
        "CODEX_HOME": str(codex_home),
        "SCRIPTED_KEY": "made-up",
        "NO_PROXY": "127.0.0.1,localhost",
        "HTTP_PROXY": closed,
        "HTTPS_PROXY": closed,
    }
    return Launch((*cli.command, *args), env, cwd, codex_home=codex_home)


def codex_arguments(mode: str, prompt: str) -> list[str]:
    """Returns the arguments that make up a mode."""
    _check(mode, CODEX_MODES)
    return ["exec", "--json", "--skip-git-repo-check", prompt]


_CODEX_CONFIG = """\
model = "scripted-one"
model_provider = "scripted"
model_reasoning_summary = "detailed"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
web_search = "disabled"
agents.max_depth = 3
features.plugins = false

[model_providers.scripted]
name = "Scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 2

[analytics]
enabled = false

[projects."{cwd}"]
trust_level = "trusted"
"""


def opencode_arguments(mode: str, prompt: str) -> list[str]:
    """Returns the arguments that make up a mode."""
    _check(mode, OPENCODE_MODES)
    if mode == "serve":
        return ["serve", "--hostname", "127.0.0.1", "--port", "0"]
    return ["run", "--format", "json", "--thinking", "--model", "scripted/one", prompt]


def _check(mode: str, modes: tuple[str, ...]) -> None:
    # Taken for the plain one, a slip would test something else.
    if mode not in modes:
        raise ValueError(f"there is no mode {mode!r}, but {', '.join(modes)}")


def _opencode_config(model_url: str, *, asks: bool) -> dict[str, object]:
    model = {
        "name": "one",
        "reasoning": True,
        "tool_call": True,
        "limit": {"context": 200_000, "output": 8_000},
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "enabled_providers": ["scripted"],
        "permission": {"*": "allow", **dict.fromkeys(ASKING, "ask" if asks else "allow")},
        # Only an agent whose settings allow it may spawn agents of its own.
        "agent": {"general": {"permission": {"task": "allow"}}},
        "model": "scripted/one",
        "small_model": "scripted/one",
        "provider": {
            "scripted": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "scripted",
                "options": {"baseURL": f"{model_url}/v1", "apiKey": "made-up"},
                "models": {"one": model},
            }
        },
    }


def _environment(home: Path) -> dict[str, str]:
    temporary = home / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "PATH": os.environ.get("PATH", os.defpath),
        "SHELL": shutil.which("bash") or "/bin/sh",
        "LANG": "C.UTF-8",
        "TMPDIR": str(temporary),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        # Most are programs of Bun: compiling for speed costs up to a seventh of a short run.
        "BUN_JSC_useDFGJIT": "0",
        "npm_config_offline": "true",  # they ask npm for their own latest version, and for plugins
    }


def _folder(home: Path, *, git: bool) -> Path:
    cwd = home / "app"
    if not cwd.is_dir():
        cwd.mkdir(parents=True)
        if git and (program := shutil.which("git")):
            subprocess.run([program, "init", "--quiet", str(cwd)], check=True, capture_output=True)
    return cwd
