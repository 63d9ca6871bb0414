"""Everything that every agent says, once, under the agent that said it.

`Translator` turns the bytes of a run's sources into relay events; `Pipeline` turns these into the
entries of its log, and `Tree` folds the entries into the tree of agents. `Orchestrator` runs a
fleet of our own.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unbraid.agents.claude.records import fingerprint, parse_double_encoded
    from unbraid.errors import BackendError, CallerError, LogError, SourceError, UnbraidError
    from unbraid.fold.pipeline import Pipeline
    from unbraid.fold.streams import Fleet
    from unbraid.fold.tree import Tree
    from unbraid.log.engines import open_log, opened_log
    from unbraid.machine import Machine, session_events
    from unbraid.orchestrate.orchestrator import Orchestrator
    from unbraid.read.content import extract_content
    from unbraid.read.reader import parse_line
    from unbraid.read.record import Record
    from unbraid.read.translator import Translator
    from unbraid.record.process_events import process_events

__version__ = "0.1.0"

# Imported when first asked for: `unbraid --version` must not wait for any of it.
_PUBLIC = {
    "BackendError": "unbraid.errors",
    "CallerError": "unbraid.errors",
    "Fleet": "unbraid.fold.streams",
    "LogError": "unbraid.errors",
    "Machine": "unbraid.machine",
    "Orchestrator": "unbraid.orchestrate.orchestrator",
    "Pipeline": "unbraid.fold.pipeline",
    "Record": "unbraid.read.record",
    "SourceError": "unbraid.errors",
    "Translator": "unbraid.read.translator",
    "Tree": "unbraid.fold.tree",
    "UnbraidError": "unbraid.errors",
    "extract_content": "unbraid.read.content",
    "fingerprint": "unbraid.agents.claude.records",
    "open_log": "unbraid.log.engines",
    "opened_log": "unbraid.log.engines",
    "parse_double_encoded": "unbraid.agents.claude.records",
    "parse_line": "unbraid.read.reader",
    "process_events": "unbraid.record.process_events",
    "session_events": "unbraid.machine",
}

__all__ = [
    "BackendError",
    "CallerError",
    "Fleet",
    "LogError",
    "Machine",
    "Orchestrator",
    "Pipeline",
    "Record",
    "SourceError",
    "Translator",
    "Tree",
    "UnbraidError",
    "__version__",
    "extract_content",
    "fingerprint",
    "open_log",
    "opened_log",
    "parse_double_encoded",
    "parse_line",
    "process_events",
    "session_events",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'unbraid' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)
