"""`unbraid pipe`: log what an agent prints into a pipe."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator

import click

from unbraid.cli.options.arguments import log_option
from unbraid.cli.options.destination import destination_of, destination_options
from unbraid.cli.options.redaction import redact_option
from unbraid.cli.output.messages import warn


@click.command(
    short_help="Pass standard input through and log the run in it.",
    epilog="""\b
Examples:
  claude -p "…" --output-format stream-json --verbose | unbraid pipe
  claude -p "…" --output-format stream-json --verbose | unbraid pipe | jq .type""",
)
@log_option
@redact_option
@destination_options
def pipe(log: str | None, redact: bool, to: str | None, token: str | None, linger: float) -> None:
    """Pass standard input through unchanged, and log the run in it.

    The session's transcripts are found and merged, so that the log also has what sub-agents say and
    the CLI does not print. With --redact, API keys and tokens are redacted in the log and in what
    is sent.

    Ctrl-C is left to the agent: its remaining output is passed on and logged until it exits.
    """
    from unbraid.record.run import pipe as follow

    if not sys.stdin.isatty():
        # A Ctrl-C goes to the whole pipeline: the agent's last words are still to come.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sending = destination_of(to, token, linger=linger, warn=warn, redact=redact)
    asyncio.run(follow(_stdin(), os.environ, warn, sending=sending, redact=redact, log=log))


async def _stdin() -> AsyncIterator[bytes]:
    # A thread, because a file on standard input cannot be waited for, and nothing else reads both.
    from unbraid.record.child import read_in

    loop, chunks = asyncio.get_running_loop(), asyncio.Queue[bytes](64)

    def read() -> None:
        data = b"more"
        while data:
            try:
                data = read_in()
            except OSError as error:
                warn(f"standard input cannot be read: {error.strerror}")
                data = b""
            asyncio.run_coroutine_threadsafe(chunks.put(data), loop).result()

    threading.Thread(target=read, daemon=True).start()
    while data := await chunks.get():
        yield data
