"""What every kind's records share: times, and lenient reading by the struct types themselves."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from msgspec import Raw, Struct

from unbraid.read.record import any_json, coerce, milliseconds, read_as, sound


class Leaf(Struct):
    """An element that a bare string may stand for."""

    text: str = ""

    @classmethod
    def of_bare(cls, item: Any) -> Leaf:
        return cls(str(item))


class Twig(Struct):
    """An element that nothing else may stand for."""

    size: int = 0
    leaf: Leaf | None = None


class Branch(Struct):
    """Structs in every place that they may have in a record."""

    name: str = ""
    twig: Twig | None = None
    leaves: list[Leaf] | str | None = None
    twigs: list[Twig] | None = None
    rest: Raw = Raw(b"")


@pytest.mark.parametrize(
    ("given", "kept", "whole"),
    [
        ({"name": "a"}, Branch("a"), True),
        ({"name": 7}, Branch(), False),
        ({"unknown": 7}, Branch(), True),
        ({"twig": {"size": "x", "leaf": {"text": "t"}}}, Branch(twig=Twig(leaf=Leaf("t"))), False),
        ({"twig": [1]}, Branch(), False),
        ({"leaves": "text"}, Branch(leaves="text"), True),
        ({"leaves": ["a", {"text": "b"}]}, Branch(leaves=[Leaf("a"), Leaf("b")]), False),
        ({"leaves": {"text": "c"}}, Branch(leaves=[Leaf("c")]), False),
        ({"twigs": [{"size": 1}, "x", None]}, Branch(twigs=[Twig(1)]), False),
        ({"rest": {"a": [1]}}, Branch(rest=Raw(b'{"a": [1]}')), True),
    ],
)
def test_what_has_the_right_type_is_kept(given: dict[str, Any], kept: Branch, whole: bool) -> None:
    assert coerce(Branch, given) == (kept, whole)


def test_bytes_are_read_as_a_shape_as_far_as_they_can_be() -> None:
    assert read_as(Branch, b'{"name":"a"}') == Branch("a")
    assert read_as(Branch, b'{"name":"a\xff","twig":7}') == Branch("a\ufffd")
    assert read_as(Branch, b"[1]") == read_as(Branch, b"no json") == Branch()


def test_what_is_passed_on_is_always_json() -> None:
    assert bytes(sound(b'{"a":1}')) == b'{"a":1}'
    assert any_json(bytes(sound(b'{"a":"\xff"}'))) == {"a": "\ufffd"}


@pytest.mark.parametrize(
    ("stamp", "millis"),
    [
        ("2025-11-15T08:13:00.123Z", 1763194380123),
        ("2025-11-15T08:13:00Z", 1763194380000),
        ("2025-11-15T09:13:00.5+01:00", 1763194380500),
        (1763194380123, 1763194380123),
        (1763194380123.9, 1763194380123),
        ("yesterday", 0),
        ("", 0),
        (None, 0),
        (-5, 0),
        (1e300, 0),
        ("9999-99-99T00:00:00Z", 0),
    ],
)
def test_a_time_in_milliseconds(stamp: str | int | float | None, millis: int) -> None:
    assert milliseconds(stamp) == millis


FIRST_READS = """
import sys, threading
from msgspec import Struct
from unbraid.read.record import read_as

sys.setswitchinterval(1e-6)
FIELDS = {f"field_{number}": "int | str | None" for number in range(20)}

def shape(name, **fields):
    given = {"__annotations__": fields, "__module__": __name__, **dict.fromkeys(fields)}
    globals()[name] = type(Struct)(name, (Struct,), given)
    return globals()[name]

for number in range(50):
    shape(f"Inner{number}", **FIELDS)
    outer = shape(f"Outer{number}", **FIELDS, inner=f"Inner{number} | None")
    together = threading.Barrier(4)
    def read():
        together.wait()
        assert read_as(outer, b'{"inner":{"field_1":1}}').inner.field_1 == 1
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
print("all read")
"""


def test_several_threads_may_be_the_first_to_read_a_shape() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_READS], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "all read\n", "")
