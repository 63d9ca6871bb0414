"""Whether an agent repeats itself: the same call with the same input and the same result
again and again, the same sub-agent with the same task and the same answer, or the same error.

Only what lies close together counts: of an agent's latest results, how many are the same. Agents
that wait for others poll them again and again, which is right; so an agent's repeats are forgotten
when an agent below it has done something. Several sub-agents may well have the same task at the
same time: only those count that began after an earlier one had answered.
"""

from __future__ import annotations

import re
from collections import deque
from hashlib import blake2b

from msgspec import Struct

from unbraid.timings import ERROR_REPEAT_MS

# The same result this often among so many is a loop of any length up to WINDOW / times.
WINDOW = 40
FEWEST = 3
MAX_OPEN_CALLS = 1000

# What differs in the same error from one time to the next: when it happened, how long it took, and
# where in memory.
_PASSING = re.compile(
    r"\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d(?:[.,]\d+)?|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds)\b"
    r"|0x[0-9a-fA-F]{4,}"
)
_COMPARED_CHARS = 4000


class Repeat(Struct, frozen=True):
    """The same thing has happened `count` times: the calls of a tool, a sub-agent (then `tool` is
    empty), or an error.
    """

    key: str
    count: int
    tool: str
    is_error: bool


class _OpenCall(Struct, frozen=True):
    tool: str
    digest: bytes


class SpawnedTask(Struct, frozen=True):
    """What a sub-agent was told to do. `round` is 1 more than that of the same task before it that
    has been answered.
    """

    digest: bytes
    round: int


class _SpawnAnswer(Struct, frozen=True):
    task: SpawnedTask
    digest: bytes


class Repeats:
    """What one agent has done lately."""

    def __init__(self) -> None:
        self._calls: dict[str, _OpenCall] = {}
        self._recent: deque[tuple[bytes, bytes | None]] = deque(maxlen=WINDOW)
        self._answers: deque[_SpawnAnswer] = deque(maxlen=WINDOW)
        self._error, self._errors, self._error_ts = b"", 0, 0

    def call(self, tool_use_id: str, tool: str, given: bytes) -> None:
        """Notes that a call begins."""
        self.speak()
        if len(self._calls) >= MAX_OPEN_CALLS:
            self._calls.pop(next(iter(self._calls)))
        self._calls[tool_use_id] = _OpenCall(tool, _digest(tool.encode(), given))

    def result(self, tool_use_id: str, content: bytes, *, ok: bool) -> Repeat | None:
        """Takes the result of a call; returns what it repeats, if it does often enough."""
        call = self._calls.pop(tool_use_id, None)
        if call is None:
            return None
        same = _digest(call.digest, content)
        error = None if ok else _digest(_lasting(content.decode("utf-8", "replace")).encode())
        return self._count(same, error, call.tool)

    def spawn(self, agent: str, prompt: str) -> SpawnedTask:
        """Notes that a sub-agent begins; returns what `answer` takes."""
        digest = _digest(agent.encode(), prompt.encode())
        rounds = (each.task.round for each in self._answers if each.task.digest == digest)
        return SpawnedTask(digest, max(rounds, default=0) + 1)

    def answer(self, task: SpawnedTask, content: str, *, ok: bool) -> Repeat | None:
        """Takes a sub-agent's answer; returns what it repeats, if it does often enough."""
        answer = _SpawnAnswer(task, _digest(_lasting(content).encode(), bytes([ok])))
        self._answers.append(answer)
        count = len({
            each.task.round
            for each in self._answers
            if (each.task.digest, each.digest) == (task.digest, answer.digest)
        })  # fmt: skip
        if count < FEWEST:
            return None
        return Repeat(_digest(task.digest, answer.digest).hex(), count, "", is_error=False)

    def error(self, message: str, ts: int) -> Repeat | None:
        """Takes an error that belongs to no call, and returns it if it is a repeat. It repeats the
        one before only if the agent has done nothing in between, and if some time has passed: CLIs
        also warn of one thing in many places at once, in the same words, and a client that tries
        again waits first.
        """
        error = _digest(_lasting(message).encode())
        if error == self._error and ts - self._error_ts < ERROR_REPEAT_MS:
            return None
        self._errors = self._errors + 1 if error == self._error else 1
        self._error, self._error_ts = error, ts
        if self._errors < FEWEST:
            return None
        return Repeat(error.hex(), self._errors, "", is_error=True)

    def speak(self) -> None:
        """Notes that the agent has said something."""
        self._error, self._errors = b"", 0

    def forget(self) -> None:
        """Notes that there is progress elsewhere, for which the agent may ask again and again; not
        by what fails.
        """
        self._recent = deque((each for each in self._recent if each[1] is not None), WINDOW)
        self.speak()

    @property
    def running(self) -> str:
        """The tool that was called last and has given no result; nothing if there is none."""
        return next(reversed(self._calls.values())).tool if self._calls else ""

    def _count(self, same: bytes, error: bytes | None, tool: str) -> Repeat | None:
        self._recent.append((same, error))
        calls = sum(1 for each, _ in self._recent if each == same)
        errors = 0 if error is None else sum(1 for _, each in self._recent if each == error)
        count = max(calls, errors)
        if count < FEWEST:
            return None
        # One key for both: a failing call that is repeated is not also a repeated error.
        key = (same if error is None else error).hex()
        return Repeat(key, count, tool, is_error=error is not None)


def _lasting(text: str) -> str:
    return _PASSING.sub("", text[:_COMPARED_CHARS])


def _digest(*parts: bytes) -> bytes:
    digest = blake2b(digest_size=8)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()
