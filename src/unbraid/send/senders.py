"""How a message leaves: a shell command, a webhook, the desktop, a service that Apprise knows,
the terminal, or open pages; and which alerts have left, for all processes of ours.

Nothing of a message is ever part of a command: agents have written it. Nothing of a receiver's
address is part of an error: it has tokens in it.
"""

from __future__ import annotations

import asyncio
import html
import logging
import os
import shutil
import signal
import time
import warnings
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from unbraid.errors import UnbraidError
from unbraid.fold.alerts.monitor import AlertMessage
from unbraid.fold.alerts.rules import DESKTOP, Receiver
from unbraid.screen import short
from unbraid.system.clock import now_ms
from unbraid.system.home import make_private_folder
from unbraid.system.process import NOTHING, PIPE, start

# A receiver that does not answer for this long is down.
ALERT_SEND_TIMEOUT_SECONDS = 10.0
# No process sends an alert of an occurrence that is older.
ALERT_MARK_KEPT_SECONDS = 30 * 86400


class DeliveryError(UnbraidError):
    """A message was not accepted. `is_final` if it would not be accepted the next time either."""

    def __init__(self, problem: str, *, is_final: bool = False) -> None:
        super().__init__(problem)
        self.is_final = is_final


# One way to a person. Raises DeliveryError.
AlertSender = Callable[[AlertMessage], Awaitable[None]]


def sender_of(receiver: Receiver, env: Mapping[str, str]) -> AlertSender:
    """Returns what sends to a receiver."""
    if receiver.command is not None:
        return partial(_run_command, receiver.command, env)
    if receiver.webhook is not None:
        return partial(_post, receiver.webhook, receiver.headers)
    if receiver.url is not None:
        return AppriseSender(receiver.url).send
    if receiver.name == DESKTOP:
        return partial(_notify_desktop, env)
    raise ValueError(f"{receiver.name} is shown, not sent")


async def _run_command(command: str, env: Mapping[str, str], message: AlertMessage) -> None:
    """Runs a shell command. It finds the message in UNBRAID_ALERT_TITLE and UNBRAID_ALERT_BODY, and
    as JSON on its standard input.
    """
    words = {"UNBRAID_ALERT_TITLE": message.title, "UNBRAID_ALERT_BODY": message.body}
    given = msgspec.json.encode(message) + b"\n"
    await _run("the command", ["/bin/sh", "-c", command], {**env, **words}, given)


async def _notify_desktop(env: Mapping[str, str], message: AlertMessage) -> None:
    """Shows a message as the desktop's own notifications are shown, by `notify-send`."""
    program = shutil.which("notify-send", path=env.get("PATH"))
    if program is None:
        raise DeliveryError("`notify-send` is not installed", is_final=True)
    # Desktops read markup in the body; an agent's words are to have none.
    words = [message.title, html.escape(message.body, quote=False)]
    await _run("`notify-send`", [program, "--app-name=unbraid", "--", *words], env, b"")


