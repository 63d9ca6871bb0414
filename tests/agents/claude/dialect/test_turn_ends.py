"""How the turns and the agents of an interactive session end, and when it waits, by its lines."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.block_rows import RECORDINGS
from tests.record.watch.writing import Writer
from unbraid import events as e
from unbraid.agents.claude.transcript import PublishedState, agent_line, state_line
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.tree import Tree
from unbraid.record.sessions.stored_facts import stored_facts
from unbraid.testing import assert_fleet

BASH = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "make"}}
TASK = {"description": "look", "prompt": "Look.", "subagent_type": "Explore"}
SPAWN = {"type": "tool_use", "id": "toolu_2", "name": "Agent", "input": TASK}


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path)


class Session:
    """A run that is read line by line."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.pipeline = writer, Pipeline()
        self.events: list[e.FleetEvent] = []
        self.tree = Tree()

    def read(self, *lines: bytes, source: str = "main") -> Session:
        for line in lines:
            self._take(self.pipeline.feed(line, source))
        return self

    def state(self, status: str, waiting_for: str | None = None, since: int = 5) -> Session:
        published = PublishedState(status, waiting_for)
        return self.read(state_line(self.writer.session, published, since), source="state")

    def end(self) -> Session:
        self._take(self.pipeline.finish())
        assert_fleet(self.events)
        return self

    def now(self) -> tuple[str, str | None]:
        """The run's status, and what it waits for."""
        waiting = self.tree.state.waiting
        return self.tree.state.status, None if waiting is None else str(waiting)

    @property
    def turns(self) -> list[tuple[bool, str, int | None]]:
        turns = [event for event in self.events if isinstance(event, e.FleetTurnComplete)]
        return [(turn.ok, turn.subtype, turn.duration_ms) for turn in turns]

    def _take(self, events: list[e.FleetEvent]) -> None:
        self.events += events
        self.tree.apply(events)


def lasted(writer: Writer, ms: int) -> bytes:
    line = json.loads(writer.line("system", {}))
    del line["message"]
    line |= {"subtype": "turn_duration", "durationMs": ms}
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def api_error(writer: Writer, agent: str | None = None) -> bytes:
    said = {"type": "text", "text": "API Error: 400 scripted bad request"}
    line = json.loads(writer.answer([said], agent))
    line["message"]["model"] = "<synthetic>"
    return json.dumps(line | {"isApiErrorMessage": True}, separators=(",", ":")).encode() + b"\n"


def result(writer: Writer, call: str = "toolu_1", **more: Any) -> bytes:
    block = {"type": "tool_result", "tool_use_id": call, "content": "made", **more}
    return writer.line("user", {"role": "user", "content": [block]})


def launched(writer: Writer) -> bytes:
    facts = json.loads(result(writer, "toolu_2", content="launched"))
    facts["toolUseResult"] = {"status": "async_launched", "agentId": "a1"}
    return json.dumps(facts, separators=(",", ":")).encode() + b"\n"


def test_it_waits_for_a_prompt_after_each_turn(writer: Writer) -> None:
    session = Session(writer).read(writer.prompt(), writer.text("one"))
    assert session.now() == ("working", None)
    session.read(lasted(writer, 1200))
    assert session.now() == ("waiting", "waiting for prompt")
    session.state("idle")  # the same again, from the process
    assert session.turns == [(True, "", 1200)]
    session.read(writer.prompt("And now?"))
    assert session.now() == ("working", None)
    # An older version says it in its list of processes alone.
    session.state("busy").read(writer.text("two")).state("idle")
    assert session.now() == ("waiting", "waiting for prompt")
    session.read(lasted(writer, 7))
    assert session.turns == [(True, "", 1200), (True, "", None)]
    assert session.end().now() == ("done", None)


def test_it_waits_for_a_permission_until_it_is_busy_again(writer: Writer) -> None:
    session = Session(writer).read(writer.prompt(), writer.answer([BASH]))
    since = time.time_ns() // 1_000_000 + 1000  # after its lines
    session.state("waiting", "permission prompt", since=since)
    assert session.now() == ("waiting", "waiting for permission to use Bash")
    assert session.tree.state.waiting is not None
    assert session.tree.state.waiting.since == since
    session.state("waiting", "permission prompt", since=since + 6)
    session.state("busy")
    assert session.now() == ("working", None)
    session.read(result(writer))
    replies = [event for event in session.events if isinstance(event, e.FleetPermissionReplied)]
    assert [reply.behavior for reply in replies] == ["answered"]
    # Or until the call has its result, which says what the answer was.
    session.read(writer.answer([BASH | {"id": "toolu_9"}])).state("waiting", "permission prompt")
    session.read(result(writer, "toolu_9", is_error=True)).state("busy")
    replies = [event for event in session.events if isinstance(event, e.FleetPermissionReplied)]
    assert [reply.behavior for reply in replies] == ["answered", "deny"]
    assert session.now() == ("working", None)
    session.end()


