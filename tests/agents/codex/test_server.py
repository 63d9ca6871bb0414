"""`codex exec` as an app-server does it: the command, the conversation and what is printed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.block_rows import FOLDERS
from tests.polling import until
from unbraid.agents.codex.app_server import Approvals, server_message
from unbraid.agents.codex.controller import CodexController
from unbraid.agents.codex.dialect.approvals import approval_id
from unbraid.agents.codex.exec import ExecRenderer, ServedExec, served_exec
from unbraid.agents.port import RunReference
from unbraid.errors import CallerError

ROOT = "01a1e370-0000-7000-8000-000000000001"
CHILD = "01a1e370-0001-7000-8000-000000000002"


class PlayedServer:
    """Takes what is written to it; the test answers."""

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []
        self.listens = True
        self.signals: list[int] = []

    def write(self, data: bytes) -> None:
        self.written += [json.loads(line) for line in data.splitlines()]

    def end_input(self) -> None:
        self.listens = False

    def send_signal(self, number: int) -> None:
        self.signals.append(number)


class Talked:
    """A controller with a server that is played."""

    def __init__(self, served: ServedExec) -> None:
        self.server = PlayedServer()
        self.controller = CodexController(self.server, RunReference(self._agent_id), served)

    async def _agent_id(self, stream_id: int) -> str | None:
        return {1: CHILD}.get(stream_id)

    def says(self, **message: Any) -> None:
        self.controller.printed(json.dumps(message).encode())

    def answers(self, method: str, **result: Any) -> None:
        """Answers the last request, which is to be of this method."""
        asked = self.server.written[-1]
        assert asked["method"] == method
        self.says(id=asked["id"], **result)

    def turn(self, what: str, turn: str = "t1", thread: str = ROOT) -> None:
        self.says(method=f"turn/{what}", params={"threadId": thread, "turn": {"id": turn}})

    def begin(self) -> None:
        """The server up to its first turn."""
        self.answers("initialize", result={})
        assert self.server.written[-2] == {"method": "initialized"}
        name = (
            "thread/resume" if "threadId" in self.server.written[-1]["params"] else "thread/start"
        )
        self.answers(name, result={"thread": {"id": ROOT}})
        self.answers("turn/start", result={"turn": {"id": "t1"}})
        self.turn("started")


def given(message: dict[str, Any]) -> str:
    return str(message["params"]["input"][0]["text"])


UNCHECKED = "--skip-git-repo-check"


@pytest.mark.parametrize(
    ("args", "want"),
    [
        (["exec", UNCHECKED, "Go."], {"cwd": "/x"}),
        (
            ["exec", UNCHECKED, "--json", "-m", "some", "-C", "/y", "Go."],
            {"cwd": "/y", "model": "some"},
        ),
        (
            ["-s", "read-only", "exec", UNCHECKED, "--", "Go."],
            {"cwd": "/x", "sandbox": "read-only"},
        ),
        (
            ["exec", "--full-auto", UNCHECKED, "--color=never", "Go."],
            {"cwd": "/x", "sandbox": "workspace-write", "approvalPolicy": "on-request"},
        ),
        (
            ["exec", "--yolo", "Go."],
            {"cwd": "/x", "sandbox": "danger-full-access", "approvalPolicy": "never"},
        ),
    ],
)
def test_a_command_becomes_a_thread(args: list[str], want: dict[str, Any]) -> None:
    served = served_exec(args, "/x")
    assert isinstance(served, ServedExec)
    assert (served.thread, served.prompt) == (want, "Go.")
    assert served.prints_json == ("--json" in args)
    assert served.argv(["npx", "codex"]) == ["npx", "codex", "app-server"]


def test_options_of_the_server_and_a_resumed_thread() -> None:
    args = ["exec", UNCHECKED, "-c", "a=1", "--enable=x", "resume", ROOT, "Go."]
    served = served_exec(args, "/x")
    assert isinstance(served, ServedExec)
    assert served.argv(["codex"]) == ["codex", "app-server", "--config", "a=1", "--enable", "x"]
    assert served.resumed == ROOT


async def test_images_the_form_of_the_answer_and_where_it_is_written(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "object"}')
    more = ["--output-schema", str(schema), "-o", str(tmp_path / "said"), "-i", "a.png,b.png", "c"]
    served = served_exec(["exec", UNCHECKED, *more, "--", "Go."], "/x")
    assert isinstance(served, ServedExec)
    talk = Talked(served)
    talk.begin()
    asked = talk.server.written[-1]["params"]
    assert asked["outputSchema"] == {"type": "object"}
    paths = [each.get("path") for each in asked["input"]]
    assert paths == ["/x/a.png", "/x/b.png", "/x/c", None]
    assert asked["input"][-1]["text"] == "Go."
    renderer = ExecRenderer(print, prints_json=True, answer_path=served.answer_path)
    renderer.line(json.dumps({"id": 2, "result": {"thread": {"id": ROOT}}}).encode())
    item = {"type": "agentMessage", "id": "m", "text": "Gone."}
    about = {"threadId": ROOT, "item": item}
    renderer.line(json.dumps({"method": "item/completed", "params": about}).encode())
    assert renderer.end() == b""
    assert (tmp_path / "said").read_text() == "Gone."


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ([], "only `codex exec PROMPT`"),
        (["Go."], "only `codex exec PROMPT`"),
        (["exec"], "one argument"),
        (["exec", "-"], "an argument"),
        (["exec", "review"], "no `review`; ask for it with `codex exec PROMPT`"),
        (["review"], "no `review`; ask"),
        (["fork", ROOT], "no `fork`; continue the thread with `codex exec resume ID PROMPT`"),
        (["fork", "--last"], "does not take --last; name the thread by its id"),
        (["exec", "resume", "--last", "Go."], "does not take --last; name the thread by its id"),
        (["exec", "resume", ROOT], "by its id, as in `unbraid ps --all`, and give a prompt"),
        (["exec", "--output-schema", "file", "Go."], "file is no JSON file"),
        (["exec", "-p", "some", "Go."], "does not take -p; give the profile's settings with -c"),
        (["exec", "Go.", "and", "go"], "one argument"),
        (["exec", "Go."], "Git repository"),
    ],
)
def test_what_is_not_understood_runs_as_it_is(args: list[str], reason: str) -> None:
    assert reason in str(served_exec(args, "/x"))


def test_a_folder_is_checked_as_exec_checks_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "below").mkdir()
    assert isinstance(served_exec(["exec", "Go."], str(tmp_path / "below")), ServedExec)
    assert isinstance(served_exec(["exec", "-C", str(tmp_path), "Go."], "/x"), ServedExec)


async def test_it_ends_when_it_has_answered() -> None:
    talk = Talked(ServedExec(prompt="Go."))
    talk.begin()
    assert given(talk.server.written[-1]) == "Go."
    talk.turn("completed", thread=CHILD)
    assert talk.server.listens
    talk.turn("completed")
    assert not talk.server.listens
    assert talk.controller.verbs() == ["cancel"]
    with pytest.raises(CallerError, match="has answered"):
        await talk.controller.message("More.")


async def test_sub_agents_that_are_still_at_work_are_broken_off_at_the_end() -> None:
    """As `exec` does it: they are interrupted, not lost."""
    talk = Talked(ServedExec(prompt="Go."))
    talk.begin()
    talk.turn("started")
    talk.turn("started", "t2", CHILD)
    talk.turn("completed")
    assert talk.server.listens
    talk.answers("turn/interrupt", result={})
    assert talk.server.written[-1]["params"] == {"threadId": CHILD, "turnId": "t2"}
    talk.turn("completed", "t2", CHILD)
    assert not talk.server.listens
    assert talk.server.signals == []
    talk.controller.close()


async def test_a_message_that_the_turn_does_not_take_begins_the_next() -> None:
    talk = Talked(ServedExec(prompt="Go."))
    await talk.controller.message("Before it has begun.")
    talk.begin()
    await talk.controller.message("While it works.")
    # The turn is over before the message is refused: it has to be said all the same.
    talk.turn("completed")
    assert given(talk.server.written[-1]) == "Before it has begun."
    refused = next(x for x in talk.server.written if x["method"] == "turn/steer")
    assert refused["params"]["expectedTurnId"] == "t1"
    talk.says(id=refused["id"], error={"code": -1, "message": "no active turn"})
    talk.answers("turn/start", result={})
    talk.turn("started", "t2")
    talk.turn("completed", "t2")
    assert given(talk.server.written[-1]) == "While it works."
    assert talk.server.listens


async def test_who_interrupts_has_more_to_say() -> None:
    talk = Talked(ServedExec(prompt="Go."))
    with pytest.raises(CallerError, match="not working"):
        await talk.controller.interrupt()
    talk.begin()
    await talk.controller.interrupt()
    talk.answers("turn/interrupt", result={})
    talk.turn("completed")
    assert talk.server.listens
    await talk.controller.message("Go on.")
    assert given(talk.server.written[-1]) == "Go on."


async def test_one_agent_is_stopped_if_it_works() -> None:
    talk = Talked(ServedExec(prompt="Go."))
    talk.begin()
    with pytest.raises(CallerError, match="not working"):
        await talk.controller.stop(1)
    with pytest.raises(CallerError, match="not known"):
        await talk.controller.stop(2)
    talk.turn("started", "t9", CHILD)
    await talk.controller.stop(1)
    assert talk.server.written[-1]["params"] == {"threadId": CHILD, "turnId": "t9"}


async def test_a_message_to_one_agent_is_taken_or_refused() -> None:
    talk = Talked(ServedExec(prompt="Go."))
    talk.begin()
    talk.turn("started", "t9", CHILD)
    taken: dict[str, Any] = {"result": {}}
    refused: dict[str, Any] = {"error": {"code": -1, "message": "not allowed"}}
    for reply in (taken, refused):
        asked = len(talk.server.written)
        sent = asyncio.ensure_future(talk.controller.message_agent(1, "Faster."))
        await until(lambda: talk.server.written[asked:])  # noqa: B023 - ended before the next turn
        assert talk.server.written[-1]["params"]["threadId"] == CHILD
        talk.answers("turn/steer", **reply)
        if "result" in reply:
            await sent
        else:
            with pytest.raises(CallerError, match="not allowed"):
                await sent


async def test_a_run_that_is_ended_ends_its_turn_first() -> None:
    talk = Talked(ServedExec(prompt="Go."))
    talk.begin()
    await talk.controller.cancel()
    talk.answers("turn/interrupt", result={})
    talk.turn("completed")
    assert not talk.server.listens
    assert talk.server.signals == []
    await talk.controller.cancel()
    assert len(talk.server.signals) == 1
    talk.controller.close()


async def test_permission_is_shown_and_given() -> None:
    talk = Talked(ServedExec(prompt="Go."))
    talk.begin()
    changes = [{"path": "a", "kind": {"type": "add"}, "diff": "+a"}]
    item = {"type": "fileChange", "id": "c1", "changes": changes}
    talk.says(method="item/started", params={"threadId": ROOT, "item": item})
    about = {"threadId": ROOT, "turnId": "t1", "itemId": "c1", "reason": "May I?"}
    talk.says(id=0, method="item/fileChange/requestApproval", params=about)
    request_id = approval_id(ROOT, 0)
    with pytest.raises(CallerError, match="not a valid answer"):
        await talk.controller.answer(request_id, "perhaps", None)
    await talk.controller.answer(request_id, "deny", "Not that one.")
    answer, reason = talk.server.written[-2:]
    assert answer == {"id": 0, "result": {"decision": "decline"}}
    assert (reason["method"], given(reason)) == ("turn/steer", "Not that one.")
    with pytest.raises(CallerError, match="no pending"):
        await talk.controller.answer(request_id, "allow", None)


def test_more_rights_are_given_as_they_were_asked_for() -> None:
    wanted = {"network": {"enabled": True}}

    def asked(number: int) -> bytes:
        return json.dumps(
            {
                "id": number,
                "method": "item/permissions/requestApproval",
                "params": {"threadId": ROOT, "itemId": "c1", "permissions": wanted},
            }
        ).encode()

    approvals = Approvals()
    for number, allow in enumerate((True, False)):
        message = server_message(asked(number))
        assert message is not None
        assert approvals.read(message) is None
        (name,) = approvals.waiting
        answer = json.loads(approvals.pop(name).answer(allow=allow))
        assert answer == {"id": number, "result": {"permissions": wanted if allow else {}}}


def test_requests_of_two_servers_have_different_names() -> None:
    names = set()
    for thread in (ROOT, CHILD):
        approvals = Approvals()
        about = {"threadId": thread, "itemId": "c1", "command": "rm x"}
        line = {"id": 0, "method": "item/commandExecution/requestApproval", "params": about}
        message = server_message(json.dumps(line).encode())
        assert message is not None
        approvals.read(message)
        names |= set(approvals.waiting)
    assert len(names) == 2


def test_what_nobody_can_answer_is_refused() -> None:
    line = {"id": "q", "method": "item/tool/requestUserInput", "params": {"threadId": ROOT}}
    message = server_message(json.dumps(line).encode())
    assert message is not None
    refused = Approvals().read(message)
    assert refused is not None
    assert json.loads(refused)["error"]["message"] == "unbraid cannot answer this"


def test_a_server_that_cannot_begin_is_ended() -> None:
    talk = Talked(ServedExec(prompt="Go.", resumed=ROOT))
    talk.answers("initialize", result={})
    talk.answers("thread/resume", error={"code": -1, "message": "no rollout found"})
    assert not talk.server.listens
    shown: list[str] = []
    renderer = ExecRenderer(shown.append, prints_json=False)
    assert renderer.line(b'{"id":2,"error":{"code":-1,"message":"no rollout found"}}') == b""
    assert (renderer.end(), shown, renderer.exit_code(0)) == (b"", ["no rollout found"], 1)


def test_only_the_main_agent_is_printed() -> None:
    (folder,) = [
        each for each in FOLDERS if each.name == "child-permission.app-server.codex-0.166.0"
    ]
    renderer = ExecRenderer(pytest.fail, prints_json=False)
    lines = (folder / "app-server.ndjson").read_bytes().splitlines()
    assert b"".join(map(renderer.line, lines)) == b""
    assert renderer.end() == b"It asked.\n"
    assert renderer.exit_code(0) == 0
    printed = ExecRenderer(pytest.fail, prints_json=True)
    records = [json.loads(text) for line in lines for text in printed.line(line).splitlines()]
    assert [
        r["item"]["text"] for r in records if r.get("item", {}).get("type") == "agent_message"
    ] == [
        "A helper that must ask.",
        "It asked.",
    ]
