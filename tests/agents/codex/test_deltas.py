"""Text in small parts, which a secret may be cut over."""

from __future__ import annotations

from tests.block_rows import RECORDINGS
from unbraid.agents.codex.records import delta_in
from unbraid.read.dialects import BlockEnd, Delta


def test_every_delta_is_found_and_every_block_ends() -> None:
    stream = RECORDINGS / "child-fails.app-server.codex-0.166.0" / "app-server.ndjson"
    lines = stream.read_bytes().splitlines()
    read = [delta_in(line) for line in lines]
    deltas = [each for each in read if isinstance(each, Delta)]
    assert len(deltas) == sum(b'"delta":"' in line for line in lines) > 0
    ended = {(each.owner, each.block) for each in read if isinstance(each, BlockEnd)}
    assert {(each.owner, each.block) for each in deltas} <= ended
    assert delta_in(b'{"type":"item.completed"}') is None
