"""Each way to a person, with a real receiver at its end; and nothing of an agent acts there."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from pathlib import Path

import pytest

from tests.polling import until
from tests.send.alerts.receiver import receiving
from unbraid.fold.alerts.monitor import AlertItem, AlertMessage
from unbraid.fold.alerts.rules import Receiver
from unbraid.send.senders import AppriseSender, DeliveryError, sender_of, terminal_call

HOSTILE = "$(touch owned); `touch owned`; <b>bold</b> -x"
ITEM = AlertItem(
    when="failed",
    run="r1",
    agent="main",
    stream_id=0,
    kind="claude",
    folder="/srv",
    title=HOSTILE,
    detail="",
    since=1,
    cost_usd=0.5,
)
MESSAGE = AlertMessage(HOSTILE, f"{HOSTILE}\nline", [ITEM])


def closed_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


async def test_a_command_finds_the_message_around_it_and_never_in_it(tmp_path: Path) -> None:
    command = f'cd {tmp_path} && cat > stdin && printf %s "$UNBRAID_ALERT_TITLE" > title'
    command += ' && printf %s "$UNBRAID_ALERT_BODY" > body'
    env = {"PATH": "/usr/bin:/bin", "UNBRAID_TOKEN": "secret"}
    await sender_of(Receiver("x", command=command), env)(MESSAGE)
    assert (tmp_path / "title").read_text() == MESSAGE.title
    assert (tmp_path / "body").read_text() == MESSAGE.body
    given = json.loads((tmp_path / "stdin").read_text())
    assert given["alerts"][0]["run"] == "r1"
    assert not (tmp_path / "owned").exists()


async def test_a_command_that_fails_says_so_without_itself() -> None:
    with pytest.raises(DeliveryError) as failed:
        await sender_of(Receiver("x", command="exit 7 # sk-secret"), {})(MESSAGE)
    assert str(failed.value) == "the command ended with exit code 7"


async def test_a_command_that_hangs_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unbraid.send.senders.ALERT_SEND_TIMEOUT_SECONDS", 0.5)
    child = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))"
    command = f'{sys.executable} -c "{child}; time.sleep(600)" & sleep 600'
    with pytest.raises(DeliveryError, match="timed out"):
        await sender_of(Receiver("x", command=command), {})(MESSAGE)
    if pid := await asyncio.to_thread(_text, tmp_path / "pid"):
        await until(lambda: not _is_alive(pid))


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _is_alive(pid: str) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except OSError:
        return False


async def test_a_webhook_gets_the_message_as_json_with_its_headers() -> None:
    with receiving() as got:
        hook = Receiver("x", webhook=f"{got.url}/hook?key=1", headers={"Authorization": "Bearer k"})
        await sender_of(hook, {})(MESSAGE)
    (taken,) = got.taken
    assert taken.path == "/hook?key=1"
    assert taken.headers["Authorization"] == "Bearer k"
    assert taken.headers["Content-Type"] == "application/json"
    sent = json.loads(taken.body)
    assert (sent["title"], sent["alerts"][0]["when"]) == (HOSTILE, "failed")


@pytest.mark.parametrize(
    ("status", "is_final"), [(500, False), (429, False), (404, True), (302, True)]
)
async def test_a_webhook_that_refuses(status: int, is_final: bool) -> None:
    with receiving() as got:
        got.answers = [status]
        with pytest.raises(DeliveryError) as failed:
            await sender_of(Receiver("x", webhook=f"{got.url}/sk-secret"), {})(MESSAGE)
    assert (str(failed.value), failed.value.is_final) == (f"the server answered {status}", is_final)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{}/sk-secret", "http://sk-secret:{}:x/", "http://[sk-secret"]
)
async def test_a_webhook_that_is_down_is_no_secret_spilled(url: str) -> None:
    with pytest.raises(DeliveryError) as failed:
        await sender_of(Receiver("x", webhook=url.format(closed_port())), {})(MESSAGE)
    assert "sk-secret" not in str(failed.value)
    assert not failed.value.is_final


async def test_an_ntfy_server_gets_it_by_apprise() -> None:
    with receiving() as got:
        url = f"ntfy://tk_secret@127.0.0.1:{got.port}/agents?auth=token"
        await sender_of(Receiver("phone", url=url), {})(MESSAGE)
    (taken,) = got.taken
    sent = json.loads(taken.body)
    assert (sent["topic"], sent["title"], sent["message"]) == ("agents", HOSTILE, MESSAGE.body)


async def test_apprise_reports_failures_without_addresses(
    capfd: pytest.CaptureFixture[str],
) -> None:
    down = AppriseSender(f"ntfy://tk_secret@127.0.0.1:{closed_port()}/agents")
    with pytest.raises(DeliveryError) as failed:
        await down.send(MESSAGE)
    assert str(failed.value) == "the service rejected it"
    with pytest.raises(DeliveryError) as unknown:
        await AppriseSender("nosuch://tk_secret").send(MESSAGE)
    assert unknown.value.is_final and "secret" not in str(unknown.value)
    assert "secret" not in "".join(capfd.readouterr())


async def test_without_apprise_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    with pytest.raises(DeliveryError, match=r"unbraid\[notify\]") as failed:
        await AppriseSender("ntfy://x").send(MESSAGE)
    assert failed.value.is_final


async def test_the_desktop_shows_words_and_no_markup(tmp_path: Path) -> None:
    program = tmp_path / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/shown\n')
    program.chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    await sender_of(Receiver("desktop"), env)(MESSAGE)
    shown = (tmp_path / "shown").read_text().splitlines()
    assert shown[1:3] == ["--", HOSTILE]
    assert "&lt;b&gt;" in shown[3]
    with pytest.raises(DeliveryError, match="`notify-send` is not installed"):
        await sender_of(Receiver("desktop"), {"PATH": "/nowhere"})(MESSAGE)


def test_a_terminal_is_called_with_plain_words_only() -> None:
    hostile = AlertMessage("4;1;50\x1b\\\x07\x9c\x1b]52;c;eA==\x07 x", "", [])
    call = terminal_call(hostile)
    assert call.startswith("\x1b]9;unbraid: 4;1;50") and call.endswith("\x07\x07")
    inner = call[len("\x1b]9;") : -2]
    assert all(ord(letter) >= 0x20 and not 0x7F <= ord(letter) < 0xA0 for letter in inner)
