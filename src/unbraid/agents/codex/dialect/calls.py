"""Tool calls and their results; which of the calls start, ask or await other agents."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Raw

from unbraid.agents.codex.dialect.threads import Thread, Threads
from unbraid.agents.codex.records import THREAD_ID, object_in
from unbraid.events import EMPTY_OBJECT, RelayEvent, ToolResult, ToolUse
from unbraid.read.clock import Clock
from unbraid.read.content import split_content
from unbraid.read.contexts import Agents, Context
from unbraid.read.seen import newly

SPAWN = "spawn_agent"
ASK_AGAIN = frozenset({"send_input", "followup_task", "send_message", "resume_agent"})
WAIT = frozenset({"wait", "wait_agent", "close_agent"})

# How a result begins that is of a call that was not made, or was stopped.
_REFUSED = re.compile(
    r"unsupported (?:custom tool )?call|collab |failed to |exec_command failed"
    r"|(?:Wall time: [\d.]+ seconds\n)?aborted by user"
)
_EXIT_CODE = re.compile(r"(?:Process exited with code|Exit code:) (-?\d+)")
_TEXT_PARTS = ("input_text", "output_text", "text")


class OpenToolCall(msgspec.Struct, gc=False):
    """A call that has no result yet."""

    name: str
    ts: int
    given: dict[str, Any]


class ThreadCalls:
    """Reports each call once, and each result once, from whichever source."""

    def __init__(self, *, clock: Clock, agents: Agents[Context], threads: Threads) -> None:
        self._clock, self._agents, self._threads = clock, agents, threads
        self._seen: dict[int, None] = {}
        self._open: dict[tuple[str, str], OpenToolCall] = {}
        self._failed: dict[tuple[str, str], bool] = {}  # as the CLI's own report of the call says

    def are_open(self, thread: Thread) -> bool:
        """Returns whether a call of a thread has no result yet."""
        return any(owner == thread.id for owner, _ in self._open)

    def forget(self, thread: Thread) -> None:
        """Forgets the calls of a thread whose turn is over: they will have no result."""
        for key in [key for key in self._open if key[0] == thread.id]:
            del self._open[key]

    def begin(
        self,
        thread: Thread,
        call_id: str,
        name: str,
        *,
        given: Any,
        out: list[RelayEvent],
        message_id: str | None = None,
    ) -> None:
        """Reports a call; `given` is its input, as an object or as JSON in a string."""
        context = thread.context
        assert context is not None
        if not call_id or not newly(self._seen, hash(("call", thread.id, call_id))):
            return
        shaped, raw = _input(given)
        self._open[thread.id, call_id] = OpenToolCall(name, self._clock.ts, shaped)
        out.append(
            ToolUse(
                context=context.id,
                ts=self._clock.ts,
                message_id=message_id or f"call-{call_id}",
                block=0,
                tool_use_id=call_id,
                tool=name,
                input_json=raw,
            )
        )
        if name in ASK_AGAIN:
            asked = self._threads.at(_target(shaped))
            if asked is not None and asked is not thread:
                asked.asked_by = call_id

    def spawned(
        self,
        thread: Thread,
        call_id: str,
        child: str,
        *,
        out: list[RelayEvent],
        prompt: str | None = None,
        nickname: str | None = None,
        path: str | None = None,
    ) -> None:
        """Notes that a call has started a thread."""
        context = thread.context
        assert context is not None
        self.begin(thread, call_id, SPAWN, given={"message": prompt} if prompt else {}, out=out)
        opened = self._open.get((thread.id, call_id))
        given = {} if opened is None else opened.given
        role = given.get("agent_type")
        self._threads.link(
            context,
            call_id,
            child,
            out=out,
            prompt=prompt or _text(given, "message") or _text(given, "prompt"),
            nickname=nickname,
            path=path,
            role=role if isinstance(role, str) else None,
        )

    def outcome(self, thread: Thread, call_id: str, *, ok: bool) -> None:
        """Notes how a call has ended, before its result comes."""
        if (thread.id, call_id) in self._open:
            self._failed[thread.id, call_id] = not ok

    def end(
        self,
        thread: Thread,
        call_id: str,
        output: Any,
        *,
        out: list[RelayEvent],
        ok: bool | None = None,
        duration_ms: int | None = None,
    ) -> None:
        """Reports what a call gave."""
        context = thread.context
        assert context is not None
        if not call_id or not newly(self._seen, hash(("result", thread.id, call_id))):
            return
        if context.ended and thread.has_turns and not thread.turn_open:
            return  # a command that outlives the turn of its agent does not begin it again
        key = (thread.id, call_id)
        opened = self._open.pop(key, None)
        failed = self._failed.pop(key, None)
        text, parts = _output(output)
        if ok is None:
            ok = not failed if failed is not None else _succeeded(text)
        name = opened.name if opened is not None else None
        if duration_ms is None and opened is not None and opened.ts:
            duration_ms = max(self._clock.ts - opened.ts, 0)
        if name == SPAWN and (child := _text(object_in(text), "agent_id")) is not None:
            nickname = _text(object_in(text), "nickname")
            given = opened.given if opened is not None else {}
            prompt = _text(given, "message")
            self.spawned(thread, call_id, child, out=out, prompt=prompt, nickname=nickname)
        elif name == SPAWN and "task_name" not in object_in(text) and context is not None:
            ok = False  # no agent was started, and the text says why
        elif name in ASK_AGAIN and opened is not None and object_in(text):
            self._continued(thread, call_id, opened.given, out=out)
        out.append(
            ToolResult(
                context=context.id,
                ts=self._clock.ts,
                tool_use_id=call_id,
                ok=ok,
                content_json=Raw(msgspec.json.encode(text)),
                parts=parts,
                tool=name,
                duration_ms=duration_ms,
            )
        )
        if name in WAIT:
            self.states(thread, object_in(text).get("status"), out)

    def _continued(
        self, thread: Thread, call_id: str, given: dict[str, Any], *, out: list[RelayEvent]
    ) -> None:
        """Takes the call that has asked an agent again for the one that has started it, where that
        one is part of an earlier run.
        """
        target = _target(given)
        asked = self._threads.at(target)
        if THREAD_ID.fullmatch(target) and (asked is None or asked.context is None):
            assert thread.context is not None
            prompt = _text(given, "message")
            self._threads.link(thread.context, call_id, target, out=out, prompt=prompt)

    def states(self, waiting: Thread, states: Any, out: list[RelayEvent]) -> None:
        """Takes the states of agents as one that waits for them gets them: the only sign of an end
        that early releases give.
        """
        for thread_id, state in (states if isinstance(states, dict) else {}).items():
            thread = self._threads.at(thread_id)
            context = thread.context if thread is not None else None
            if thread is None or context is None or thread.has_turns:
                continue
            ended = _ended(state)
            if ended is None:
                continue
            if waiting.has_rollout and waiting.has_turns:
                # Its own rollout will say it, and may be read a moment later than this one.
                context.ending = ended
            else:
                self._agents.end(context, *ended, out=out)


def _ended(state: Any) -> tuple[bool, str, str | None] | None:
    """Returns how an agent has ended, of its state in any of its spellings; None if it works."""
    if isinstance(state, dict):
        if "status" in state:
            message = state.get("message")
            state = {str(state["status"]): message}
        for name, words in state.items():
            said = words if isinstance(words, str) else None
            if name == "completed":
                return said is not None, "completed" if said is not None else "failed", said
            if name == "errored":
                return False, "failed", said
            if name in ("interrupted", "shutdown"):
                return False, "interrupted", None
        return None
    return (False, "interrupted", None) if state in ("interrupted", "shutdown") else None


def _input(given: Any) -> tuple[dict[str, Any], Raw]:
    if isinstance(given, str):
        shaped = object_in(given)
        if shaped or given.strip() == "{}":
            return shaped, Raw(given.encode())
        return {}, Raw(msgspec.json.encode({"input": given})) if given else EMPTY_OBJECT
    if isinstance(given, dict):
        return given, Raw(msgspec.json.encode(given))
    return {}, EMPTY_OBJECT


def _output(output: Any) -> tuple[str, list[Any] | None]:
    if isinstance(output, list):
        output = [
            {"type": "text", "text": part["text"]}
            if isinstance(part, dict)
            and part.get("type") in _TEXT_PARTS
            and isinstance(part.get("text"), str)
            else part
            for part in output
        ]
    elif isinstance(output, dict):
        output = output.get("content", output)
        if isinstance(output, dict):
            return msgspec.json.encode(output).decode(), None
    return split_content(output)


def _succeeded(text: str) -> bool:
    inner = object_in(text).get("metadata")
    if isinstance(inner, dict) and isinstance(inner.get("exit_code"), int):
        return bool(inner["exit_code"] == 0)
    head = text[:2000]
    found = _EXIT_CODE.search(head)
    if found is not None:
        return found[1] == "0"
    return _REFUSED.match(head) is None


def _target(given: dict[str, Any]) -> str:
    target = given.get("target") or given.get("id") or given.get("agent_id")
    return target if isinstance(target, str) else ""


def _text(given: dict[str, Any], name: str) -> str | None:
    value = given.get(name)
    return value if isinstance(value, str) else None
