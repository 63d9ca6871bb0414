"""Which agent a thread is: the main agent, or one that a call has started.

A child's own rollout says which thread has started it, but not by which call. The call is in the
parent's rollout, and often comes a moment later: until then, what the child says is held.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import Struct

from unbraid.agents.codex.records import SessionHead
from unbraid.events import Error, RelayEvent, SessionMeta, TextDelta, ThinkingDelta
from unbraid.read.clock import Clock
from unbraid.read.contexts import Agents, Context, Contexts
from unbraid.read.seen import forget_oldest

# An agent whose call is never found is shown without it, before it fills the memory.
MAX_HELD = 4096
RECENT_BLOCKS = 1 << 13

# A part of a thread's translation, which appends to the events of the run.
Step = Callable[[], None]
# Input (with what was cached), cached, written to the cache, output.
Counts = tuple[int, int, int, int]


class KnownBlocks:
    """Which blocks of a thread were said, counted: the same words twice from one source are two
    blocks, the same words from two sources are one.
    """

    def __init__(self) -> None:
        self._shown: dict[int, int] = {}
        self._by_source: dict[str, dict[int, int]] = {}

    def is_new(self, source: str, kind: str, words: str) -> bool:
        """Counts a block of a source; returns whether no other source has brought it before."""
        key = hash((kind, "".join(words.split()) if kind == "thinking" else words))
        counts = self._by_source.setdefault(source, {})
        counts[key] = counts.get(key, 0) + 1
        new = counts[key] > self._shown.get(key, 0)
        if new:
            self._shown[key] = counts[key]
        forget_oldest(counts, RECENT_BLOCKS)
        forget_oldest(self._shown, RECENT_BLOCKS)
        return new


class OpenToolCall(Struct, gc=False):
    """A call that has no result yet."""

    name: str
    ts: int
    given: dict[str, Any]


class Thread:
    """One agent's conversation, as its sources know it."""

    def __init__(self, thread_id: str) -> None:
        self.id = thread_id
        self.context: Context | None = None  # once its agent is known
        self.head: SessionHead | None = None
        self.has_rollout = False
        self.is_continued = False  # its rollout is read from the middle: it began in an earlier run
        self.has_lines = False  # its rollout has said something in this run
        self.said = KnownBlocks()
        self.held: deque[tuple[int, Step]] = deque()
        self.model: str | None = None
        self.nickname: str | None = None
        self.path: str | None = None
        self.asked_by: str | None = None  # the call that has asked it again
        self.has_items = False  # an app-server has reported something that it said or did
        self.has_turns = False  # its sources say when its turns begin and end
        self.turn_open = False
        self.prompted = False  # in the present turn
        self.open_calls: dict[str, OpenToolCall] = {}
        self.call_outcomes: dict[str, bool] = {}  # whether calls went well, as the CLI reports them
        self.messages = 0
        self.answers = 0  # whose tokens were reported
        self.total: Counts | None = None  # the latest running total of its tokens
        self.has_usage_records = False  # of every answer: running totals are not needed

    @property
    def agent(self) -> Context:
        """Its agent, where that is known: whatever is translated waits for it."""
        assert self.context is not None
        return self.context

    def message_id(self, given: str | None) -> str:
        """Returns the id of its next message: the model's own, or one that we make."""
        self.messages += 1
        return given or f"{self.id[-12:]}-{self.messages}"


