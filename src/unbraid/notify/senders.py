"""How a message leaves: a shell command, a webhook, the desktop, or a service that Apprise knows.

Nothing of a message is ever part of a command: agents have written it. Nothing of a receiver's
address is part of an error: it has tokens in it.
"""

from __future__ import annotations

import asyncio
import html
import os
import shutil
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

import msgspec

from unbraid.alerts.messages import AlertMessage
from unbraid.alerts.rules import DESKTOP, Receiver
from unbraid.errors import UnbraidError
from unbraid.system.process import NOTHING, PIPE, start
from unbraid.timings import ALERT_SEND_TIMEOUT_SECONDS


class DeliveryError(UnbraidError):
    """A message was not accepted. `is_final` if it would not be accepted the next time either."""

    def __init__(self, problem: str, *, is_final: bool = False) -> None:
        super().__init__(problem)
        self.is_final = is_final


class AlertSender(Protocol):
    """One way to a person."""

    async def send(self, message: AlertMessage) -> None:
        """Sends a message. Raises DeliveryError."""
        ...


def sender_of(receiver: Receiver, env: Mapping[str, str]) -> AlertSender:
    """Returns what sends to a receiver."""
    if receiver.command is not None:
        return CommandSender(receiver.command, env)
    if receiver.webhook is not None:
        return WebhookSender(receiver.webhook, receiver.headers)
    if receiver.url is not None:
        from unbraid.notify.apprise_sender import AppriseSender

        return AppriseSender(receiver.url)
    if receiver.name == DESKTOP:
        return DesktopSender(env)
    raise ValueError(f"{receiver.name} is shown, not sent")


class CommandSender:
    """A shell command. It finds the message in UNBRAID_ALERT_TITLE and UNBRAID_ALERT_BODY, and as
    JSON on its standard input.
    """

    def __init__(self, command: str, env: Mapping[str, str]) -> None:
        self._command, self._env = command, env

    async def send(self, message: AlertMessage) -> None:
        """Runs the command."""
        env = {
            **self._env,
            "UNBRAID_ALERT_TITLE": message.title,
            "UNBRAID_ALERT_BODY": message.body,
        }
        given = msgspec.json.encode(message) + b"\n"
        code = await _run(["/bin/sh", "-c", self._command], env, given)
        if code:
            raise DeliveryError(f"the command ended with exit code {code}")


class DesktopSender:
    """The desktop's own notifications, by `notify-send`."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env

    async def send(self, message: AlertMessage) -> None:
        """Shows the message."""
        program = shutil.which("notify-send", path=self._env.get("PATH"))
        if program is None:
            raise DeliveryError("`notify-send` is not installed", is_final=True)
        # Desktops read markup in the body; an agent's words are to have none.
        words = [message.title, html.escape(message.body, quote=False)]
        code = await _run([program, "--app-name=unbraid", "--", *words], self._env, b"")
        if code:
            raise DeliveryError(f"`notify-send` ended with exit code {code}")


class WebhookSender:
    """A POST of the message as JSON."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url, self._headers = url, dict(headers)

    async def send(self, message: AlertMessage) -> None:
        """Sends the message."""
        import httpx

        from unbraid.system.http import HTTP_ERRORS, client_options, reason_of

        options = client_options(self._url)
        headers = {**options.pop("headers"), "Content-Type": "application/json", **self._headers}
        body = msgspec.json.encode(message)
        try:
            async with (
                asyncio.timeout(ALERT_SEND_TIMEOUT_SECONDS),
                httpx.AsyncClient(timeout=ALERT_SEND_TIMEOUT_SECONDS, **options) as client,
                # Of the answer only the head counts: the rest may never end.
                client.stream("POST", self._url, content=body, headers=headers) as answer,
            ):
                status = answer.status_code
        except TimeoutError:
            raise DeliveryError("timed out") from None
        except (*HTTP_ERRORS, ValueError, OSError) as error:
            reason = reason_of(error)
            # Some errors quote the address.
            shown = reason if isinstance(error, httpx.NetworkError) else type(error).__name__
            raise DeliveryError(f"cannot be reached: {shown}") from None
        if status >= 300:
            is_final = status < 500 and status not in (408, 425, 429)
            raise DeliveryError(f"the server answered {status}", is_final=is_final)


async def _run(argv: list[str], env: Mapping[str, str], given: bytes) -> int:
    """Runs a program with some input, for a while; returns its exit code."""
    try:
        process = await start(
            argv, env, stdin=PIPE, stdout=NOTHING, stderr=NOTHING, start_new_session=True
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise DeliveryError(f"cannot be started: {reason}") from None
    try:
        async with asyncio.timeout(ALERT_SEND_TIMEOUT_SECONDS):
            if process.stdin is not None:
                process.stdin.write(given)
                process.stdin.close()
            return await process.wait()
    except TimeoutError:
        raise DeliveryError("timed out") from None
    finally:
        # With all that it has started, which is in a session of its own.
        if process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        await process.let_go()
