"""OpenCode's dialect: decides whether a line is OpenCode's, and dispatches events by their types.

Every part has an id and every session names its parent, so nothing has to be guessed; but the same
part comes many times (empty, as deltas, whole, from the database), a child's session is known a
moment before the call that spawned it, and text may arrive after its session went idle.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from unbraid.agents.opencode.dialect.sessions import SessionAttribution
from unbraid.agents.opencode.dialect.texts import RECENT_PARTS, Texts
from unbraid.agents.opencode.dialect.tools import ToolParts
from unbraid.agents.opencode.dialect.turns import SessionTurns
from unbraid.agents.opencode.editions import UNFORKED, Editions
from unbraid.agents.opencode.records import (
    EventProperties,
    Info,
    OpenCodeRecord,
    Part,
    RunLine,
    decode,
)
from unbraid.agents.opencode.requests import CALLED, call_of, offers, request_input
from unbraid.events import (
    Compacted,
    PermissionAsked,
    PermissionReplied,
    Prompt,
    RelayEvent,
    TokenUsage,
    Unrecognized,
)
from unbraid.events.parts import decoded
from unbraid.read.clock import Clock
from unbraid.read.contexts import Agents, Context, Contexts
from unbraid.read.dialects import Dialect
from unbraid.read.record import coerce, read_as, sound
from unbraid.read.seen import forget_oldest, newly

# Events that keep the CLI's own books: nothing in them was said or done by an agent.
SILENT = (
    "plugin.",
    "catalog.",
    "reference.",
    "integration.",
    "server.",
    "file.",
    "lsp.",
    "installation.",
    "vcs.",
    "project.",
    "command.",
    "global.",
    "session.diff",
    "session.deleted",
    "session.compacted",
    "session.turn.",
    "sandbox.",
    "todo.",
    "models",
    "mcp.",
    "tui.",
    "pty.",
)


class OpenCodeDialect(Dialect[OpenCodeRecord]):
    """Translates the records of one run of OpenCode, or of one of the programs made from it."""

    def __init__(self, editions: Editions = UNFORKED) -> None:
        self._editions = editions
        self._silent = (*SILENT, *editions.silent_events)
        self._clock = clock = Clock()
        self._contexts = contexts = Contexts(Context)
        self._agents = agents = Agents(contexts, clock)
        self._seen: dict[int, None] = {}
        self._sessions = SessionAttribution(clock=clock, agents=agents, translate=self.translate)
        self._texts = texts = Texts(clock)
        self._tools = ToolParts(
            clock=clock, agents=agents, sessions=self._sessions, texts=texts, seen=self._seen
        )
        self._turns = SessionTurns(
            clock=clock, contexts=contexts, sessions=self._sessions, texts=texts, seen=self._seen
        )
        self._ended: tuple[bool, str] | None = None
        self._messages: dict[str, Info] = {}
        self._compactions: dict[str, str] = {}  # manual or auto, by the message that asks
        self._transient: dict[str, None] = {}  # parts that are no agent's words
        self._early_prompts: dict[str, list[Prompt]] = {}  # by context
        self._unattributed: dict[str, list[OpenCodeRecord]] = {}  # by message whose role is unknown

    @property
    def ts(self) -> int:
        """The latest time that a source has given, in milliseconds since 1970; 0 if none did."""
        return self._clock.ts

    @property
    def outcome(self) -> tuple[bool, str] | None:
        """How the main agent has ended, as far as is known: ok, and the reason."""
        return self._turns.outcome or self._ended

    @property
    def program(self) -> str | None:
        """The name of the program whose sessions these are: OpenCode, or one made from it."""
        version = self._sessions.version
        return None if version is None else self._editions.of_version(version).name

    def arrive(self, now: int) -> None:
        """Notes when the records that follow have arrived."""
        self._clock.arrived = now

    def decode(self, line: bytes) -> OpenCodeRecord | None:
        """Returns a line as a record; None if it belongs to another kind."""
        record = decode(line)
        return record if record.is_identified else None

    def mend(self, value: dict[str, Any]) -> tuple[OpenCodeRecord, bool] | None:
        """Returns a JSON object as a record with defaults where its types are wrong."""
        record, whole = coerce(OpenCodeRecord, value)
        whole = whole and record.row_bytes is None
        return (record, whole) if record.is_identified else None

    def translate(self, record: OpenCodeRecord, out: list[RelayEvent]) -> None:
        """Appends what is new in a record."""
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
        elif about is not None and about.changed_ms > self._clock.own:
            self._clock.set(about.changed_ms)
        else:
            self._clock.tick()

    def finish(self, out: list[RelayEvent]) -> None:
        """Appends what was waiting, and ends what was running: the sources are over."""
        for message in list(self._unattributed):
            self._messages[message] = Info(id=message, role="assistant")
            self._release(message, out)
        self._sessions.release_all(out)
        self._turns.finish(out)
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
        ok = bool(root.last_text) and not self._tools.are_open and not self._turns.is_answering
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
        if info.role == "assistant":
            self._turns.answering(info)
        elif info.role == "user":
            self._turns.asked(info)
        if info.error is not None and newly(self._seen, hash(("failed", info.id))):
            self._turns.failed(info.session_id, info.error, out)
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
            self._tools.part(context, part, out)
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
        self._texts.delta(
            context,
            message_id=message_id,
            part_id=given.part_id or "",
            delta=given.delta,
            out=out,
        )

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

    def _run_line(self, record: OpenCodeRecord, out: list[RelayEvent]) -> None:
        line = read_as(RunLine, record.raw)
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
        call = call_of(about)
        called = about.get(CALLED)
        if called is None and call is not None:
            called = self._tools.input_of(call)
        out.append(
            PermissionAsked(
                self._sessions.known(given.session_id).id,
                self._clock.ts,
                request_id=given.id or "",
                tool=given.permission or given.kind or "",
                tool_use_id=call,
                input_json=Raw(msgspec.json.encode(request_input(about, called))),
                always=offers(about),
            )
        )

    def _permission_replied(self, given: EventProperties, out: list[RelayEvent]) -> None:
        context = self._sessions.known(given.session_id)
        request = given.request_id or given.permission_id or ""
        reply = given.reply or given.response or ""
        behavior = "deny" if reply == "reject" else "allow"
        out.append(
            PermissionReplied(
                context.id,
                self._clock.ts,
                request,
                behavior=behavior,
                by=given.answered_by,
                where=given.answered_where,
            )
        )
