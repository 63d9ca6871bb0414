"""A stream of unknown origin: the first line that a kind knows decides whose it is."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.agents.claude.process.launch import ClaudeLauncher, ClaudeSource
from unbraid.agents.opencode.launch import OpenCodeLauncher
from unbraid.agents.opencode.store import Installation
from unbraid.agents.port import Recorded
from unbraid.read.chunk import Chunk
from unbraid.record.run import DetectedSource

SESSION = "11111111-2222-4333-8444-555555555555"
CLAUDE = b'{"type":"system","subtype":"init","session_id":"%s"}\n' % SESSION.encode()
OPENCODE = b'{"type":"text","sessionID":"ses_1","part":{}}\n'
NOWHERE = {"HOME": "/nothing", "XDG_DATA_HOME": "/nothing"}


def detected(data: Iterable[bytes]) -> tuple[str | None, list[Chunk]]:
    """The session that was found, and what is recorded of the stream."""
    source = DetectedSource([ClaudeLauncher(NOWHERE), OpenCodeLauncher(Installation(NOWHERE))])
    for each in data:
        source.printed(each)
    assert list(source.read()) == []
    source.end()
    assert list(source.read()) == []
    if source.session_id is not None:
        source.begin(Recorded())
    return source.session_id, [chunk for chunk in source.read() if chunk.data]


@pytest.mark.parametrize(("line", "session"), [(CLAUDE, SESSION), (OPENCODE, "ses_1")])
@given(cut=st.integers(0, 200))
def test_the_first_line_that_a_kind_knows_decides(line: bytes, session: str, cut: int) -> None:
    stream = b"Starting...\n" + line + line
    found, chunks = detected([stream[:cut], stream[cut:]])
    assert found == session
    assert b"".join(chunk.data for chunk in chunks).endswith(line + line)


def test_records_of_nobody_are_recorded_at_the_end_under_a_name_of_their_own() -> None:
    stream = [b'{"type":"toy",', b'"says":1}\n', b"and more"]
    found, chunks = detected(stream)
    assert found is not None
    assert [(chunk.offset, chunk.data) for chunk in chunks] == [
        (0, stream[0]),
        (len(stream[0]), stream[1]),
        (len(stream[0] + stream[1]), stream[2]),
    ]


def test_what_is_no_record_is_not_recorded() -> None:
    assert detected([b"1\n2\n", b"[3]\n{}\nfour"]) == (None, [])


def test_lines_without_a_session_are_still_of_their_kind() -> None:
    source = ClaudeLauncher(NOWHERE).piped(b'{"type":"assistant","message":{}}')
    assert isinstance(source, ClaudeSource)
    assert ClaudeLauncher(NOWHERE).piped(OPENCODE) is None
    assert OpenCodeLauncher(Installation(NOWHERE)).piped(CLAUDE) is None
    assert OpenCodeLauncher(Installation(NOWHERE)).piped(b"{") is None
