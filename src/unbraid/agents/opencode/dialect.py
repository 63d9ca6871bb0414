"""OpenCode's records to relay events.

Every part has an id and every session names its parent, so nothing has to be guessed; but the same
part comes many times (empty, as deltas, whole, from the database), a child's session is known a
moment before the call that spawned it, and text may arrive after its session went idle.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw

from unbraid.agents.claude.records import split_content
from unbraid.agents.opencode.attribution import Loose, Sessions, TextPart, model_of
from unbraid.agents.opencode.records import Info, Part, Properties, RunLine, error_text, handed_back
from unbraid.events import (
    PermissionAsked,
    PermissionReplied,
    Prompt,
    RelayEvent,
    TextDelta,
    ThinkingDelta,
    TokenUsage,
    ToolResult,
    ToolUse,
    Unrecognized,
)
from unbraid.translate.contexts import Context
from unbraid.translate.lifecycle import spawn_input
from unbraid.translate.seen import forget_oldest, newly
from unbraid.wire.record import Record, milliseconds, read_as, sound

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
    "todo.",
    "models",
    "mcp.",
    "tui.",
    "pty.",
)
RECENT_PARTS = 1 << 15


class OpenCode(Sessions):
    """The translator of OpenCode's records."""

    def __init__(self) -> None:
        super().__init__()
        self._roles: dict[str, Info] = {}
        self._texts: dict[str, TextPart] = {}
        self._places: dict[str, int] = {}  # message: how many parts it has
        self._calls: dict[str, int] = {}  # open call: when it began
        self._untold: dict[str, list[Record]] = {}  # by message whose role is unknown

    def translate(self, record: Record, out: list[RelayEvent]) -> None:
        """Append what is new in a record."""
        if record.timestamp is not None:
            self.ts = self.agents.ts = milliseconds(record.timestamp) or self.ts
        if record.session_id_opencode is not None and not bytes(record.properties):
            self._run_line(record, out)
            return
        given = read_as(Properties, bytes(record.properties))
        if record.timestamp is None and isinstance(given.time, int | float):
            self.ts = self.agents.ts = milliseconds(given.time) or self.ts
        kind = record.type
        if kind.endswith(".1"):
            kind = kind[:-2]  # the durable event table versions its types
        if kind in ("session.created", "session.updated") and given.info is not None:
            self._session(given.info, out)
        elif kind == "message.updated" and given.info is not None:
            self._message(given.info, out)
        elif kind == "message.part.updated" and given.part is not None:
            self._part(record, given.part, out)
        elif kind == "message.part.delta":
            self._delta(record, given, out)
        elif kind == "session.idle":
            self._idle(given.session_id, out)
        elif kind == "session.status":
            state = given.status.get("type") if isinstance(given.status, dict) else None
            if state == "busy":
                self._begin(given.session_id, out)
            elif state == "idle":
                self._idle(given.session_id, out)
        elif kind == "session.error":
            self._failed(given.session_id, given.error, out)
        elif kind in ("permission.asked", "permission.updated"):
            self._asked(given, out)
        elif kind == "permission.replied":
            request = given.request_id or given.permission_id or ""
            reply = given.reply or given.response or ""
            context = self._known(given.session_id)
            behavior = "deny" if reply == "reject" else "allow"
            out.append(PermissionReplied(context.id, self.ts, request, behavior))
        elif not kind.startswith(SILENT):
            out.append(Unrecognized("", self.ts, sound(record.raw)))

    def finish(self, out: list[RelayEvent]) -> None:
        """The sources are over: settle what was waiting, orphan what was running."""
        for message in list(self._untold):
            self._roles[message] = Info(id=message, role="assistant")
            self._tell(message, out)
        for session in list(self._held):
            context = self._adopt(session, None, None)
            self._release(session, context, out)
        if self._idle_due:
            self._end_turn(out)
        for context in reversed(self.contexts.everyone()):
            if context.spawned and not context.ended:
                ok = context.session_id in self._completed
                self.agents.end(context, ok, "completed" if ok else "orphaned", None, out=out)
        if self.outcome is None:
            root = self.contexts.root
            # A message that was never completed is an answer that was cut short.
            spoke = bool(root.last_text) and not self._calls and self._working is None
            self.outcome = (True, "completed") if spoke else (False, "orphaned")

    # --- what agents say ---

    def _message(self, info: Info, out: list[RelayEvent]) -> None:
        if not info.id:
            return
        self._roles[info.id] = info
        if info.role == "assistant":
            over = info.time is not None and info.time.completed is not None
            (self._completed.add if over else self._completed.discard)(info.session_id)
            if info.session_id in (self._root, None):
                if not over:
                    self._working = info.id
                    self._busy.add(self._root)
                elif info.id == self._working:
                    self._working = None
        if info.error is not None and newly(self.seen, hash(("failed", info.id))):
            self._failed(info.session_id, info.error, out)
        forget_oldest(self._roles, RECENT_PARTS)
        if info.id in self._untold:
            self._tell(info.id, out)

    def _tell(self, message: str, out: list[RelayEvent]) -> None:
        for record in self._untold.pop(message, []):
            self.translate(record, out)

    def _part(self, record: Record, part: Part, out: list[RelayEvent], role: str = "") -> None:
        context = self._who(part.session_id, record, out)
        info = self._roles.get(part.message_id)
        if context is None:
            if part.type == "text" and info is not None and info.role == "user" and part.text:
                self._asked_of.setdefault(part.session_id, part.text)
                self._match(out)
            return
        role = role or (info.role if info is not None and info.role else "")
        if part.type == "text" and not role:
            self._untold.setdefault(part.message_id, []).append(record)
            return
        if part.type == "text" and role == "user":
            self._prompted(context, part, out)
        elif part.type in ("text", "reasoning"):
            self._text(context, part, out)
        elif part.type == "tool":
            self._tool(context, part, out)
        elif part.type == "step-finish" and part.tokens is not None:
            self._step(context, part, info, out)

    def _prompted(self, context: Context, part: Part, out: list[RelayEvent]) -> None:
        if part.synthetic or not part.text or not newly(self.seen, hash(("prompt", part.id))):
            return
        if context.parent is not None and part.text == context.prompt:
            return
        out.append(Prompt(context.id, self.ts, part.text))

    def _state(self, part: Part) -> TextPart:
        state = self._texts.get(part.id)
        if state is None:
            kind = TextDelta if part.type == "text" else ThinkingDelta
            state = self._texts[part.id] = TextPart(kind, self._place(part.message_id))
            forget_oldest(self._texts, RECENT_PARTS)
        return state

    def _place(self, message_id: str) -> int:
        place = self._places.get(message_id, 0)
        self._places[message_id] = place + 1
        forget_oldest(self._places, RECENT_PARTS)
        return place

    def _text(self, context: Context, part: Part, out: list[RelayEvent]) -> None:
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
                state.block = self._place(part.message_id)
                delta = text
        self._say(context, part.message_id, state, delta, out)
        if part.time is not None and part.time.end is not None:
            if part.type == "text":
                context.last_text = text
            state.parts = None
            state.whole = hash(text)
            state.length = max(state.length, len(text))

    def _delta(self, record: Record, given: Properties, out: list[RelayEvent]) -> None:
        context = self._who(given.session_id or "", record, out)
        if context is None or not given.delta or given.field not in (None, "text"):
            return
        message_id = given.message_id or ""
        if message_id in self._untold:
            self._untold[message_id].append(record)
            return
        state = self._texts.get(given.part_id or "")
        # A part whose beginning was missed is told when it comes whole.
        if state is not None and state.parts is not None:
            self._say(context, message_id, state, given.delta, out)

    def _say(
        self,
        context: Context,
        message_id: str,
        state: TextPart,
        delta: str,
        out: list[RelayEvent],
    ) -> None:
        if not delta:
            return
        state.length += len(delta)
        if state.parts is not None:
            state.parts.append(delta)
        out.append(state.kind(context.id, self.ts, message_id, state.block, delta))
        if state.kind is TextDelta:
            self._saying[context.id] = state
            context.last_text = delta

    def _tool(self, context: Context, part: Part, out: list[RelayEvent]) -> None:
        state = part.state
        call_id = part.call_id or part.id
        spawns = part.tool == "task"
        if state is None or state.status == "pending":
            if spawns and hash(("call", part.message_id, call_id)) not in self.seen:
                self._coming.add(call_id)
            return
        self._coming.discard(call_id)
        if newly(self.seen, hash(("call", part.message_id, call_id))):
            self._calls[call_id] = self.ts
            place = self._place(part.message_id)
            out.append(
                ToolUse(
                    context.id,
                    self.ts,
                    part.message_id,
                    place,
                    call_id,
                    part.tool or "",
                    state.input,
                )
            )
        child = self._child(context, part, call_id, part.child_session, out) if spawns else None
        if spawns and child is None:
            child = self.contexts.by_call.get(call_id)
        self._loose.pop(call_id, None)
        if spawns and child is None and state.status == "running":
            given = spawn_input(bytes(state.input))
            title = f"{given.description} (@{given.subagent_type} subagent)"
            self._loose[call_id] = Loose(context, part, title, given.prompt)
        if spawns:
            self._match(out)
        if state.status not in ("completed", "error"):
            return
        if not newly(self.seen, hash(("result", part.message_id, call_id))):
            return
        began = self._calls.pop(call_id, 0)
        time = state.time
        duration = None
        if time is not None and time.start is not None and time.end is not None:
            duration = round(time.end) - round(time.start)
        elif began and self.ts >= began:
            duration = self.ts - began
        ok = state.status == "completed"
        content, parts = split_content(state.output if ok else error_text(state.error))
        out.append(
            ToolResult(
                context.id,
                self.ts,
                call_id,
                ok,
                Raw(msgspec.json.encode(content)),
                (parts or []) + (state.attachments or []) or None,
                part.tool,
                duration,
            )
        )
        if child is not None and child.call == call_id:
            reason = "completed" if ok else "failed"
            self.agents.end(child, ok, reason, handed_back(content), out=out)

    def _match(self, out: list[RelayEvent]) -> None:
        for session, call_id in self._matches():
            loose = self._loose.pop(call_id)
            self._child(loose.parent, loose.part, call_id, session, out)

    def _child(
        self,
        parent: Context,
        part: Part,
        call_id: str,
        session: str | None,
        out: list[RelayEvent],
    ) -> Context | None:
        """The agent that a `task` call has started, once its session is known."""
        assert part.state is not None
        if session is None or session == part.session_id:
            return None
        given = spawn_input(bytes(part.state.input))
        context = self.contexts.by_agent.get(session)
        if context is None:
            context = self._adopt(session, call_id, parent)
        elif context is self.contexts.root:
            return None
        elif call_id not in context.calls and context.call is not None:
            context.prompt = given.prompt
            self.agents.resume(context, call_id, out)
            return context
        context.prompt = context.prompt or given.prompt
        context.description = given.description or context.description
        context.subagent_type = given.subagent_type or context.subagent_type
        self._release(session, context, out)
        return context

    def _step(self, context: Context, part: Part, info: Info | None, out: list[RelayEvent]) -> None:
        tokens = part.tokens
        assert tokens is not None
        if not newly(self.seen, hash(("step", part.id))):
            return
        cache = tokens.cache
        message_id = part.message_id
        if not newly(self.seen, hash(("used", message_id))):
            message_id = f"{message_id}/{part.id}"  # one more step of the model in this message
        out.append(
            TokenUsage(
                context.id,
                self.ts,
                message_id,
                model_of(info) if info is not None else None,
                round(tokens.input or 0),
                round(tokens.output or 0) + round(tokens.reasoning or 0),
                round(cache.read or 0) if cache is not None else 0,
                round(cache.write or 0) if cache is not None else 0,
                part.cost,
            )
        )

    def _run_line(self, record: Record, out: list[RelayEvent]) -> None:
        line = read_as(RunLine, record.raw)
        if record.type == "error":
            self._failed(line.session_id, line.error, out)
        elif line.part is not None:
            part = line.part
            part.session_id = part.session_id or line.session_id or ""
            self._part(record, part, out, role="assistant")
        elif record.type not in ("step_start", "step_finish"):
            out.append(Unrecognized("", self.ts, sound(record.raw)))

    def _asked(self, given: Properties, out: list[RelayEvent]) -> None:
        context = self._known(given.session_id)
        call = given.tool.get("callID") if isinstance(given.tool, dict) else None
        out.append(
            PermissionAsked(
                context.id,
                self.ts,
                given.id or "",
                given.permission or given.kind or "",
                call if isinstance(call, str) else None,
                given.metadata,
            )
        )