def test_what_it_waits_for_is_known_when_the_call_is_read_after_its_request(
    writer: Writer,
) -> None:
    session = Session(writer).read(writer.prompt("Go.")).state("busy")
    session.state("waiting", "permission prompt", since=time.time_ns() // 1_000_000 + 1000)
    assert session.now() == ("waiting", "waiting for permission")
    since = session.tree.state.waiting
    session.read(writer.answer([SPAWN]))
    assert session.now() == ("waiting", "waiting for permission")
    session.read(writer.answer([BASH]))
    named = session.tree.state.waiting
    assert session.now() == ("waiting", "waiting for permission to use Bash")
    assert since is not None
    assert named is not None
    assert named.since == since.since
    session.state("busy")
    assert session.now() == ("working", None)


def test_a_turn_that_is_an_error_has_failed(writer: Writer) -> None:
    session = Session(writer).read(writer.prompt(), api_error(writer))
    session.read(lasted(writer, 3))
    assert session.turns == [(False, "error", 3)]
    assert session.now() == ("waiting", "waiting for prompt")
    assert session.end().now() == ("failed", None)
    # After which another may be answered.
    again = Session(writer).read(writer.prompt(), api_error(writer), writer.prompt("Again."))
    assert again.read(writer.text("fine")).end().now() == ("done", None)


def test_a_turn_that_was_interrupted(writer: Writer) -> None:
    session = Session(writer).read(writer.prompt(), writer.text("one"))
    session.read(writer.prompt("[Request interrupted by user]")).state("idle")
    assert session.turns == [(False, "interrupted", None)]
    assert session.now() == ("waiting", "waiting for prompt")
    assert session.end().now() == ("interrupted", None)


def test_a_turn_that_was_interrupted_while_agents_work(writer: Writer) -> None:
    session = Session(writer).read(writer.prompt(), writer.answer([SPAWN]), launched(writer))
    session.state("busy").read(writer.text("They"), writer.prompt("[Request interrupted by user]"))
    assert session.turns == [(False, "interrupted", None)], "the process stays busy"
    main, agent = session.tree.nodes.values()
    assert (str(main.waiting), agent.status) == ("waiting for prompt", "working")
    assert session.now() == ("working", None)
    session.read(writer.prompt("And now?"))
    assert main.waiting is None


def test_an_interrupted_turn_ends_once_though_its_agent_is_woken_by_another(
    writer: Writer,
) -> None:
    session = Session(writer).read(writer.prompt(), writer.answer([SPAWN]), launched(writer))
    session.state("busy").read(writer.text("They"), writer.prompt("[Request interrupted by user]"))
    assert session.turns == [(False, "interrupted", None)]
    session.read(writer.text("One has reported."), writer.answer([BASH]), result(writer))
    assert len(session.turns) == 1, "the turn goes on: the result of a call ends nothing"


def test_a_turn_that_a_hook_has_stopped(writer: Writer) -> None:
    line = json.loads(result(writer))
    del line["message"]
    stop = {"type": "hook_stopped_continuation", "hookEvent": "PostToolUse", "message": "Enough."}
    stopped = json.dumps(line | {"type": "attachment", "attachment": stop, "uuid": "u-stop"})
    lines = [writer.prompt(), writer.answer([BASH]), result(writer), stopped.encode() + b"\n"]
    session = Session(writer).read(*lines).state("idle")
    assert session.turns == [(False, "interrupted", None)]
    assert session.end().now() == ("interrupted", None)
    # The list of sessions says the same.
    writer.main.parent.mkdir(parents=True, exist_ok=True)
    writer.main.write_bytes(b"".join(lines))
    config = str(writer.main.parents[2])
    env = {"CLAUDE_CONFIG_DIR": config, "HOME": config}
    (found,) = stored_facts(env, None, warn=pytest.fail)
    assert found.facts.ending == "interrupted"
    # What an agent only quotes stops nobody.
    quoted = Session(writer).read(writer.prompt("hook_stopped_continuation"), writer.text("one"))
    assert quoted.end().now() == ("done", None)


def test_whoever_expects_an_agent_that_was_killed_is_orphaned_too(writer: Writer) -> None:
    meta = json.dumps({"agentType": "Explore", "toolUseId": "toolu_2"}).encode()

    def killed(about: bytes) -> Session:
        session = Session(writer).read(writer.prompt(), writer.answer([SPAWN]), launched(writer))
        session.read(agent_line("a1", about), source="meta")
        session.read(writer.line("user", {"role": "user", "content": "Look."}, "a1"), source="a1")
        session.read(writer.answer([BASH], "a1"), source="a1")
        session.read(writer.text("It is at work."), lasted(writer, 9))
        assert session.now() == ("working", None), "somebody works for it"
        return session.end()

    left = killed(meta)
    assert [node.status for node in left.tree.nodes.values()] == ["orphaned", "orphaned"]
    assert left.now() == ("orphaned", None)
    # One whose own file says that it has finished was not at work.
    over = killed(meta[:-1] + b',"finished":true}')
    assert [node.status for node in over.tree.nodes.values()] == ["done", "done"]


@pytest.mark.parametrize(
    ("said", "words", "reason"),
    [
        ("It works.", "[Request interrupted by user for tool use]", "interrupted"),
        ("It works.", "The user doesn't want to proceed with this tool use. STOP", "interrupted"),
        ("[Request interrupted by user]", "Something else.", "interrupted"),
        ("It works.", "Agent type 'Explore' is overloaded", "failed"),
        # The person did not let it begin.
        (None, "The user doesn't want to proceed with this tool use. STOP", "failed"),
    ],
)
def test_an_agent_is_interrupted_with_the_one_that_waits_for_it(
    writer: Writer, said: str | None, words: str, reason: str
) -> None:
    session = Session(writer).read(writer.prompt(), writer.answer([SPAWN]))
    if said is not None:
        meta = json.dumps({"agentType": "Explore", "toolUseId": "toolu_2"}).encode()
        session.read(agent_line("a1", meta), source="meta")
        session.read(writer.line("user", {"role": "user", "content": "Look."}, "a1"), source="a1")
        is_answer = said == "It works."
        content = {"role": "user", "content": said}
        line = writer.text(said, "a1") if is_answer else writer.line("user", content, "a1")
        session.read(line, source="a1")
    session.read(result(writer, "toolu_2", content=words, is_error=True))
    (end,) = [event for event in session.events if isinstance(event, e.StreamEnd)]
    assert end.reason == reason


def test_a_notification_is_known_by_its_origin_whatever_stands_before_it(writer: Writer) -> None:
    words = "Something new.\n<task-notification><task-id>a1</task-id><status>failed</status>"
    line = json.loads(writer.prompt(words))
    for origin, prompts in ((None, 2), ({"kind": "task-notification"}, 1)):
        output = json.dumps({**line, "origin": origin}, separators=(",", ":")).encode() + b"\n"
        session = Session(writer).read(writer.prompt(), output).end()
        found = [
            event.prompt if isinstance(event, e.RequestReceived) else event.text
            for event in session.events
            if isinstance(event, e.RequestReceived | e.FleetPrompt)
        ]
        assert len(found) == prompts, found


@pytest.mark.parametrize("name", ["many-turns.stdin.2.0.76", "resumed.stdin.2.1.325"])
def test_a_process_that_is_killed_in_a_turn_was_at_work_whatever_the_turn_before_was(
    name: str,
) -> None:
    lines = (RECORDINGS / name / "stdout.ndjson").read_bytes().splitlines(keepends=True)
    is_in_turn, turns = False, 0
    for count, line in enumerate(lines, 1):
        record = json.loads(line)
        if record["type"] == "result":
            is_in_turn, turns = False, turns + 1
        elif record.get("subtype") == "init":
            is_in_turn = True
        pipeline = Pipeline()
        events = pipeline.feed(b"".join(lines[:count]), "out") + pipeline.finish()
        ends = [event.reason for event in events if isinstance(event, e.StreamEnd)]
        if is_in_turn:
            assert ends[-1] == "orphaned"
        elif turns:
            assert ends[-1] == "completed"
    assert turns > 1


def test_a_session_of_which_nobody_asks_anything_waits_and_is_done(writer: Writer) -> None:
    command = "<command-name>/clear</command-name>"
    cleared = writer.line("user", {"role": "user", "content": command})
    session = Session(writer).read(b'{"type":"mode","mode":"normal","sessionId":"s"}\n', cleared)
    session.state("idle")
    assert session.now() == ("waiting", "waiting for prompt")
    session.state("idle", since=6)
    assert session.turns == [(True, "", None)]
    (turn,) = (event for event in session.events if isinstance(event, e.FleetTurnComplete))
    assert turn.num_turns == 0
    assert session.end().now() == ("done", None)
