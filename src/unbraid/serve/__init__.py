"""HTTP: SSE, REST, the page."""

from unbraid.serve.access.auth import Token, hash_token, new_token
from unbraid.serve.access.tokens import TokenFile
from unbraid.serve.config import ServeConfig, ServeLimits
from unbraid.serve.server import Server, run_server, serving, stopped_by_signals

__all__ = [
    "ServeConfig",
    "ServeLimits",
    "Server",
    "Token",
    "TokenFile",
    "hash_token",
    "new_token",
    "run_server",
    "serving",
    "stopped_by_signals",
]
