"""A master's conversation and the requests that it answers, one after the other.

All of it happens in one task, so that the task which opened the conversation also closes it. After
its answer the master stays for a while, and a further message finds it where it was.
"""

from __future__ import annotations

import asyncio

from unbraid.errors import CallerError
from unbraid.orchestrate.instance import problem_of
from unbraid.orchestrate.material import GivenMaterial
from unbraid.orchestrate.request import Outcome, Request


class MasterSession:
    """One master."""

    def __init__(self, first: Request, *, keep_seconds: float) -> None:
        self._request = first
        self._keep_seconds = keep_seconds
        self._waiting: asyncio.Future[Request] | None = None
        self._end_reason: str | None = None
        self._task = asyncio.create_task(self._run())
        first.on_cancel = self.end

    @property
    def idle(self) -> bool:
        """Whether its master waits for a further request."""
        return self._waiting is not None and not self._waiting.done()

    @property
    def over(self) -> bool:
        """Whether its master is gone."""
        return self._task.done()

    def go_on(self, request: Request) -> None:
        """Gives an idle master its next request."""
        if self._waiting is None or not self.idle:
            raise CallerError("this master is not waiting for a message")
        request.on_cancel = self.end
        self._request = request
        self._waiting.set_result(request)

    def end(self, reason: str = "cancelled") -> None:
        """Ends what it does, and its master."""
        # Once: a second time would break off the ending itself, and leave something behind.
        if self._end_reason is None:
            self._end_reason = reason
            self._task.cancel()

    async def gone(self) -> None:
        """Waits until its master is gone."""
        await asyncio.wait({self._task})

    async def ended(self) -> None:
        """Waits until its master is gone and its last request is completely in the log."""
        await self.gone()
        await self._request.ended()

    async def _run(self) -> None:
        outcome = Outcome(False, "failed", "it never began")
        try:
            material = GivenMaterial(self._request.commands)
            async with self._request.open(self._request.roster.master, 0) as conversation:
                while True:
                    outcome = await self._request.perform(conversation, material)
                    if not outcome.ok:
                        break
                    self._request.finish(outcome)
                    if not await self._next():
                        break
        except asyncio.CancelledError:
            outcome = Outcome(False, self._end_reason or "cancelled")
        except Exception as error:
            name = self._request.roster.master.name
            outcome = Outcome(False, "failed", problem_of(name, error).text)
        finally:
            # Only now, so that no process is left when the end becomes visible.
            self._request.finish(outcome)

    async def _next(self) -> bool:
        if not self._keep_seconds:
            return False
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._keep_seconds):
                await self._waiting
        except TimeoutError:
            return False
        return True
