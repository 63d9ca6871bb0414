"""A server that is born quickly, to be killed: imports once, then forks one for every line it
reads.

    python forking_server.py LOG PORT TOKEN

Prints each child's process id; a child prints "ready" when it listens. The child is killed by
whoever asked for it.
"""

from __future__ import annotations

import asyncio
import os
import sys

import unbraid.fold.pipeline  # noqa: F401 - imported once, here
from unbraid.log import opened_log
from unbraid.serve import ServeConfig, ServeLimits, Token, hash_token, run_server


def main() -> None:
    token = Token("tests", hash_token(sys.argv[3]), frozenset(("admin",)))
    limits = ServeLimits(shutdown_seconds=1)
    config = ServeConfig(port=int(sys.argv[2]), tokens=(token,), limits=limits)

    async def serve() -> None:
        async with opened_log(sys.argv[1]) as log:
            await run_server(config, log, on_ready=lambda _: tell("ready"))

    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            asyncio.run(serve())
            os._exit(0)
        tell(str(child))
        os.waitpid(child, 0)


def tell(word: str) -> None:
    """One line, whole: two processes write to the same pipe."""
    os.write(sys.stdout.fileno(), f"{word}\n".encode())


if __name__ == "__main__":
    main()
