"""OpenCode's dialect: its records to relay events. Pure.

Every part has an id and every session names its parent, so nothing has to be guessed; but the same
part comes many times (empty, as deltas, whole, from the database), a child's session is known a
moment before the call that spawned it, and text may arrive after its session went idle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct, field

from unbraid.agents.opencode.editions import UNFORKED, Editions
from unbraid.agents.opencode.records import (
    EventProperties,
    Info,
    OpenCodeRecord,
    Part,
    TaskInput,
    ToolState,
    agent_answer,
    decode,
    delta_in,
    error_text,
)
from unbraid.events import (
    Compacted,
    Error,
    PermissionAsked,
    PermissionReplied,
    Prompt,
    RelayEvent,
    SessionMeta,
    TextDelta,
    ThinkingDelta,
    TokenUsage,
    ToolResult,
    ToolUse,
    TurnComplete,
    Unrecognized,
)
from unbraid.events.parts import decoded
from unbraid.read.clock import Clock
from unbraid.read.content import split_content
from unbraid.read.contexts import Agents, Context, Contexts
from unbraid.read.dialects import Dialect
from unbraid.read.record import coerce, read_as, sound
from unbraid.read.seen import forget_oldest, newly

RECENT_PARTS = 1 << 15
# How the title of a session begins that was not named yet; its time follows.
UNTITLED = "New session - "
# Events that keep the CLI's own books: nothing in them was said or done by an agent.
SILENT = tuple(
    """plugin. catalog. reference. integration. server. file. lsp. installation. vcs. project.
    command. global. session.diff session.deleted session.compacted session.turn. sandbox. todo.
    models mcp. tui. pty.""".split()
)


class OpenCodeDialect(Dialect[OpenCodeRecord]):
    """Translates the records of one run of OpenCode, or of one of the programs made from it."""

    delta_signs = (b'"properties"',)
    part_signs = (b'"delta"',)
    delta = staticmethod(delta_in)

    def __init__(self, editions: Editions = UNFORKED) -> None:
        self._editions = editions
        self._silent = (*SILENT, *editions.silent_events)
        self._clock = clock = Clock()
        self._contexts = contexts = Contexts(Context)
        self._agents = agents = Agents(contexts, clock)
        self._seen: dict[int, None] = {}
        self._sessions = SessionAttribution(clock, agents, self.translate)
        self._texts = texts = Texts(clock)
        self._turns = SessionTurns(clock, texts, self._sessions, seen=self._seen)
        self._open_calls: dict[str, tuple[int, Raw]] = {}  # by id: when it began, and with what
        self._ended: tuple[bool, str] | None = None
        self._messages: dict[str, Info] = {}
        self._compactions: dict[str, str] = {}  # manual or auto, by the message that asks
        self._transient: dict[str, None] = {}  # parts that are no agent's words
        self._early_prompts: dict[str, list[Prompt]] = {}  # by context
        self._unattributed: dict[str, list[OpenCodeRecord]] = {}  # by message whose role is unknown

    @property
    def ts(self) -> int:
        return self._clock.ts

    @property
    def outcome(self) -> tuple[bool, str] | None:
        return self._turns.outcome or self._ended

    @property
    def program(self) -> str | None:
        """The name of the program whose sessions these are: OpenCode, or one made from it."""
        version = self._sessions.version
        return None if version is None else self._editions.of_version(version).name

    def arrive(self, now: int) -> None:
        self._clock.arrived = now

    def decode(self, line: bytes) -> OpenCodeRecord | None:
        record = decode(line)
        return record if record.is_identified else None

    def mend(self, value: dict[str, Any]) -> tuple[OpenCodeRecord, bool] | None:
        """Returns a JSON object as a record with defaults where its types are wrong."""
        record, whole = coerce(OpenCodeRecord, value)
        whole = whole and record.row_bytes is None
        return (record, whole) if record.is_identified else None

    def translate(self, record: OpenCodeRecord, out: list[RelayEvent]) -> None:
        if record.row_bytes is not None:
            return  # only its ids were read
        if record.session_id is not None and not bytes(record.properties):
            self._date(record.timestamp)
            self._run_line(record, out)
            return
        given = read_as(EventProperties, bytes(record.properties))
        kind = record.type
        if kind.endswith(".1"):
            kind = kind[:-2]  # the durable event table versions its types
        if kind.startswith(self._silent):
            return
        self._date(given.time if record.timestamp is None else record.timestamp, given.info)
        if kind in ("session.created", "session.updated") and given.info is not None:
            self._sessions.introduce(given.info, out)
        elif kind == "message.updated" and given.info is not None:
            self._message(given.info, out)
        elif kind == "message.part.updated" and given.part is not None:
            self._part(record, given.part, out)
        elif kind == "message.part.delta":
            self._delta(record, given, out)
        elif kind == "session.idle":
            self._turns.idle(given.session_id, out)
        elif kind == "session.status":
            state = given.status.get("type") if isinstance(given.status, dict) else None
            if state == "busy":
                self._turns.begin(given.session_id, out)
            elif state == "idle":
                self._turns.idle(given.session_id, out)
        elif kind == "session.error":
            self._turns.failed(given.session_id, given.error, out)
        elif kind in ("permission.asked", "permission.updated"):
            self._permission_asked(given, bytes(record.properties), out)
        elif kind == "permission.replied":
            self._permission_replied(given, out)
        elif kind == "message.part.removed" and given.part_id in self._transient:
            del self._transient[given.part_id]
        else:
            out.append(Unrecognized("", self._clock.ts, sound(record.raw)))

    def _date(self, own: object, about: Info | None = None) -> None:
        """Sets the clock to a record's own time. What it is about is dated too, and repeated
        later: only a time that is new dates the record.
        """
        if isinstance(own, str | int | float):
            self._clock.set(own)
        elif about is not None and about.time is not None and about.time.latest > self._clock.own:
            self._clock.set(about.time.latest)
        else:
            self._clock.tick()

    def finish(self, out: list[RelayEvent]) -> None:
        """Appends what was waiting, and ends what was running: the sources are over."""
        for message in list(self._unattributed):
            self._messages[message] = Info(id=message, role="assistant")
            self._release(message, out)
        self._sessions.release_all(out)
        self._turns.end_if_due(out)
        everyone, root = self._contexts.everyone(), self._contexts.root
        for context in everyone:
            self._release_prompts(context, out)
        below = [context for context in everyone if context.spawned and context is not root]
        for context in reversed(below):
            if not context.ended:
                ok = self._turns.is_completed(context)
                self._agents.end(
                    context, ok=ok, reason="completed" if ok else "orphaned", content=None, out=out
                )
        is_cut_short = bool(self._open_calls) or self._turns.unfinished is not None
        ok = bool(root.last_text) and not is_cut_short
        called = any(context.call is not None for context in below)
        if below and not called and not self._turns.has_begun:
            # A person continues sub-agents alone: the main agent is part of an earlier run.
            ok = all(self._turns.is_completed(context) for context in below)
        self._ended = (True, "completed") if ok else (False, "orphaned")

    # --- what agents say ---

    def _message(self, info: Info, out: list[RelayEvent]) -> None:
        if not info.id:
            return
        self._messages[info.id] = info
        self._turns.message(info, out)
        forget_oldest(self._messages, RECENT_PARTS)
        if info.id in self._unattributed:
            self._release(info.id, out)

    def _release(self, message: str, out: list[RelayEvent]) -> None:
        """Translates the parts of a message that waited until its role was known."""
        with self._clock.at(self._clock.ts):
            for record in self._unattributed.pop(message, []):
                self.translate(record, out)

    def _part(
        self, record: OpenCodeRecord, part: Part, out: list[RelayEvent], role: str = ""
    ) -> None:
        if part.metadata is not None and self._editions.is_transient(part.metadata):
            self._transient.setdefault(part.id)
            forget_oldest(self._transient, RECENT_PARTS)
            return
        context = self._sessions.context_of(part.session_id, record, out)
        info = self._messages.get(part.message_id)
        if context is None:
            if part.type == "text" and info is not None and info.role == "user" and part.text:
                self._sessions.prompted(part.session_id, part.text, out)
            return
        role = role or (info.role if info is not None and info.role else "")
        if part.type == "text" and not role:
            self._unattributed.setdefault(part.message_id, []).append(record)
            return
        if part.type == "text" and role == "user":
            self._prompted(context, part, out)
            return
        self._release_prompts(context, out)
        if part.type in ("text", "reasoning"):
            self._texts.part(context, part, out)
        elif part.type == "tool":
            self._tool(context, part, out)
        elif part.type == "compaction":
            self._compactions[part.message_id] = "auto" if part.auto else "manual"
            forget_oldest(self._compactions, RECENT_PARTS)
        elif part.type == "step-finish" and part.tokens is not None:
            self._step(context, part, info, out=out)

    def _prompted(self, context: Context, part: Part, out: list[RelayEvent]) -> None:
        if part.synthetic or not part.text or not newly(self._seen, hash(("prompt", part.id))):
            return
        prompt = Prompt(context.id, self._clock.ts, part.text)
        if context.ended:
            # The call that asks it again may be stored a moment later: then it is the call's.
            self._early_prompts.setdefault(context.id, []).append(prompt)
        elif context.parent is None or part.text != context.prompt:
            out.append(prompt)

    def _release_prompts(self, context: Context, out: list[RelayEvent]) -> None:
        """Appends the prompts that waited for a call: the agent answers them."""
        early = self._early_prompts.pop(context.id, ())
        out.extend(prompt for prompt in early if prompt.text != context.prompt)

    def _delta(self, record: OpenCodeRecord, given: EventProperties, out: list[RelayEvent]) -> None:
        context = self._sessions.context_of(given.session_id or "", record, out)
        if context is None or not given.delta or given.field not in (None, "text"):
            return
        message_id = given.message_id or ""
        if message_id in self._unattributed:
            self._unattributed[message_id].append(record)
            return
        self._release_prompts(context, out)
        self._texts.delta(context, message_id, given.part_id or "", delta=given.delta, out=out)

    def _step(
        self, context: Context, part: Part, info: Info | None, *, out: list[RelayEvent]
    ) -> None:
        tokens = part.tokens
        assert tokens is not None
        if not newly(self._seen, hash(("step", part.id))):
            return
        cache = tokens.cache
        message_id = part.message_id
        if not newly(self._seen, hash(("used", message_id))):
            message_id = f"{message_id}/{part.id}"  # one more step of the model in this message
        out.append(
            TokenUsage(
                context.id,
                self._clock.ts,
                message_id=message_id,
                model=info.model_name if info is not None else None,
                input_tokens=round(tokens.input or 0),
                output_tokens=round(tokens.output or 0) + round(tokens.reasoning or 0),
                cache_read_tokens=round(cache.read or 0) if cache is not None else 0,
                cache_creation_tokens=round(cache.write or 0) if cache is not None else 0,
                # It writes 0 for every model whose price it does not know.
                cost_usd=part.cost or None,
            )
        )
        if info is not None and info.summary is True:
            # What is said from here on has read this message and not what was before it.
            trigger = self._compactions.get(info.parent_id or "")
            out.append(Compacted(context.id, self._clock.ts, trigger=trigger))

    def _tool(self, context: Context, part: Part, out: list[RelayEvent]) -> None:
        """Appends a call, once, when it runs; and its result, once."""
        state = part.state
        call_id = part.call_id or part.id
        spawns = part.tool == "task"
        if state is None or state.status == "pending":
            if spawns and hash(("call", part.message_id, call_id)) not in self._seen:
                self._sessions.coming_calls.add(call_id)
            return
        self._sessions.coming_calls.discard(call_id)
        if newly(self._seen, hash(("call", part.message_id, call_id))):
            self._open_calls[call_id] = self._clock.ts, state.input
            out.append(
                ToolUse(
                    context=context.id,
                    ts=self._clock.ts,
                    message_id=part.message_id,
                    block=self._texts.next_block(part.message_id),
                    tool_use_id=call_id,
                    tool=part.tool or "",
                    input_json=state.input,
                )
            )
        child = self._sessions.spawned(context, part, call_id, out=out) if spawns else None
        if state.status not in ("completed", "error"):
            return
        if not newly(self._seen, hash(("result", part.message_id, call_id))):
            return
        ok = state.status == "completed"
        content, parts = split_content(state.output if ok else error_text(state.error))
        out.append(
            ToolResult(
                context=context.id,
                ts=self._clock.ts,
                tool_use_id=call_id,
                ok=ok,
                content_json=Raw(msgspec.json.encode(content)),
                parts=(parts or []) + (state.attachments or []) or None,
                tool=part.tool,
                duration_ms=self._duration(call_id, state),
            )
        )
        if child is not None and child.call == call_id:
            reason = "completed" if ok else "failed"
            self._agents.end(child, ok=ok, reason=reason, content=agent_answer(content), out=out)

    def _duration(self, call_id: str, state: ToolState) -> int | None:
        began, _ = self._open_calls.pop(call_id, (0, None))
        time = state.time
        if time is not None and time.start is not None and time.end is not None:
            return round(time.end) - round(time.start)
        now = self._clock.ts
        return now - began if began and now >= began else None

    def _run_line(self, record: OpenCodeRecord, out: list[RelayEvent]) -> None:
        line = read_as(EventProperties, record.raw)
        if record.type == "error":
            self._turns.failed(line.session_id, line.error, out)
        elif line.part is not None:
            part = line.part
            part.session_id = part.session_id or line.session_id or ""
            self._part(record, part, out, role="assistant")
        elif record.type not in ("step_start", "step_finish"):
            out.append(Unrecognized("", self._clock.ts, sound(record.raw)))

    # --- permissions ---

    def _permission_asked(
        self, given: EventProperties, asked: bytes, out: list[RelayEvent]
    ) -> None:
        about = decoded(asked)
        # Nested deeper than we can follow, it is text.
        about = about if isinstance(about, dict) else {"metadata": about}
        tool = about.get("tool")
        call = tool.get("callID") if isinstance(tool, dict) else about.get("callID")
        call = call if isinstance(call, str) else None
        # A plugin adds it; else it is known if the call is open.
        called = about.get("unbraidInput")
        if called is None and (opened := self._open_calls.get(call or "")) is not None:
            called = decoded(bytes(opened[1]))
        patterns = about.get("always")
        offers = [", ".join(map(str, patterns))] if isinstance(patterns, list) and patterns else []
        out.append(
            PermissionAsked(
                self._sessions.known(given.session_id).id,
                self._clock.ts,
                request_id=given.id or "",
                tool=given.permission or given.kind or "",
                tool_use_id=call,
                input_json=Raw(msgspec.json.encode(request_input(about, called))),
                always=offers,
            )
        )

    def _permission_replied(self, given: EventProperties, out: list[RelayEvent]) -> None:
        reply = given.reply or given.response or ""
        out.append(
            PermissionReplied(
                self._sessions.known(given.session_id).id,
                self._clock.ts,
                given.request_id or given.permission_id or "",
                behavior="deny" if reply == "reject" else "allow",
                by=given.answered_by,
                where=given.answered_where,
            )
        )


# --- which agent a session is ---


class LooseCall(NamedTuple):
    """A call that has started an agent and does not say its session."""

    parent: Context
    part: Part
    title: str
    prompt: str | None


class SessionAttribution:
    """The sessions of a run: which is the root, and which call spawned which other.

    A record whose session's spawning call is not known yet is held; `translate` takes it in again.
    """

    def __init__(
        self,
        clock: Clock,
        agents: Agents[Context],
        translate: Callable[[OpenCodeRecord, list[RelayEvent]], None],
    ) -> None:
        self._clock, self._agents, self._translate = clock, agents, translate
        self.contexts = agents.contexts
        self.root: str | None = None  # the main agent's session
        self.version: str | None = None  # of the program, as its sessions say
        self._infos: dict[str, Info] = {}
        self._held: dict[str, list[OpenCodeRecord]] = {}  # by session whose call is unknown
        self._prompts: dict[str, str] = {}  # by session whose call is unknown
        self._loose: dict[str, LooseCall] = {}  # by call
        self.coming_calls: set[str] = set()  # that may start an agent, and have not begun

    def known(self, session: str | None) -> Context:
        """Returns the agent whose session this is, as far as is known: else the main agent."""
        return self.contexts.by_agent.get(session or "") or self.contexts.root

    def context_of(
        self, session: str, record: OpenCodeRecord, out: list[RelayEvent]
    ) -> Context | None:
        """Returns the agent whose session this is, or None if the call that spawned it is not known
        yet.
        """
        if not session:
            return self.contexts.root
        context = self.contexts.by_agent.get(session)
        if context is not None:
            self._agents.announce(context, out)
            return context
        info = self._infos.get(session)
        if info is not None and info.parent_id is not None:
            if not info.continued or self._loose or self.coming_calls:
                self._held.setdefault(session, []).append(record)
                return None
            context = self._adopt(session, None, None)
        else:
            context = self._take_root(session)
        self._agents.announce(context, out)
        return context

    def introduce(self, info: Info, out: list[RelayEvent]) -> None:
        """Takes the facts that a session reports about itself."""
        known = self._infos.get(info.id)
        self._infos[info.id] = info
        self.version = info.version or self.version
        if info.parent_id is not None:
            return
        context = self.contexts.by_agent.get(info.id) or self._take_root(info.id)
        if context is not self.contexts.root:
            self._agents.announce(context, out)
            return
        model = info.model_name
        title = None if (info.title or "").startswith(UNTITLED) else info.title
        facts = (info.id, model, info.directory, info.version, title)
        if known is None or facts != context.meta:
            context.meta = facts
            out.append(
                SessionMeta(
                    "",
                    self._clock.ts,
                    session_id=info.id,
                    model=model,
                    cwd=info.directory,
                    version=info.version,
                    title=title,
                )
            )

    def release_all(self, out: list[RelayEvent]) -> None:
        """Releases all held records: no call that spawned their sessions will be found any more."""
        for session in list(self._held):
            self._release(session, self._adopt(session, None, None), out)

    # --- calls that start agents ---

    def spawned(
        self, parent: Context, part: Part, call_id: str, *, out: list[RelayEvent]
    ) -> Context | None:
        """Returns the agent that a `task` call has started, if its session is known by now."""
        child = self._child(parent, part, call_id, session=part.child_session, out=out)
        if child is None:
            child = self.contexts.by_call.get(call_id)
        self._loose.pop(call_id, None)
        if child is None and part.state is not None and part.state.status == "running":
            given = read_as(TaskInput, bytes(part.state.input))
            title = f"{given.description} (@{given.subagent_type} subagent)"
            self._loose[call_id] = LooseCall(parent, part, title, prompt=given.prompt)
        self._match(out)
        return child

    def prompted(self, session: str, prompt: str, out: list[RelayEvent]) -> None:
        """Takes the prompt of a session whose call is unknown: it may show which call that is."""
        self._prompts.setdefault(session, prompt)
        self._match(out)

    def _match(self, out: list[RelayEvent]) -> None:
        """Joins sessions and calls that can only belong to each other.

        1.2 may lose, for as long as an agent works, what its call says of its session. The session
        has the call's words as its title and its prompt; equals among them cannot be distinguished.
        """
        if self.coming_calls:
            return
        infos = {session: self._infos[session] for session in self._prompts}
        wanted = {
            session: (info.parent_id, info.title, self._prompts[session])
            for session, info in infos.items()
        }
        for session, words in wanted.items():
            fitting = [
                call
                for call, loose in self._loose.items()
                if (loose.parent.session_id, loose.title, loose.prompt) == words
            ]
            if len(fitting) == 1 and list(wanted.values()).count(words) == 1:
                loose = self._loose.pop(fitting[0])
                self._child(loose.parent, loose.part, fitting[0], session=session, out=out)

    def _child(
        self,
        parent: Context,
        part: Part,
        call_id: str,
        *,
        session: str | None,
        out: list[RelayEvent],
    ) -> Context | None:
        """Returns the agent that a `task` call has started, once its session is known."""
        assert part.state is not None
        if session is None or session == part.session_id:
            return None
        given = read_as(TaskInput, bytes(part.state.input))
        context = self.contexts.by_agent.get(session)
        if context is None:
            context = self._adopt(session, call_id, parent)
        elif context is self.contexts.root:
            return None
        elif call_id not in context.calls and context.call is not None:
            context.prompt = given.prompt
            self._agents.resume(context, call_id, out)
            return context
        context.prompt = context.prompt or given.prompt
        context.description = given.description or context.description
        context.subagent_type = given.subagent_type or context.subagent_type
        self._release(session, context, out)
        return context

    # --- contexts ---

    def _take_root(self, session: str) -> Context:
        if self.root is None:
            self.root = session
            self._agents.session_id = session
            root = self.contexts.root
            root.session_id = session
            self.contexts.by_agent[session] = root
            return root
        # A server's stream may hold several conversations; each is an agent of its own.
        return self._adopt(session, None, None)

    def _adopt(self, session: str, call: str | None, parent: Context | None) -> Context:
        info = self._infos.get(session)
        if parent is None:
            above = self.contexts.by_agent.get(info.parent_id or "") if info is not None else None
            parent = above or self.contexts.root
        context = self.contexts.add(session, parent, call)
        context.session_id = session
        if info is not None:
            context.description = info.title
            context.subagent_type = info.agent
        self.contexts.bind(context, session)
        return context

    def _release(self, session: str, context: Context, out: list[RelayEvent]) -> None:
        self._agents.announce(context, out)
        self._prompts.pop(session, None)
        with self._clock.at(self._clock.ts):
            for record in self._held.pop(session, []):
                self._translate(record, out)


# --- texts ---


class TextPart(Struct, gc=False):
    """How much of a text part has been said."""

    kind: type[TextDelta] | type[ThinkingDelta]
    block: int
    length: int = 0
    parts: list[str] | None = field(default_factory=list)
    whole: int = 0  # the digest of the whole text, once it is known


class Texts:
    """Turns text parts and deltas into events."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._texts: dict[str, TextPart] = {}  # by part
        self._blocks: dict[str, int] = {}  # by message: how many blocks it has
        self._saying: dict[str, TextPart] = {}  # by context: its latest text

    def next_block(self, message_id: str) -> int:
        """Returns the index of a message's next block."""
        index = self._blocks.get(message_id, 0)
        self._blocks[message_id] = index + 1
        forget_oldest(self._blocks, RECENT_PARTS)
        return index

    def latest(self, context: Context) -> str:
        """Returns an agent's latest text, as far as it is known."""
        saying = self._saying.get(context.id)
        if saying is not None and saying.parts is not None:
            return "".join(saying.parts)
        return context.last_text

    def part(self, context: Context, part: Part, out: list[RelayEvent]) -> None:
        """Appends what is new in a text part, by what it is now."""
        text = part.text or ""
        state = self._state(part)
        if state.parts is None:
            if state.whole == hash(text) or len(text) <= state.length:
                return
            delta = text[state.length :]
        else:
            said = "".join(state.parts)
            if text.startswith(said):
                delta = text[len(said) :]
            elif said.startswith(text):
                delta = ""  # the CLI trims a text when it is over
            else:
                state.block = self.next_block(part.message_id)
                delta = text
        self._say(context, part.message_id, state, delta=delta, out=out)
        if part.time is not None and part.time.end is not None:
            if part.type == "text":
                context.last_text = text
            state.parts = None
            state.whole = hash(text)
            state.length = max(state.length, len(text))

    def delta(
        self, context: Context, message_id: str, part_id: str, *, delta: str, out: list[RelayEvent]
    ) -> None:
        """Appends more of a text part."""
        state = self._texts.get(part_id)
        # A part whose beginning was missed is reported when it comes whole.
        if state is not None and state.parts is not None:
            self._say(context, message_id, state, delta=delta, out=out)

    def _state(self, part: Part) -> TextPart:
        state = self._texts.get(part.id)
        if state is None:
            kind = TextDelta if part.type == "text" else ThinkingDelta
            state = self._texts[part.id] = TextPart(kind, self.next_block(part.message_id))
            forget_oldest(self._texts, RECENT_PARTS)
        return state

    def _say(
        self,
        context: Context,
        message_id: str,
        state: TextPart,
        *,
        delta: str,
        out: list[RelayEvent],
    ) -> None:
        if not delta:
            return
        state.length += len(delta)
        if state.parts is not None:
            state.parts.append(delta)
        # By position, because there are so many, and it is quicker.
        out.append(state.kind(context.id, self._clock.ts, message_id, state.block, delta))
        if state.kind is TextDelta:
            self._saying[context.id] = state
            context.last_text = delta


