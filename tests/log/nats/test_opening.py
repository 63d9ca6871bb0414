"""Whom a log on NATS lets in, what it refuses, and when it gives up nodes that are away."""

from __future__ import annotations

import asyncio
import gc
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.nats_servers import NatsCluster
from tests.polling import until
from tests.ports import free_port
from unbraid.errors import CallerError
from unbraid.log import Log, LogUnusable, open_log
from unbraid.log.nats.connection import NatsConnection, NoAnswer, parse_address
from unbraid.log.nats.stream import log_settings
from unbraid.testing.log_contract import sample_run

pytestmark = pytest.mark.xdist_group("nats")


async def test_a_stream_with_other_settings_is_refused_with_what_to_change(
    one_node: NatsCluster, stream: str, tmp_path: Path
) -> None:
    url = one_node.url(stream, tmp_path / "x")
    address = parse_address(url)
    connection = await NatsConnection.open(address)
    settings = log_settings(stream, address.prefix, 1)
    # Each of these takes something away that was acknowledged, or the means not to.
    wrong = {"allow_atomic": False, "allow_rollup_hdrs": False, "compression": "s2"}
    wrong |= {"max_age": 3600 * 10**9, "discard": "old", "max_msgs": 9, "max_msgs_per_subject": 2}
    wrong |= {"storage": "memory", "subjects": ["other.*"]}
    await connection.ask(f"STREAM.CREATE.{stream}", settings | wrong)
    await connection.close()
    with pytest.raises(LogUnusable) as caught:
        await open_log(url)
    for name in wrong:
        assert name in str(caught.value)
    assert "edit it to none" in str(caught.value)
    assert "or upgrade nats-server" in str(caught.value)


async def test_one_copy_is_too_few_where_three_nodes_are(
    three_nodes: NatsCluster, stream: str, tmp_path: Path
) -> None:
    url = three_nodes.url(stream, tmp_path / "x")
    address = parse_address(url)
    connection = await NatsConnection.open(address)
    await connection.ask(f"STREAM.CREATE.{stream}", log_settings(stream, address.prefix, 1))
    await connection.close()
    with pytest.raises(LogUnusable, match="edit it to 3 replicas"):
        await open_log(url)


async def problem_of(log: Log) -> str:
    try:
        await log.check()
    except LogUnusable as error:
        return str(error)
    return ""


@asynccontextmanager
async def node_with_password(tmp_path: Path) -> AsyncIterator[NatsCluster]:
    more = 'authorization { users: [ { user: server, password: "s3cret" } ] }'
    with NatsCluster(tmp_path / "nats", more=more) as cluster:
        yield cluster


async def test_who_may_not_enter_learns_why_and_no_secret_is_shown(tmp_path: Path) -> None:
    async with node_with_password(tmp_path) as cluster:
        view = tmp_path / "view.db"
        log = await open_log(cluster.url("S", view, user="server:s3cret@"))
        await log.append("r", sample_run(["x"]))
        await log.close()
        for user in ("server:wr0ng@", ""):
            with pytest.raises(LogUnusable) as caught:
                await open_log(cluster.url("S", view, user=user))
            assert caught.value.reason == "refused"
            assert "wr0ng" not in str(caught.value)
        # Where others see command lines, the password is in a file.
        file = tmp_path / "password"
        url = cluster.url("S", view, user="server@", more=f"&password_file={file}")
        for text, mode, words in (
            (None, 0, "No such file"),
            ("s3cret", 0o644, "chmod 600"),
            ("wr0ng", 0o600, "wrong user, password"),
        ):
            if text is not None:
                file.write_text(text)
                file.chmod(mode)
            with pytest.raises(LogUnusable, match=words):
                await open_log(url)
        file.write_text("s3cret\n")
        log = await open_log(url)
        await log.close()
    with pytest.raises(LogUnusable) as caught:
        await open_log(cluster.url("S", view, user="server:s3cret@"))
    assert caught.value.reason == "away"
    assert "s3cret" not in str(caught.value)


