"""User records: what agents are asked, and the results of their calls."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from unbraid.agents.claude.dialect.attribution import Attribution
from unbraid.agents.claude.dialect.tasks import Tasks
from unbraid.agents.claude.dialect.tools import ToolCalls
from unbraid.agents.claude.records import ClaudeRecord, Task
from unbraid.agents.claude.transcript import (
    HOOK_STOP,
    INTERRUPTION,
    NOT_A_PROMPT,
    NOTIFICATION_ORIGIN,
    TASK_NOTIFICATION,
    WithAttachment,
    notification,
)
from unbraid.events import Prompt, RelayEvent, Unrecognized
from unbraid.read.blocks import Block
from unbraid.read.clock import Clock
from unbraid.read.contexts import Context
from unbraid.read.record import read_as, sound
from unbraid.read.seen import newly

_HOOK_STOP = HOOK_STOP.encode()


class Flags(Struct):
    """What marks a user record as something else than a person's words."""

    is_synthetic: bool | None = field(default=None, name="isSynthetic")


class RecordOrigin(Struct):
    """The writer of a user record."""

    kind: str | None = None


class WithOrigin(Struct):
    """A user record that names its writer."""

    origin: RecordOrigin | None = None


class Prompts:
    """Turns user records into events; `count` of them were prompts. `after_interruption` appends
    what follows from the interruption of an agent.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        attribution: Attribution,
        tools: ToolCalls,
        tasks: Tasks,
        seen: dict[int, None],
        after_interruption: Callable[[Context, list[RelayEvent]], None],
    ) -> None:
        self._clock = clock
        self._attribution = attribution
        self._tools = tools
        self._tasks = tasks
        self._seen = seen
        self._after_interruption = after_interruption
        self.count = 0
        self._announced: str | None = None

    def announce(self, text: str, out: list[RelayEvent]) -> None:
        """Reports what the session is begun with, before there is a record of it."""
        self._announced = text.strip()
        self.count += 1
        out.append(Prompt("", self._clock.ts, text))

    def user(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a user record: prompts, and results of calls."""
        message = record.message
        if message is None:
            out.append(Unrecognized("", self._clock.ts, sound(record.raw)))
            return
        context = self._attribution.context_of(record, out)
        if context is None:
            return
        content = message.content
        uuid = record.uuid
        if isinstance(content, str):
            content = [Block(type="text", text=content)]
        for block in content or ():
            if block.tool_use_id is not None:
                self._tools.result(context, record, block, out)
            elif block.type == "text":
                # Results are reported once for their call; words, once for their record.
                if uuid is not None:
                    if not newly(self._seen, hash(uuid)):
                        return
                    if record.is_sidechain is None and context.parent is not None:
                        self._attribution.learn_uuid(uuid, context, out)
                    uuid = None
                self._words(record, context, block.text or "", out)

    def attachment(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an attachment: what the CLI has added for the model, which no one has said, or
        that a hook has stopped the agent.
        """
        if _HOOK_STOP in record.raw:  # seldom, and most attachments are long
            attached = read_as(WithAttachment, record.raw).attachment
            if attached is not None and attached.type == HOOK_STOP:
                context = self._attribution.context_of(record, out)
                if context is not None:
                    context.interrupted = True

    def _words(
        self, record: ClaudeRecord, context: Context, text: str, out: list[RelayEvent]
    ) -> None:
        if text.startswith(INTERRUPTION):
            context.interrupted = True
            self._after_interruption(context, out)
            return
        notified = notification(text)
        if notified is None and TASK_NOTIFICATION in text:
            origin = read_as(WithOrigin, record.raw).origin
            if origin is not None and origin.kind == NOTIFICATION_ORIGIN:
                notified = notification(text, certain=True)
        if notified is not None:
            self._notified(notified, out)
            return
        if not text or record.is_meta or text.startswith(NOT_A_PROMPT):
            return
        if context.parent is not None:
            if context.prompt is None:
                context.prompt = text
            if text == context.prompt or text.endswith(context.prompt):
                return
        elif record.is_sidechain is None and read_as(Flags, record.raw).is_synthetic:
            return
        elif self._announced is not None:
            announced, self._announced = self._announced, None
            if text.strip() == announced:
                return
        context.interrupted = False
        context.note_question()
        self.count += 1
        out.append(Prompt(context.id, self._clock.ts, text))

    def _notified(self, fields: dict[str, str], out: list[RelayEvent]) -> None:
        """Handles a notification in a parent's conversation that an agent has ended."""
        task = Task(
            task_id=fields.get("task-id"),
            tool_use_id=fields.get("tool-use-id"),
            status=fields.get("status"),
            summary=fields.get("result"),
        )
        self._tasks.over(task, out)
