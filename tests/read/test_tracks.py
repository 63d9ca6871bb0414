"""Several sources read as one: everything arrives after what caused it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.agents.claude.heads import line_order
from unbraid.agents.opencode.records import event_order, printed_order
from unbraid.read.tracks import LineOrder, Track, merge, split


def track(
    name: str, *lines: dict[str, object], dated: bool = True, many_conversations: bool = False
) -> Track:
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return Track(
        name, lambda: iter([data]), dated, order=line_order, many_conversations=many_conversations
    )


def at(second: int, name: str, **more: object) -> dict[str, object]:
    return {"uuid": name, "timestamp": f"2025-01-01T00:00:{second:02}.000Z"} | more


def order(*tracks: Track) -> list[str]:
    """The uuids of the lines as they come, each with its track's name."""
    return [f"{name}:{json.loads(line)['uuid']}" for name, line in merge(list(tracks))]


def test_dated_tracks_come_by_their_times() -> None:
    first = track("a", at(1, "1"), at(4, "4"))
    second = track("b", at(2, "2"), at(3, "3"))
    assert order(first, second) == ["a:1", "b:2", "b:3", "a:4"]


def test_a_tracks_own_order_is_never_changed() -> None:
    back = track("a", at(5, "1"), at(2, "2"), at(6, "3"))
    other = track("b", at(3, "x"), at(6, "y"))
    merged = order(back, other)
    assert [name for name in merged if name.startswith("a")] == ["a:1", "a:2", "a:3"]


def test_a_line_without_a_time_takes_its_twins() -> None:
    stdout = track("out", {"uuid": "1"}, {"uuid": "3"}, dated=False)
    files = track("file", at(1, "1"), at(2, "hidden"), at(3, "3"))
    assert order(stdout, files) == ["file:1", "out:1", "file:hidden", "file:3", "out:3"]


def test_a_line_without_twin_waits_for_the_next_that_has_one() -> None:
    stdout = track("out", {"uuid": "start"}, {"uuid": "3"}, {"uuid": "end"}, dated=False)
    files = track("file", at(1, "1"), at(3, "3"), at(9, "9"))
    assert order(stdout, files) == ["file:1", "out:start", "file:3", "out:3", "file:9", "out:end"]


def test_sidechains_in_one_file_are_put_in_order_each_in_its_own() -> None:
    root = [at(1, "r1", isSidechain=False), at(8, "r2", isSidechain=False)]
    one = [
        at(2, "a1", isSidechain=True, parentUuid=None),
        at(6, "a2", isSidechain=True, parentUuid="a1"),
    ]
    two = [
        at(3, "b1", isSidechain=True, parentUuid=None),
        at(4, "b2", isSidechain=True, parentUuid="b1"),
    ]
    file = track("f", *root, *one, *two, many_conversations=True)
    assert order(file, track("g", at(5, "x"))) == [
        "f:r1", "f:a1", "f:b1", "f:b2", "g:x", "f:a2", "f:r2",
    ]  # fmt: skip


@pytest.mark.parametrize("line", [b"junk\n", b"\n", b"[]\n", b'{"timestamp":[]}\n', b"\xff\n"])
def test_a_line_that_cannot_be_read_keeps_its_place(line: bytes) -> None:
    before, after = (json.dumps(at(n, str(n))).encode() + b"\n" for n in (1, 2))
    broken = Track("a", lambda: iter([before + line + after]), True, order=line_order)
    merged = [piece for _, piece in merge([broken, track("b", at(9, "9"))])]
    assert merged[:3] == [before, line, after]


@given(st.integers(), st.integers(1, 4))
def test_every_line_of_every_track_comes_once_in_its_tracks_order(seed: int, count: int) -> None:
    rng = random.Random(seed)

    def lines() -> Iterator[bytes]:
        for number in range(rng.randint(0, 8)):
            stamp = rng.choice([{}, at(rng.randint(0, 59), "")])
            yield json.dumps(stamp | {"uuid": rng.choice("abc"), "n": number}).encode() + b"\n"

    kept = [list(lines()) for _ in range(count)]
    tracks = [
        Track(str(n), lambda own=own: iter(own), rng.random() < 0.5, order=line_order)  # type: ignore[misc]
        for n, own in enumerate(kept)
    ]
    merged: dict[str, list[bytes]] = {str(n): [] for n in range(count)}
    for name, line in merge(tracks):
        merged[name].append(line)
    assert list(merged.values()) == kept


