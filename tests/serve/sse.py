"""A reader of SSE for tests, by the letter of the standard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgspec


class Parser:
    """Bytes in, events out, however the bytes are cut."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[dict[str, str]]:
        """The events that are complete now."""
        *blocks, self._rest = (self._rest + data).split(b"\n\n")
        events = []
        for block in blocks:
            fields: dict[str, str] = {}
            for line in block.decode().splitlines():
                name, _, value = line.partition(":")
                if name:
                    fields[name] = value.removeprefix(" ")
            if fields:
                events.append(fields)
        return events


async def events_of(answer: httpx.Response) -> AsyncIterator[dict[str, str]]:
    """The events of an answer as they come."""
    parser = Parser()
    async for chunk in answer.aiter_bytes():
        for event in parser.feed(chunk):
            yield event


async def read_events(client: httpx.AsyncClient, path: str, **more: Any) -> list[dict[str, str]]:
    """All events of a stream that ends."""
    async with client.stream("GET", path, **more) as answer:
        assert answer.status_code == 200, await answer.aread()
        return [event async for event in events_of(answer)]


def data_of(event: dict[str, str]) -> dict[str, Any]:
    """An event's data."""
    data: dict[str, Any] = msgspec.json.decode(event["data"])
    return data
