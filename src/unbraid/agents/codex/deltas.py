"""Where the app-server carries text in small parts."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from unbraid.agents.port import BlockEnd, Delta
from unbraid.read.record import BAD_JSON, MISSING


class _Item(Struct, gc=False):
    id: str = ""


class _Params(Struct, gc=False, rename="camel"):
    thread_id: str = ""
    item_id: str = ""
    delta: Raw = MISSING
    item: _Item | None = None


class _Notification(Struct, gc=False):
    method: str = ""
    params: _Params | None = None


_decode = msgspec.json.Decoder(_Notification).decode


class CodexDeltas:
    """A block is an item of a thread."""

    signs = (b'"method"',)
    part_signs = (b'"delta"',)

    def read(self, line: bytes) -> Delta | BlockEnd | None:
        """Returns what a line says about blocks."""
        if b'"method"' not in line[:300]:
            return None
        try:
            read = _decode(line)
        except BAD_JSON:
            return None
        given = read.params
        if given is None or not given.thread_id:
            return None
        text = bytes(given.delta)
        if text.startswith(b'"') and given.item_id:
            return Delta(given.thread_id, given.item_id, text)
        if read.method == "item/completed" and given.item is not None:
            return BlockEnd(given.thread_id, given.item.id)
        return BlockEnd(given.thread_id) if read.method == "turn/completed" else None
