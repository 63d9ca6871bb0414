"""The attacks on a server use the fixtures of its own tests."""

from tests.serve.conftest import client, client_of, log, server, start

__all__ = ["client", "client_of", "log", "server", "start"]
