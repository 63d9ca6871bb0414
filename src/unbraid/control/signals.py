"""Steering a process that can only be ended."""

from __future__ import annotations

import signal
from collections.abc import Callable

from unbraid.agents.control_port import AnswerDetails, PermissionRequest, UnknownRequest
from unbraid.errors import CallerError


class SignalController:
    """Ends a process by a signal; everything else is a CallerError."""

    def __init__(self, run: Callable[[], str], send_signal: Callable[[int], None]) -> None:
        self._run, self._send_signal = run, send_signal

    @property
    def run(self) -> str:
        """The run's name, once it has one."""
        return self._run()

    def verbs(self) -> list[str]:
        """Returns only `cancel`: it can only be ended."""
        return ["cancel"]

    def pending(self) -> list[PermissionRequest]:
        """Returns nothing: it has no permission requests."""
        return []

    async def cancel(self) -> None:
        """Ends the run."""
        self._send_signal(signal.SIGTERM)

    async def message(self, text: str) -> None:
        """Raises CallerError: this is not possible."""
        raise self._deaf()

    async def interrupt(self) -> None:
        """Raises CallerError: this is not possible."""
        raise self._deaf()

    async def stop(self, stream_id: int) -> None:
        """Raises CallerError: this is not possible."""
        raise self._deaf()

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Raises CallerError: there are no permission requests."""
        raise UnknownRequest(request_id)

    def printed(self, line: bytes) -> None:
        """Does nothing: its output holds no permission requests."""

    def passed(self, data: bytes) -> None:
        """Does nothing: its input holds no answers."""

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    def _deaf(self) -> CallerError:
        return CallerError("this run does not accept messages; its program can only be stopped")
