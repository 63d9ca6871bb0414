"""Which agent a thread is: the main agent, or one that a call has started.

A child's own rollout says which thread has started it, but not by which call. The call is in the
parent's rollout, and often comes a moment later: until then, what the child says is held.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from unbraid.agents.codex.records import SessionHead
from unbraid.events import Error, RelayEvent, SessionMeta
from unbraid.read.clock import Clock
from unbraid.read.contexts import Agents, Context
from unbraid.read.seen import forget_oldest

# An agent whose call is never found is shown without it, before it fills the memory.
MAX_HELD = 4096
RECENT_BLOCKS = 1 << 13

Step = Callable[[list[RelayEvent]], None]


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
        self.messages = 0

    def message_id(self, given: str | None) -> str:
        """Returns the id of its next message: the model's own, or one that we make."""
        self.messages += 1
        return given or f"{self.id[-12:]}-{self.messages}"


class Threads:
    """The threads of a run."""

    def __init__(self, clock: Clock, agents: Agents[Context]) -> None:
        self._clock, self._agents = clock, agents
        self._contexts = agents.contexts
        self._threads: dict[str, Thread] = {}
        self._by_path: dict[str, str] = {}
        self.root: Thread | None = None

    def thread(self, thread_id: str) -> Thread:
        """Returns a thread by its id, known or new."""
        found = self._threads.get(thread_id)
        if found is None:
            found = self._threads[thread_id] = Thread(thread_id)
        return found

    def everyone(self) -> list[Thread]:
        """Returns all threads, in order of appearance."""
        return list(self._threads.values())

    def of_context(self, context: Context) -> Thread | None:
        """Returns the thread of an agent."""
        return self._threads.get(context.session_id or "")

    def at(self, target: str) -> Thread | None:
        """Returns a thread by its id or by its place in the tree."""
        return self._threads.get(self._by_path.get(target, target))

    def introduce(self, thread: Thread, head: SessionHead, out: list[RelayEvent]) -> None:
        """Takes what a thread's first line says."""
        thread.head = head
        thread.nickname = thread.nickname or head.agent_nickname
        if head.path is not None:
            thread.path = head.path
            self._by_path.setdefault(head.path, thread.id)
        if thread.context is not None and thread.context is self._contexts.root:
            self.describe(thread, out, cwd=head.cwd, version=head.cli_version)
        elif self.root is None:
            self.take_root(thread)
            self.describe(thread, out, cwd=head.cwd, version=head.cli_version)
        elif thread.context is None and not head.is_child:
            self.adopt(thread, None, out)  # another conversation beside the first
        elif thread.context is None and not head.is_spawned:
            parent = self._threads.get(head.parent or "")
            above = None if parent is None else parent.context
            self.adopt(thread, above, out)

    def stands_alone(self, thread: Thread) -> bool:
        """Returns whether a sub-agent's thread is continued by a person: the main agent is part of
        an earlier run, and says nothing in this one.
        """
        root = self.root
        is_silent = root is not None and root.is_continued and not root.has_lines
        return is_silent and thread.is_continued

    def take_root(self, thread: Thread) -> None:
        """Takes a thread as the main agent's."""
        self.root = thread
        root = self._contexts.root
        root.session_id = thread.id
        self._agents.session_id = thread.id
        self._contexts.by_agent[thread.id] = root
        thread.context = root

    def describe(
        self,
        thread: Thread,
        out: list[RelayEvent],
        *,
        cwd: str | None = None,
        version: str | None = None,
        model: str | None = None,
    ) -> None:
        """Reports the facts of a session that are new."""
        context = thread.context
        assert context is not None
        known = context.meta if isinstance(context.meta, tuple) else (None, None, None)
        facts = (cwd or known[0], version or known[1], model or known[2])
        if facts == known:
            return
        context.meta = facts
        is_root = context is self._contexts.root
        out.append(
            SessionMeta(
                context.id,
                self._clock.ts,
                session_id=thread.id if is_root else None,
                model=facts[2],
                cwd=facts[0] if is_root else None,
                version=facts[1] if is_root else None,
                agent_id=None if is_root else thread.id,
            )
        )

    def deliver(self, thread: Thread, step: Step, out: list[RelayEvent]) -> None:
        """Takes a step of a thread's translation: now, or once it is known whose thread it is."""
        if thread.context is None and self.root is None:
            self.take_root(thread)
        if thread.context is not None:
            self._agents.announce(thread.context, out)
            step(out)
            return
        thread.held.append((self._clock.ts, step))
        if len(thread.held) > MAX_HELD or self._is_resumed(thread):
            self.orphan(thread, out)

    def _is_resumed(self, thread: Thread) -> bool:
        """Returns whether a person continues a sub-agent's thread: the agent above it is not
        working, and will make no call for it.
        """
        above = self._threads.get(thread.head.parent or "") if thread.head is not None else None
        is_held = above is not None and above.context is None
        return thread.is_continued and not is_held and (above is None or not above.turn_open)

    def link(
        self,
        parent: Context,
        call_id: str,
        child_id: str,
        *,
        out: list[RelayEvent],
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
        self._release(thread, out)

    def adopt(self, thread: Thread, parent: Context | None, out: list[RelayEvent]) -> None:
        """Takes a thread as an agent that no call is known of."""
        if thread.context is None:
            self._new_context(thread, parent or self._contexts.root, None)
            self._release(thread, out)

    def orphan(self, thread: Thread, out: list[RelayEvent]) -> None:
        """Takes a thread whose call was not found: with a mark, below its parent if that is
        there.
        """
        head = thread.head
        above = self._threads.get(head.parent or "") if head is not None else None
        parent = above.context if above is not None and above is not thread else None
        if parent is None:
            missing = head.parent if head is not None else None
            problem = f"its parent {missing or 'thread'} is not among the sources"
        else:
            problem = "no call of its parent that has started it was found"
        if not thread.is_continued:
            began = thread.held[0][0] if thread.held else self._clock.ts
            mark = partial(self._mark, thread, f"{problem}: shown without it")
            thread.held.appendleft((began, mark))
        self.adopt(thread, parent, out)

    def _mark(self, thread: Thread, problem: str, out: list[RelayEvent]) -> None:
        assert thread.context is not None
        out.append(Error(thread.context.id, self._clock.ts, problem, code="no-parent"))

    def release_children(self, parent: Thread, out: list[RelayEvent]) -> None:
        """Shows the children of a thread whose turn is over: their calls would have come before."""
        for thread in self.everyone():
            head = thread.head
            if thread.context is None and head is not None and head.parent == parent.id:
                self.orphan(thread, out)

    def release_all(self, out: list[RelayEvent]) -> None:
        """Shows everything that is still held, parents first."""
        waiting = [each for each in self.everyone() if each.context is None and each.held]
        while waiting:
            ready = [each for each in waiting if not self._waits_for(each, waiting)] or waiting[:1]
            for thread in ready:
                self.orphan(thread, out)
            waiting = [each for each in waiting if each.context is None]

    def _waits_for(self, thread: Thread, waiting: list[Thread]) -> bool:
        head = thread.head
        return head is not None and any(each.id == head.parent for each in waiting)

    def _new_context(self, thread: Thread, parent: Context, call: str | None) -> Context:
        context = self._contexts.add(thread.id, parent, call)
        context.session_id = thread.id
        head = thread.head
        context.description = thread.path or thread.nickname
        context.subagent_type = head.agent_role if head is not None else None
        context.model = thread.model
        self._contexts.bind(context, thread.id)
        thread.context = context
        return context

    def _release(self, thread: Thread, out: list[RelayEvent]) -> None:
        now = self._clock.ts
        held, thread.held = thread.held, deque()
        assert thread.context is not None
        with self._clock.at(min(now, held[0][0] or now) if held else now):
            self._agents.announce(thread.context, out)
            for at, step in held:
                self._clock.ts = at
                step(out)
