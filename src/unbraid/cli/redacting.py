"""The option of commands that mask secrets."""

from __future__ import annotations

import click

redact_option = click.option(
    "--redact", is_flag=True, help="Mask API keys and tokens, stored, sent and shown."
)