async def _post(url: str, headers: Mapping[str, str], message: AlertMessage) -> None:
    """Sends a message as JSON by a POST."""
    import httpx

    from unbraid.system.http import HTTP_ERRORS, client_options, reason_of

    options = client_options(url)
    sent = {**options.pop("headers"), "Content-Type": "application/json", **headers}
    body = msgspec.json.encode(message)
    try:
        async with (
            asyncio.timeout(ALERT_SEND_TIMEOUT_SECONDS),
            httpx.AsyncClient(timeout=ALERT_SEND_TIMEOUT_SECONDS, **options) as client,
            # Of the answer only the head counts: the rest may never end.
            client.stream("POST", url, content=body, headers=sent) as answer,
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


async def _run(name: str, argv: list[str], env: Mapping[str, str], given: bytes) -> None:
    """Runs a program with some input, for a while. Raises DeliveryError if it fails."""
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
            code = await process.wait()
    except TimeoutError:
        raise DeliveryError("timed out") from None
    finally:
        # With all that it has started, which is in a session of its own.
        if process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        await process.let_go()
    if code:
        raise DeliveryError(f"{name} ended with exit code {code}")


class AppriseSender:
    """One address that Apprise knows. Importing Apprise and sending take a thread of their own."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._service: Any = None

    async def send(self, message: AlertMessage) -> None:
        """Sends the message."""
        await asyncio.to_thread(self._send, message)

    def _send(self, message: AlertMessage) -> None:
        if self._service is None:
            self._service = _service(self._url)
        try:
            is_sent = self._service.notify(
                body=message.body, title=message.title, body_format="text"
            )
        except Exception as error:  # any of a hundred plugins of another package
            raise DeliveryError(f"Apprise failed: {type(error).__name__}") from None
        if not is_sent:
            raise DeliveryError("the service rejected it")


def _service(url: str) -> Any:
    with warnings.catch_warnings():
        # We cannot change how it uses its own dependencies.
        warnings.simplefilter("ignore")
        try:
            import apprise
        except ImportError:
            missing = "Apprise is not installed: `pip install 'unbraid[notify]'`"
            raise DeliveryError(missing, is_final=True) from None
        # It reports failures with addresses in them, tokens and all.
        logger = logging.getLogger("apprise")
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
        asset = apprise.AppriseAsset(app_id="unbraid", app_desc="unbraid", app_url="")
        service = apprise.Apprise(asset=asset)
        if not service.add(url):
            raise DeliveryError("Apprise does not know this address", is_final=True)
        return service


MAX_KEPT = 100


class PageAlert(Struct, frozen=True):
    """A message, and the run that it is about first. `id` counts up, also over restarts."""

    id: int
    title: str
    body: str
    run: str


class PageAlerts:
    """The latest messages. Pages that ask too late have missed the others."""

    def __init__(self) -> None:
        self._kept: deque[PageAlert] = deque(maxlen=MAX_KEPT)
        self.last = now_ms()

    async def send(self, message: AlertMessage) -> None:
        """Keeps a message for the pages that ask for it."""
        self.last = max(self.last + 1, now_ms())
        run = message.alerts[0].run if message.alerts else ""
        self._kept.append(PageAlert(self.last, message.title, message.body, run=run))

    def after(self, number: int) -> list[PageAlert]:
        """Returns those that came after a message."""
        return [each for each in self._kept if each.id > number]


# With words before them: a terminal would take some numbers for commands of their own.
PREFIX = "unbraid: "
MAX_CHARS = 200


def terminal_call(given: AlertMessage) -> str:
    """Returns what to write to a terminal. Of the message only plain characters are left: whatever
    ends or begins a sequence stands there as an escape.
    """
    return f"\x1b]9;{PREFIX}{short(given.title, MAX_CHARS)}\x07\x07"


MARKS_FOLDER = "alerts"


class SentMarks:
    """Which alerts were sent, for all processes of ours and after a restart: one small file each in
    a folder. Where that cannot be written, every process decides for itself.
    """

    def __init__(self, home: Path) -> None:
        self._folder = home / MARKS_FOLDER

    def add(self, name: str) -> bool:
        """Marks an alert as sent. Returns False if it was before, by whomever."""
        path = self._path(name)
        try:
            make_private_folder(self._folder)
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        except OSError:
            return True
        return True

    def has(self, name: str) -> bool:
        """Returns whether an alert is marked as sent."""
        return self._path(name).exists()

    def prune(self) -> None:
        """Removes marks of occurrences that are too old to be sent."""
        oldest = time.time() - ALERT_MARK_KEPT_SECONDS
        with suppress(OSError):
            for path in self._folder.iterdir():
                with suppress(OSError):
                    if path.stat().st_mtime < oldest:
                        path.unlink()

    def _path(self, name: str) -> Path:
        return self._folder / blake2b(name.encode("utf-8", "replace"), digest_size=16).hexdigest()
