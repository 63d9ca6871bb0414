"""Tool calls and their results; which of the calls start, ask or await other agents."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Raw

from unbraid.agents.codex.dialect.threads import OpenToolCall, Thread, Threads
from unbraid.agents.codex.records import THREAD_ID, Item, object_in
from unbraid.events import EMPTY_OBJECT, ToolResult, ToolUse
from unbraid.read.content import split_content
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


class ThreadCalls:
    """Reports each call once, and each result once, from whichever source."""

    def __init__(self, threads: Threads) -> None:
        self._threads, self._clock = threads, threads.clock
        self._seen: dict[int, None] = {}

    def begin(
        self, thread: Thread, call_id: str, name: str, given: Any, *, message_id: str | None = None
    ) -> None:
        """Reports a call; `given` is its input, as an object or as JSON in a string."""
        if not call_id or not newly(self._seen, hash(("call", thread.id, call_id))):
            return
        shaped, raw = _input(given)
        thread.open_calls[call_id] = OpenToolCall(name, self._clock.ts, shaped)
        self._threads.out.append(
            ToolUse(
                context=thread.agent.id,
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
        prompt: str | None = None,
        nickname: str | None = None,
        path: str | None = None,
    ) -> None:
        """Notes that a call has started a thread."""
        self.begin(thread, call_id, SPAWN, {"message": prompt} if prompt else {})
        opened = thread.open_calls.get(call_id)
        given = {} if opened is None else opened.given
        self._threads.link(
            thread.agent,
            call_id,
            child,
            prompt=prompt or _text(given, "message") or _text(given, "prompt"),
            nickname=nickname,
            path=path,
            role=_text(given, "agent_type"),
        )

    def end(
        self,
        thread: Thread,
        call_id: str,
        output: Any,
        *,
        ok: bool | None = None,
        duration_ms: int | None = None,
    ) -> None:
        """Reports what a call gave."""
        context = thread.agent
        if not call_id or not newly(self._seen, hash(("result", thread.id, call_id))):
            return
        if context.ended and thread.has_turns and not thread.turn_open:
            return  # a command that outlives the turn of its agent does not begin it again
        opened = thread.open_calls.pop(call_id, None)
        reported = thread.call_outcomes.pop(call_id, None)
        text, parts = _output(output)
        if ok is None:
            ok = reported if reported is not None else _succeeded(text)
        name = None if opened is None else opened.name
        given = {} if opened is None else opened.given
        if duration_ms is None and opened is not None and opened.ts:
            duration_ms = max(self._clock.ts - opened.ts, 0)
        answer = object_in(text)
        if name == SPAWN and (child := _text(answer, "agent_id")) is not None:
            prompt, nickname = _text(given, "message"), _text(answer, "nickname")
            self.spawned(thread, call_id, child, prompt=prompt, nickname=nickname)
        elif name == SPAWN and "task_name" not in answer:
            ok = False  # no agent was started, and the text says why
        elif name in ASK_AGAIN and answer:
            self._link_asked(thread, call_id, given)
        self._threads.out.append(
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
            self._read_states(thread, answer.get("status"))

    def report(
        self,
        thread: Thread,
        call_id: str,
        item: Item,
        *,
        ended: bool,
        message_id: str | None = None,
    ) -> bool:
        """Reports the call that an item is, and its result if it has `ended`. Returns whether it is
        one.
        """
        made = item.call()
        if made is not None:
            name, given = made
            self.begin(thread, call_id, name, given, message_id=message_id)
            if ended:
                duration = None if item.duration_ms is None else round(item.duration_ms)
                self.end(thread, call_id, item.output, ok=item.is_ok, duration_ms=duration)
        return made is not None

    def report_collab(
        self,
        thread: Thread,
        call_id: str,
        item: Item,
        *,
        tool: str,
        given: dict[str, Any],
        ended: bool,
        message_id: str | None = None,
    ) -> None:
        """Reports a call to other agents: its `tool` and input are spelled differently by each
        source.
        """
        self.begin(thread, call_id, tool, given, message_id=message_id)
        if not ended:
            return
        started = item.receivers if tool == SPAWN else []
        for child in started:
            self.spawned(thread, call_id, child, prompt=item.prompt)
        self._read_states(thread, item.agents_states)
        output = {"agent_id": started[0]} if started else item.agents_states
        text = msgspec.json.encode(output).decode() if output else ""
        self.end(thread, call_id, text, ok=item.status != "failed")

    def _link_asked(self, thread: Thread, call_id: str, given: dict[str, Any]) -> None:
        """Links an agent to the call that has asked it again, where the one that has started it is
        part of an earlier run.
        """
        target = _target(given)
        asked = self._threads.at(target)
        if THREAD_ID.fullmatch(target) and (asked is None or asked.context is None):
            prompt = _text(given, "message")
            self._threads.link(thread.agent, call_id, target, prompt=prompt)

    def _read_states(self, waiting: Thread, states: Any) -> None:
        """Reads the states of agents as one that waits for them gets them: the only sign of an end
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
                self._threads.agents.end(context, *ended, out=self._threads.out)


def _ended(state: Any) -> tuple[bool, str, str | None] | None:
    """Returns how an agent has ended, of its state in any of its spellings; None if it works."""
    if isinstance(state, dict):
        if "status" in state:
            state = {str(state["status"]): state.get("message")}
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
