"""Loads the part of a stream that a person scrolls to, one request at a time, in order."""

from __future__ import annotations

import asyncio
import time

from unbraid.log.port import LogReader
from unbraid.tui.run_tree import RunTree
from unbraid.tui.transcript import Transcript
from unbraid.tui.window import Window

RESTING = 2


class Reader:
    """Reads one stream into the transcript, for as long as `run` runs."""

    def __init__(
        self,
        transcript: Transcript,
        log: LogReader,
        run_tree: RunTree,
        stream: int,
        seq: int | None,
    ) -> None:
        self.stream = stream
        self._transcript, self._seq = transcript, seq
        self._window = Window(
            log=log,
            run=run_tree.run,
            stream=stream,
            page_index=run_tree.page_index,
            children=run_tree.children,
        )
        self._requests: dict[str, None] = {}
        self._requested = asyncio.Event()

    def want(self, where: str) -> None:
        """Asks for another part: `where` is new, older, newer, beginning or end."""
        self._requests[where] = None
        self._requested.set()

    def tick(self) -> None:
        """Follows the log if it has grown, unless the person looks elsewhere."""
        if not self._transcript.following:
            self._window.leave_end()
        elif self._window.live:
            self.want("new")

    async def run(self) -> None:
        """Shows the end, or the event that was asked for; then whatever is wanted."""
        window, transcript = self._window, self._transcript
        transcript.clear()
        if self._seq is None:
            await window.to_end()
            transcript.show(window.items)
        else:
            await window.to_event(self._seq)
            transcript.show(window.items, anchor=self._seq)
        self._requests.clear()  # they were about what was shown before
        while True:
            await self._requested.wait()
            self._requested.clear()
            requests, self._requests = self._requests, {}
            began = time.monotonic()
            for where in requests:
                await self._load(where)
            # Whatever this costs, most of the time is left for keys and for folding the run.
            await asyncio.sleep((time.monotonic() - began) * RESTING)

    async def _load(self, where: str) -> None:
        window, transcript = self._window, self._transcript
        match where:
            case "new":
                if not await window.grow():
                    return
            case "older":
                await window.older()
            case "newer":
                await window.newer()
            case "beginning":
                await window.to_beginning()
                transcript.show(window.items, anchor=0)
                return
            case "end":
                await window.to_end()
                transcript.following = True
        transcript.show(window.items)