# --- turns ---


class SessionTurns:
    """Which sessions are at work, and how the main agent's latest turn has ended.

    A session that is aborted goes idle before it says so, and idle again after: the end of a turn
    waits until its message is whole, or has failed.
    """

    def __init__(
        self, clock: Clock, texts: Texts, sessions: SessionAttribution, *, seen: dict[int, None]
    ) -> None:
        self._clock, self._texts, self._sessions, self._seen = clock, texts, sessions, seen
        self._main = sessions.contexts.root
        self.outcome: tuple[bool, str] | None = None
        self._busy: set[str | None] = set()
        self.unfinished: str | None = None  # the main agent's message that is not completed yet
        self._completed: set[str | None] = set()  # sessions whose latest message is whole
        self._idle_due = False
        self._open = False  # whether anything was asked, said or failed since the turn before
        self.has_begun = False  # whether the main agent has had any turn
        self._turn = 0
        self._failed: str | None = None  # why the present turn has failed

    def begin(self, session: str | None, out: list[RelayEvent]) -> None:
        """Notes that a session begins to work."""
        if session == self._sessions.root:
            self.has_begun = True
            self.end_if_due(out)
            if session not in self._busy:
                self._turn += 1
        self._busy.add(session)

    def idle(self, session: str | None, out: list[RelayEvent]) -> None:
        """Notes that a session has become idle."""
        if session not in self._busy:
            return
        if session != self._sessions.root:
            self._busy.discard(session)
        elif self.unfinished is not None and self._failed is None:
            self._idle_due = True
        else:
            self._end(out)

    def message(self, info: Info, out: list[RelayEvent]) -> None:
        """Notes that a message has begun, or is complete, or has failed."""
        if info.role == "assistant":
            self._answering(info)
        elif (
            info.role == "user"
            and info.session_id == self._sessions.root
            and newly(self._seen, hash(("asked", info.id)))
        ):
            self._open = self.has_begun = True  # even if another event reports it, too
        if info.error is not None and newly(self._seen, hash(("failed", info.id))):
            self.failed(info.session_id, info.error, out)

    def _answering(self, info: Info) -> None:
        over = (info.time is not None and info.time.completed is not None) or bool(info.error)
        # A second source repeats how a message began: that begins no turn.
        known = hash(("over", info.id))
        if info.id and known in self._seen:
            return
        if over:
            newly(self._seen, known)
        (self._completed.add if over else self._completed.discard)(info.session_id)
        if info.session_id in (self._sessions.root, None):
            self._open = self.has_begun = True
            if not over:
                self.unfinished = info.id
                self.outcome = None  # of the turn before
                self._busy.add(self._sessions.root)
            elif info.id == self.unfinished:
                self.unfinished = None

    def failed(self, session: str | None, error: Any, out: list[RelayEvent]) -> None:
        """Notes that a session, or a message of it, has failed."""
        context = self._sessions.known(session)
        name = error.get("name") if isinstance(error, dict) else None
        # A failure is reported by its message, by its session, and again by other sources.
        if not newly(self._seen, hash(("error", session, self._turn, error_text(error)))):
            return
        out.append(Error(context.id, self._clock.ts, error_text(error), code=name))
        if context is self._main:
            self._open = self.has_begun = True
            self._failed = "interrupted" if name == "MessageAbortedError" else "failed"
            self.outcome = (False, self._failed)

    def end_if_due(self, out: list[RelayEvent]) -> None:
        """Ends a turn whose session is idle already."""
        if self._idle_due:
            self._end(out)

    def is_completed(self, context: Context) -> bool:
        """Returns whether an agent's latest message is whole."""
        return context.session_id in self._completed

    def _end(self, out: list[RelayEvent]) -> None:
        ok = self._failed is None
        reason = self._failed or "completed"
        self.outcome = (ok, reason)
        self._failed = self.unfinished = None
        self._idle_due = False
        self._busy.discard(self._sessions.root)
        result = self._texts.latest(self._main)
        # Its server and its database both say that a session is idle, in any order.
        if not self._open:
            return
        self._open = False
        out.append(
            TurnComplete(
                "",
                self._clock.ts,
                ok=ok,
                subtype="idle" if ok else reason,
                reason=reason,
                result=result or None,
            )
        )


# --- permission requests ---


def request_input(asked: dict[str, Any], called: Any) -> dict[str, Any]:
    """Returns all that is known of what a request would allow: the input of its call, and what the
    request says. Where both have a name, the request counts: an agent chooses what it gives a call.

    A request names a permission and says little else: for a shell command only patterns, which
    leave out parts of it, and for the tool of a plugin or an MCP server nothing. What is approved
    is the call.
    """
    shown: dict[str, Any] = {}
    for given, name in ((called, "input"), (asked.get("metadata"), "metadata")):
        if isinstance(given, dict):
            shown |= given
        elif given is not None:
            shown[name] = given
    return shown | {
        name: asked[name] for name in ("title", "pattern", "patterns") if asked.get(name)
    }
