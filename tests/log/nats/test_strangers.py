"""What others put into the log's stream: whoever has a credential may, and nobody is stopped."""

from __future__ import annotations

import asyncio
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

import unbraid.log.replicated.journal as record_module
from tests.nats_servers import NatsCluster
from tests.polling import until
from unbraid.events import encode
from unbraid.log import LogUnusable, open_log, opened_log
from unbraid.log.nats.connection import NatsConnection, parse_address
from unbraid.log.nats.stream import ID, PARTS, run_subject
from unbraid.log.replicated.copy import MAX_EVENTS
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.log.summary import RunSummary
from unbraid.read.chunk import Chunk
from unbraid.testing.sample_runs import sample_run

pytestmark = pytest.mark.xdist_group("nats")

OURS = {ID: "x.1"}
LARGEST = 1 << 20


def packed(*fields: Any) -> bytes:
    return b"\x00" + msgspec.msgpack.encode(fields)


def strange_messages() -> list[tuple[dict[str, str], bytes]]:
    """Returns messages that are no records, or none that can be applied."""
    event = encode(sample_run(["x"])[2])
    summary = msgspec.json.encode(RunSummary("another"))
    many = [b"{}"] * (MAX_EVENTS + 1)
    bomb = zlib.compress(b"\x00" * 2 * LARGEST)
    deep = b"[" * 100_000 + b"]" * 100_000
    return [
        ({}, b""),
        ({}, b"hello"),
        ({}, packed(2, "append")),
        (OURS, b""),
        (OURS, b"\x00hello"),
        (OURS, b"\x01hello"),
        (OURS, b"\x01" + bomb),
        (OURS, packed(1, "other")),
        (OURS, packed(1, "append", [event])),
        (OURS, packed(1, "append", many)),
        (OURS, packed(1, "append", [], {"out": 2**63})),
        (OURS, packed(1, "append", [], {"out": -1})),
        (OURS, packed(1, "append", [], {}, [["out", 2**64 - 1, b"x"]])),
        (OURS, packed(1, "append", [encode(sample_run(["x"])[1]).replace(b'"seq":2', b'"seq":4')])),
        (OURS, packed(1, "append", [event.replace(b'"x"', b'"\xff"')])),
        (OURS, packed(1, "append", [event[:-1] + b',"more":' + deep + b"}"])),
        (OURS, packed(1, "append", [], {"out": 1}).replace(b"out", b"\xff\xfeo")),
        (OURS, b"\x00\x97\x01\xa6append\x90\x80\x90\xc4\x00" + b"\x91" * 100_000 + b"\x90"),
        (OURS, packed(1, "cut", [], {}, [], summary.replace(b"another", b"an\xffther"))),
        (OURS, packed(1, "cut", [], {}, [], summary[:-1] + b',"more":' + deep + b"}")),
        (OURS, packed(1, "cut", [], {}, [], b"no summary")),
        (OURS, packed(1, "cut", [], {}, [], summary)),
        (OURS | {PARTS: "x/y"}, b"\x00?"),
        (OURS | {PARTS: "0/0"}, b"\x00?"),
        (OURS | {PARTS: "2/3"}, b"\x00?"),
        (OURS | {PARTS: "1/99999999999"}, b"\x00?"),
        (OURS | {PARTS: "1/3"}, b"\x00?"),
    ]


async def publish_raw(cluster: NatsCluster, subject: bytes) -> None:
    """Publishes to a subject that no client would."""
    host, _, port = cluster.addresses[0].partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"CONNECT {}\r\nPUB " + subject + b" 1\r\n?\r\nPING\r\n")
    await reader.readuntil(b"PONG")
    writer.close()
    await writer.wait_closed()


async def test_what_is_no_record_is_skipped_by_all_and_its_run_goes_on(
    one_node: NatsCluster, stream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_module, "MAX_RECORD_BYTES", LARGEST)
    url = one_node.url(stream, tmp_path / "one.db")
    address = parse_address(url)
    connection = await NatsConnection.open(address)
    strange, events = strange_messages(), sample_run([str(number) for number in range(40)])
    async with opened_log(url) as log:
        assert isinstance(log, ReplicatedLog)
        subject = run_subject(address.prefix, "r")
        at = 0
        for event, (headers, data) in zip(events, strange, strict=False):
            chunk = Chunk("out", at, b"0123456789")
            at += len(chunk.data)
            # It knows nothing of what came in between, and has to find its place.
            answer = await log.append("r", [event], chunks=[chunk], offsets={"out": at})
            assert answer.last_seq == event.seq
            await connection.request(subject, data, headers=headers)
        for name in ("*", "é", "a=b=", "x" * 200):
            await connection.request(run_subject(address.prefix, name), b"\x00?", headers=OURS)
        await publish_raw(one_node, f"{address.prefix}.run.".encode() + b"\xff\xfe")
        await log.append("r", events[len(strange) :])
        assert [entry.seq for entry in await log.read("r")] == [each.seq for each in events]
        assert await log.offsets("r") == {"out": at}
        async with opened_log(one_node.url(stream, tmp_path / "two.db")) as late:
            assert isinstance(late, ReplicatedLog)
            await late.settle()
            assert await late.read_all() == await log.read_all()
            assert [run.run for run in await late.runs()] == ["r"]
        found = {each.about: each for each in await log.checkup()}
        assert f"{len(strange) + 5} skipped" in found["records"].found
    await connection.close()


async def test_a_record_of_a_newer_unbraid_stops_an_older_one(
    one_node: NatsCluster, stream: str, tmp_path: Path
) -> None:
    url = one_node.url(stream, tmp_path / "one.db")
    address = parse_address(url)
    connection = await NatsConnection.open(address)
    event = encode(sample_run(["x"])[2]).replace(b'"type":"text"', b'"type":"telepathy"')
    newer = (packed(2, "append"), b"\x07?", packed(1, "append", [event]))
    for number, record in enumerate(newer):
        url = one_node.url(f"{stream}{number}", tmp_path / f"{number}.db")
        log = await open_log(url)
        assert isinstance(log, ReplicatedLog)
        subject = run_subject(parse_address(url).prefix, "r")
        await connection.request(subject, record, headers=OURS)
        with pytest.raises(LogUnusable, match="upgrade"):
            await until(log.check, lambda _: False, seconds=10)
        await log.close()
    await connection.close()
