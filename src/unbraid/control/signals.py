"""Steering a process of which nothing is known but that it can be ended."""

from __future__ import annotations

import signal
from collections.abc import Callable

from unbraid.agents.control_port import PermissionRequest
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
        """It can only be ended."""
        return ["cancel"]

    def pending(self) -> list[PermissionRequest]:
        """It asks for nothing that could be answered."""
        return []

    async def cancel(self) -> None:
        """End the run."""
        self._send_signal(signal.SIGTERM)

    async def message(self, text: str) -> None:
        """Not possible."""
        raise self._deaf()

    async def interrupt(self) -> None:
        """Not possible."""
        raise self._deaf()

    async def stop(self, stream_id: int) -> None:
        """Not possible."""
        raise self._deaf()

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        """Not possible."""
        raise CallerError(f"no request {request_id} waits for an answer")

    def printed(self, line: bytes) -> None:
        """Nothing in its output is meant for us."""

    def passed(self, data: bytes) -> None:
        """Nothing in its input is meant for us."""

    def close(self) -> None:
        """Nothing is to be closed."""

    def _deaf(self) -> CallerError:
        return CallerError("this run takes no messages: its program can only be ended")
