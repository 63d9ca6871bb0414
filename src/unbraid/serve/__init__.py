"""HTTP: SSE, REST, the page."""

from unbraid.serve.access import Token, TokenFile, hash_token, new_token
from unbraid.serve.server import Server, run_server, serving
from unbraid.serve.services import ServeConfig, ServeLimits

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
]