@given(st.lists(st.integers(0, 9), max_size=8), st.randoms(use_true_random=False))
def test_any_cut_of_the_bytes_gives_the_same_order(times: list[int], rng: random.Random) -> None:
    def cut(lines: list[dict[str, object]]) -> list[bytes]:
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        places = sorted(rng.sample(range(len(data) + 1), min(3, len(data))))
        return [data[a:b] for a, b in pairwise([0, *places, len(data)])]

    dated: list[dict[str, object]] = [at(second, str(n)) for n, second in enumerate(times)]
    printed: list[dict[str, object]] = [{"uuid": str(n)} for n in range(0, len(times), 2)]

    def order_of(files: list[bytes], stdout: list[bytes]) -> list[tuple[str, bytes]]:
        return list(
            merge(
                [
                    Track("out", lambda: iter(stdout), False, order=line_order),
                    Track("file", lambda: iter(files), True, order=line_order),
                ]
            )
        )

    whole = order_of([b"".join(cut(dated))], [b"".join(cut(printed))])
    assert order_of(cut(dated), cut(printed)) == whole


def part(number: int, *, kind: str = "tool_use") -> bytes:
    line = {"type": kind, "timestamp": 1000, "sessionID": "ses_1", "part": {"id": f"prt_{number}"}}
    return json.dumps(line).encode() + b"\n"


@pytest.mark.parametrize("beside", [False, True])
def test_parallel_calls_come_as_the_model_made_them(*, beside: bool) -> None:
    text = part(0, kind="text")
    lines = [part(3), part(2), text, part(5), part(4)]
    printed = Track("out", lambda: iter(lines), False, order=printed_order, in_turns=True)
    others = [Track("rows", lambda: iter(()), True)] if beside else []
    assert [line for _, line in merge([printed, *others])] == [
        part(2), part(3), text, part(4), part(5),
    ]  # fmt: skip


def event(name: str, **times: int) -> dict[str, object]:
    return {"type": name, "properties": {"part": {"id": name, "time": times}}}


def test_an_event_is_dated_by_what_it_is_about_only_if_that_is_new() -> None:
    events = [event("1", start=1000), event("2", start=3000), event("again", start=1000)]
    stored = [
        {"type": "row", "timestamp": 2000, "properties": {}},
        {"type": "later", "timestamp": 4000, "properties": {}},
    ]

    def track_of(name: str, lines: list[dict[str, object]], *, dated: bool) -> Track:
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        return Track(name, lambda: iter([data]), dated, order=event_order)

    merged = merge([track_of("events", events, dated=False), track_of("db", stored, dated=True)])
    assert [json.loads(line)["type"] for _, line in merged] == ["1", "row", "2", "later", "again"]


@given(st.lists(st.binary(max_size=6), max_size=6))
def test_splitting_loses_no_byte(chunks: list[bytes]) -> None:
    assert b"".join(split(chunks)) == b"".join(chunks)


def test_lines_without_a_time_are_held_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbraid.read.tracks.MAX_WAITING_BYTES", 100)
    taken: list[bytes] = []

    def undated() -> Iterator[bytes]:
        for number in range(1000):
            taken.append(b"undated %d\n" % number)
            yield taken[-1]

    dated = Track("d", lambda: iter([b"dated\n"]), dated=True, order=lambda line: LineOrder(at=5))
    merged = merge([Track("u", undated, dated=False), dated])
    taken.clear()
    first = next(merged)
    assert len(taken) < 1020  # all are looked at once for their keys, and few are held
    lines = [line for _, line in [first, *merged] if line != b"dated\n"]
    assert lines == [b"undated %d\n" % number for number in range(1000)]
