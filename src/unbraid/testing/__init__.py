"""A scripted model, runners of the real CLIs and players of recordings, for tests of agents.

The model needs the extra `unbraid[testing]`; everything else needs Python alone.
"""

from .clis import (
    CLAUDE_VERSIONS,
    CODEX_VERSIONS,
    KILO_VERSIONS,
    OPENCODE_VERSIONS,
    Cli,
    CliUnavailable,
)
from .conversation import allow, deny
from .invariants import assert_fleet
from .launch import Launch, claude_launch, codex_launch, opencode_launch
from .model import ScriptedModel
from .recording import Recording, byte_by_byte, lines, load, random_cuts, whole
from .runner import (
    RecordedRun,
    record_claude,
    record_opencode,
    run_claude,
    run_codex,
    run_opencode,
    start_claude,
    start_codex,
    start_opencode,
)
from .scenarios import scenario
from .script import (
    HttpError,
    Script,
    ScriptedCut,
    ScriptedText,
    ScriptedThinking,
    ScriptedToolUse,
    ScriptedUsage,
    SendMessage,
    Spawn,
    StreamError,
    Turn,
    Wait,
    Workflow,
    bash,
    say,
)

__all__ = [
    "CLAUDE_VERSIONS",
    "CODEX_VERSIONS",
    "KILO_VERSIONS",
    "OPENCODE_VERSIONS",
    "Cli",
    "CliUnavailable",
    "HttpError",
    "Launch",
    "RecordedRun",
    "Recording",
    "Script",
    "ScriptedCut",
    "ScriptedModel",
    "ScriptedText",
    "ScriptedThinking",
    "ScriptedToolUse",
    "ScriptedUsage",
    "SendMessage",
    "Spawn",
    "StreamError",
    "Turn",
    "Wait",
    "Workflow",
    "allow",
    "assert_fleet",
    "bash",
    "byte_by_byte",
    "claude_launch",
    "codex_launch",
    "deny",
    "lines",
    "load",
    "opencode_launch",
    "random_cuts",
    "record_claude",
    "record_opencode",
    "run_claude",
    "run_codex",
    "run_opencode",
    "say",
    "scenario",
    "start_claude",
    "start_codex",
    "start_opencode",
    "whole",
]