class Threads:
    """The threads of a run, and the events that are new: `out` is the list of the record that is
    being translated, to which all who translate a part of it append.
    """

    def __init__(self) -> None:
        self.clock = Clock()
        self.contexts = Contexts(Context)
        self.agents = Agents(self.contexts, self.clock)
        self.out: list[RelayEvent] = []
        self.root: Thread | None = None
        self._threads: dict[str, Thread] = {}
        self._by_path: dict[str, str] = {}

    def thread(self, thread_id: str) -> Thread:
        """Returns a thread by its id, known or new."""
        found = self._threads.get(thread_id)
        if found is None:
            found = self._threads[thread_id] = Thread(thread_id)
        return found

    def of_context(self, context: Context) -> Thread | None:
        """Returns the thread of an agent."""
        return self._threads.get(context.session_id or "")

    def at(self, target: str) -> Thread | None:
        """Returns a thread by its id or by its place in the tree."""
        return self._threads.get(self._by_path.get(target, target))

    def above(self, thread: Thread) -> Thread | None:
        """Returns the thread that has started this one, as far as it is known."""
        return self._threads.get(thread.head.parent or "") if thread.head is not None else None

    def say(self, thread: Thread, kind: str, message_id: str, parts: list[str]) -> None:
        """Reports the blocks of a message; `kind` is text or thinking."""
        for block, part in enumerate(parts):
            self.say_part(thread, kind, message_id, block=block, text=part)

    def say_part(
        self, thread: Thread, kind: str, message_id: str, *, block: int, text: str
    ) -> None:
        """Reports a part of a block."""
        delta = TextDelta if kind == "text" else ThinkingDelta
        self.out.append(delta(thread.agent.id, self.clock.ts, message_id, block, text))

    def introduce(self, thread: Thread, head: SessionHead) -> None:
        """Reads what a thread's first line says."""
        thread.head = head
        thread.nickname = thread.nickname or head.agent_nickname
        if head.path is not None:
            thread.path = head.path
            self._by_path.setdefault(head.path, thread.id)
        if self.root is None or thread.context is self.contexts.root:
            if thread.context is None:
                self.make_root(thread)
            self.describe(thread, cwd=head.cwd, version=head.cli_version)
        elif thread.context is None and not head.is_child:
            self.adopt(thread, None)  # another conversation beside the first
        elif thread.context is None and not head.is_spawned:
            above = self.above(thread)
            self.adopt(thread, None if above is None else above.context)

    def stands_alone(self, thread: Thread) -> bool:
        """Returns whether a sub-agent's thread is continued by a person: the main agent is part of
        an earlier run, and says nothing in this one.
        """
        root = self.root
        is_silent = root is not None and root.is_continued and not root.has_lines
        return is_silent and thread.is_continued

    def make_root(self, thread: Thread) -> None:
        """Makes a thread the main agent's."""
        self.root = thread
        root = self.contexts.root
        root.session_id = self.agents.session_id = thread.id
        self.contexts.by_agent[thread.id] = root
        thread.context = root

    def describe(
        self,
        thread: Thread,
        *,
        cwd: str | None = None,
        version: str | None = None,
        model: str | None = None,
    ) -> None:
        """Reports the facts of a session that are new."""
        context = thread.agent
        known = context.meta if isinstance(context.meta, tuple) else (None, None, None)
        facts = (cwd or known[0], version or known[1], model or known[2])
        if facts == known:
            return
        context.meta = facts
        is_root = context is self.contexts.root
        self.out.append(
            SessionMeta(
                context.id,
                self.clock.ts,
                session_id=thread.id if is_root else None,
                model=facts[2],
                cwd=facts[0] if is_root else None,
                version=facts[1] if is_root else None,
                agent_id=None if is_root else thread.id,
            )
        )

    def deliver(self, thread: Thread, step: Step) -> None:
        """Runs a step of a thread's translation: now, or once it is known whose thread it is."""
        if thread.context is None and self.root is None:
            self.make_root(thread)
        if thread.context is not None:
            self.agents.announce(thread.context, self.out)
            step()
            return
        thread.held.append((self.clock.ts, step))
        if len(thread.held) > MAX_HELD or self._is_resumed(thread):
            self._orphan(thread)

    def _is_resumed(self, thread: Thread) -> bool:
        """Returns whether a person continues a sub-agent's thread: the agent above it is not
        working, and will make no call for it.
        """
        above = self.above(thread)
        is_held = above is not None and above.context is None
        return thread.is_continued and not is_held and (above is None or not above.turn_open)

    def link(
        self,
        parent: Context,
        call_id: str,
        child_id: str,
        *,
        prompt: str | None = None,
        nickname: str | None = None,
        path: str | None = None,
        role: str | None = None,
    ) -> None:
        """Notes which call has started a thread."""
        thread = self.thread(child_id)
        if path is not None:
            thread.path = path
            self._by_path.setdefault(path, child_id)
        thread.nickname = thread.nickname or nickname
        # A damaged file may name an agent above itself, or the main agent, as started by this call.
        if thread.context is not None or thread is self.root or parent.session_id == child_id:
            return
        context = self._new_context(thread, parent, call_id)
        context.prompt = prompt
        context.subagent_type = role or context.subagent_type
        self._release(thread)

    def adopt(self, thread: Thread, parent: Context | None) -> None:
        """Makes a thread an agent that no call is known of."""
        if thread.context is None:
            self._new_context(thread, parent or self.contexts.root, None)
            self._release(thread)

    def _orphan(self, thread: Thread) -> None:
        """Shows a thread whose call was not found: with a mark, below its parent if that is
        there.
        """
        above = self.above(thread)
        parent = above.context if above is not None and above is not thread else None
        if parent is None:
            missing = thread.head.parent if thread.head is not None else None
            problem = f"its parent {missing or 'thread'} is not among the sources"
        else:
            problem = "no call of its parent that has started it was found"
        if not thread.is_continued:
            began = thread.held[0][0] if thread.held else self.clock.ts
            mark = partial(self._mark, thread, f"{problem}: shown without it")
            thread.held.appendleft((began, mark))
        self.adopt(thread, parent)

    def _mark(self, thread: Thread, problem: str) -> None:
        self.out.append(Error(thread.agent.id, self.clock.ts, problem, code="no-parent"))

    def release_children(self, parent: Thread) -> None:
        """Shows the children of a thread whose turn is over: their calls would have come before."""
        for thread in list(self._threads.values()):
            head = thread.head
            if thread.context is None and head is not None and head.parent == parent.id:
                self._orphan(thread)

    def release_all(self) -> None:
        """Shows everything that is still held, parents first."""
        waiting = [each for each in self._threads.values() if each.context is None and each.held]
        while waiting:
            ready = [each for each in waiting if self.above(each) not in waiting] or waiting[:1]
            for thread in ready:
                self._orphan(thread)
            waiting = [each for each in waiting if each.context is None]

    def _new_context(self, thread: Thread, parent: Context, call: str | None) -> Context:
        context = self.contexts.add(thread.id, parent, call)
        context.session_id = thread.id
        context.description = thread.path or thread.nickname
        context.subagent_type = thread.head.agent_role if thread.head is not None else None
        context.model = thread.model
        self.contexts.bind(context, thread.id)
        thread.context = context
        return context

    def _release(self, thread: Thread) -> None:
        now = self.clock.ts
        held, thread.held = thread.held, deque()
        with self.clock.at(min(now, held[0][0] or now) if held else now):
            self.agents.announce(thread.agent, self.out)
            for at, step in held:
                self.clock.ts = at
                step()