# The client forgets to close a connection that is refused.
@pytest.mark.filterwarnings("ignore:unclosed <StreamWriter:ResourceWarning")
async def test_a_password_that_is_changed_meanwhile_is_the_reason_given(tmp_path: Path) -> None:
    async with node_with_password(tmp_path) as cluster, asyncio.timeout(60):
        log = await open_log(cluster.url("S", tmp_path / "view.db", user="server:s3cret@"))
        node = cluster.nodes[0]
        for before, after, words in (
            ("s3cret", "0ther", "wrong user, password"),
            ("0ther", "s3cret", "^$"),
        ):
            node.stop()
            node.edit(before, after)
            node.start()
            await until(lambda: problem_of(log), re.compile(words).search)
        await log.append("r", sample_run(["x"]))
        await log.close()
    gc.collect()


RIGHTS = """
accounts {
    UNBRAID { jetstream: enabled, users: [
        { user: server, password: "s3cret" }
        { user: viewer, password: "s3cret", permissions: {
            publish: ["$JS.API.STREAM.INFO.>"], subscribe: ["_INBOX.>"] } }
        { user: deaf, password: "s3cret", permissions: { publish: [">"], subscribe: ["x"] } }
    ] }
    OTHER { users: [ { user: other, password: "s3cret" } ] }
}
"""


async def test_who_lacks_a_right_learns_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody waits for it as for nodes that are starting.
    monkeypatch.setattr("unbraid.log.nats.stream.NATS_PLACEMENT_SECONDS", 3600)
    with NatsCluster(tmp_path / "nats", more=RIGHTS) as cluster:
        for user, words in (
            ("other", "JetStream not enabled for account"),
            ("viewer", 'permissions violation for publish to "\\$js.api.stream.create.s"'),
            ("deaf", 'permissions violation for subscription to "_inbox'),
        ):
            url = cluster.url("S", tmp_path / f"{user}.db", user=f"{user}:s3cret@")
            with pytest.raises(LogUnusable, match=words) as caught:
                await open_log(url)
            assert "s3cret" not in str(caught.value)


async def test_nodes_that_are_away_are_given_up_at_any_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The client tries again and again, and may be anywhere when it is told to end."""

    async def opened_for(seconds: float) -> None:
        address = parse_address(f"nats://127.0.0.1:{free_port()}/X")
        monkeypatch.setattr("unbraid.log.nats.connection.NATS_OPEN_TIMEOUT_SECONDS", seconds)
        with pytest.raises(LogUnusable):
            await NatsConnection.open(address)

    async with asyncio.timeout(30):
        await asyncio.gather(*(opened_for(0.05 + number / 1000) for number in range(200)))


async def test_whoever_waits_asks_again_when_the_connection_is_gone(tmp_path: Path) -> None:
    """The answer went to the node that was stopped: waiting for it would be in vain."""
    with NatsCluster(tmp_path / "nats") as cluster:
        address = parse_address(cluster.url("S", tmp_path / "x"))
        silent, connection = [await NatsConnection.open(address) for _ in range(2)]
        asked = asyncio.Event()

        async def note(message: object) -> None:
            asked.set()

        await silent.client.subscribe("question", cb=note)
        await silent.client.flush()
        asking = asyncio.create_task(connection.request("question", seconds=3600))
        await asked.wait()
        cluster.nodes[0].stop()
        async with asyncio.timeout(30):
            with pytest.raises(NoAnswer):
                await asking
        await silent.close()
        await connection.close()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nats://me:s3cret@10.0.0.1/X", "give tls://"),
        ("nats://me:s3cret@", "hosts of its nodes"),
        ("nats://127.0.0.1/a/b", "name of a stream"),
        ("nats://127.0.0.1/X?colour=red", "unknown option 'colour'"),
    ],
)
async def test_odd_addresses_are_refused(url: str, words: str) -> None:
    with pytest.raises(CallerError, match=words) as caught:
        await open_log(url)
    assert "s3cret" not in str(caught.value)


def test_an_address_says_all_there_is() -> None:
    address = parse_address("tls://me:p%40ss@a,b:1,c:4223/LOG?tls_ca=ca.pem&view=v.db")
    assert address.hosts == ("a:4223", "b:1", "c:4223")
    assert (address.user, address.password, address.tls) == ("me", "p@ss", True)
    assert (address.stream, address.prefix, address.tls_ca) == ("LOG", "log", "ca.pem")
    assert address.shown == "tls://a:4223,b:1,c:4223/LOG"
    assert parse_address("nats://localhost").stream == "UNBRAID"
