"""A process of which nothing is known can only be ended."""

from __future__ import annotations

import signal

import pytest

from unbraid.errors import CallerError
from unbraid.record.run import SignalController


async def test_it_can_be_ended_and_nothing_else() -> None:
    sent: list[int] = []
    controller = SignalController(sent.append)
    assert controller.verbs() == ["cancel"]
    await controller.cancel()
    assert sent == [signal.SIGTERM]
    for asked in (
        controller.message("more"),
        controller.interrupt(),
        controller.stop(1),
        controller.answer("request", "allow", None),
    ):
        with pytest.raises(CallerError):
            await asked
