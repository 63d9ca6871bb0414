"""Words that equal an id, or each other, are words all the same."""

from __future__ import annotations

import msgspec
import pytest

from unbraid import Translator
from unbraid import events as e


def line(message: str, uuid: str, *texts: str) -> bytes:
    content = [{"type": "text", "text": text} for text in texts]
    output = {"id": message, "role": "assistant", "content": content}
    fields = {"type": "assistant", "message": output, "session_id": "s", "uuid": uuid}
    return msgspec.json.encode(fields) + b"\n"


def said(*lines: bytes) -> list[tuple[str, str]]:
    translator = Translator()
    events = [event for each in lines for event in translator.feed(each)]
    events += translator.finish()
    return [(each.message_id, each.delta) for each in events if isinstance(each, e.TextDelta)]


def test_a_text_may_be_the_id_of_its_own_line() -> None:
    assert said(line("m1", "x", "x"), line("m2", "y", "y")) == [("m1", "x"), ("m2", "y")]


def test_equal_blocks_of_lines_with_one_uuid_are_all_reported() -> None:
    lines = [line("m1", "u", *["ok"] * count) for count in (1, 2, 3, 4)]
    assert said(*lines) == [("m1", "ok")] * 4


def test_text_instead_of_bytes_is_refused_in_a_sentence() -> None:
    with pytest.raises(TypeError, match="bytes, not text"):
        Translator().feed("{}\n")  # type: ignore[arg-type]
