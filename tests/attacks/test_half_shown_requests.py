"""Attack: a permission request that does not say what it would allow, so that no card shows it.

OpenCode asks for `bash` with patterns at best, and for the tool of an MCP server with nothing at
all; Codex asks for changes of files that it has named before. What is approved is the call, so its
input is shown with the request, in the log and to whoever answers: page, `top` and `approve` alike.
What the request itself says counts more than what an agent gave the call beside it.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.block_rows import RECORDINGS
from unbraid import Translator
from unbraid.agents.codex.app_server import Approvals, server_message
from unbraid.agents.control_port import UnknownRequest
from unbraid.agents.opencode.dialect import request_input
from unbraid.agents.opencode.server import ServerController
from unbraid.events import PermissionAsked
from unbraid.fold.pipeline import Pipeline
from unbraid.log import MemoryLog
from unbraid.steer.permissions import open_requests

RECORDED = RECORDINGS / "permission.serve.opencode-1.2.27" / "event.sse"
SESSION = "ses_e218d0553ffenRMvtXOpA5X45Y"


class Nobody:
    async def call(self, method: str, path: str, body: Any = None) -> Any:
        raise AssertionError("nothing is to be sent")


def asked_in(lines: list[bytes]) -> list[Any]:
    """The inputs of the requests that these lines hold."""
    translator = Translator()
    output = [each for line in lines for each in translator.feed(line)] + translator.finish()
    return [event.input for event in output if isinstance(event, PermissionAsked)]


def line(kind: str, **properties: Any) -> bytes:
    return json.dumps({"type": kind, "properties": properties}).encode() + b"\n"


def call(call_id: str, status: str, given: Any, tool: str = "deploy_run") -> bytes:
    state = {"status": status, "input": given, "output": "x", "time": {"start": 1, "end": 2}}
    ids = {"id": f"prt_{call_id}", "messageID": "msg_1", "sessionID": SESSION}
    part = {**ids, "type": "tool", "callID": call_id, "tool": tool, "state": state}
    return line("message.part.updated", part=part)


def request(call_id: str, **more: Any) -> bytes:
    about = {"id": "per_1", "sessionID": SESSION, "permission": "deploy_run", "metadata": {}}
    tool = {"messageID": "msg_1", "callID": call_id}
    return line("permission.asked", **{**about, "patterns": ["*"], "tool": tool, **more})


def test_the_command_of_a_real_request_is_shown() -> None:
    lines = RECORDED.read_bytes().splitlines(keepends=True)
    assert b'"permission":"bash","patterns":["touch allowed.txt"],"metadata":{}' in b"".join(lines)
    first, second = asked_in(lines)
    assert first["command"] == "touch allowed.txt"
    assert "+no" in second["diff"]


def test_the_tool_of_an_mcp_server_is_shown_with_its_input() -> None:
    given = {"target": "production", "force": True}
    lines = [line("session.created", info={"id": SESSION}), call("c1", "running", given)]
    lines.append(request("c1"))
    expected = {**given, "patterns": ["*"]}
    assert asked_in(lines) == [expected]


def test_a_plugin_brings_the_input_with_the_request() -> None:
    lines = [request("c1", unbraidInput={"target": "production"})]
    expected = {"target": "production", "patterns": ["*"]}
    assert asked_in([line("session.created", info={"id": SESSION}), *lines]) == [expected]


def test_what_the_request_says_counts_more_than_the_agent() -> None:
    asked = {"metadata": {"filepath": "/home/me/.bashrc", "diff": "+evil"}, "patterns": [".bashrc"]}
    called = {"filePath": "a", "diff": "+harmless", "patterns": ["a"], "filepath": "a"}
    shown = request_input(asked, called)
    assert shown == {**called, **asked["metadata"], "patterns": [".bashrc"]}  # type: ignore[dict-item]


@pytest.mark.parametrize("given", ["text", ["a", "list"], 7, None])
def test_an_input_that_is_no_object_is_shown(given: Any) -> None:
    lines = [line("session.created", info={"id": SESSION}), call("c1", "running", given)]
    (shown,) = asked_in([*lines, request("c1", metadata="odd")])
    assert shown == {
        "metadata": "odd",
        "patterns": ["*"],
        **({} if given is None else {"input": given}),
    }


async def test_a_second_request_of_the_same_name_does_not_change_what_is_shown() -> None:
    pipeline, log = Pipeline(), MemoryLog()
    lines = [line("session.created", info={"id": SESSION})]
    lines += [request("c1", metadata={"command": "rm -rf ~"})]
    lines += [request("c2", metadata={"command": "ls"})]
    await log.append("r", [event for each in lines for event in pipeline.feed(each)])
    (shown,) = (await open_requests(log, ["r"])).requests
    assert shown.input["command"] == "rm -rf ~"


async def test_nested_deeper_than_anyone_reads_it_stops_nobody() -> None:
    controller = ServerController(Nobody(), SESSION)
    deep = b"[" * 100_000 + b"]" * 100_000
    asked = request("c1", metadata="DEEP").replace(b'"DEEP"', deep)
    assert controller.permission_event(asked) == asked
    # It cannot be answered here: nobody would know what.
    with pytest.raises(UnknownRequest):
        await controller.answer("per_1", "allow", None)


def test_changes_of_files_and_new_rights_are_shown_by_codex() -> None:
    root = "01a1e371-c70c-72f2-9573-2f0c4426f9f3"
    changes = [{"path": "/home/me/.bashrc", "kind": {"type": "update"}, "diff": "+evil"}]
    item = {"type": "fileChange", "id": "c1", "changes": changes, "status": "inProgress"}
    about = {"threadId": root, "turnId": "t", "itemId": "c1", "startedAtMs": 1, "kind": "x"}
    asked = {"reason": "May I?", "grantRoot": "/", "laterAddition": {"network": True}}
    lines: list[dict[str, Any]] = [
        {"method": "thread/started", "params": {"thread": {"id": root, "cwd": "/w"}}},
        {"method": "turn/started", "params": {"threadId": root, "turn": {"id": "t"}}},
        {"method": "item/started", "params": {"threadId": root, "turnId": "t", "item": item}},
        {"method": "item/fileChange/requestApproval", "id": 0, "params": {**about, **asked}},
    ]
    expected = {**asked, "changes": changes}
    written = [json.dumps(each).encode() + b"\n" for each in lines]
    assert asked_in(written) == [expected]
    approvals = Approvals()
    for each in written:
        message = server_message(each)
        assert message is not None
        approvals.read(message)
    (waiting,) = approvals.waiting.values()
    assert waiting.input == expected


def test_changes_that_are_not_known_are_said_to_be() -> None:
    root = "01a1e371-c70c-72f2-9573-2f0c4426f9f3"
    params = {"threadId": root, "itemId": "c9"}
    asked = {"method": "item/fileChange/requestApproval", "id": 0, "params": params}
    message, approvals = server_message(json.dumps(asked).encode()), Approvals()
    assert message is not None
    approvals.read(message)
    assert [each.input for each in approvals.waiting.values()] == [{"changes": None}]
