"""Who says a line of Claude Code's.

On stdout a line names the call that spawned its agent. In transcripts it names the agent, or, in
1.0, nobody at all. A transcript's line may come before anything that tells what spawned its agent:
then it is held until that is known.
"""

from __future__ import annotations

from unbraid.agents.claude.records import Block
from unbraid.agents.claude.transcript import WARMUP
from unbraid.events import RelayEvent
from unbraid.translate.blocks import STDOUT
from unbraid.translate.contexts import Context
from unbraid.translate.lifecycle import Agents
from unbraid.translate.seen import forget_oldest
from unbraid.wire.record import Record

MAX_HELD_RECORDS = 100_000
RECENT_IDS = 4096


class Speakers:
    """Finds the agent that a line belongs to."""

    def __init__(self) -> None:
        self.agents = Agents()
        self.contexts = self.agents.contexts
        self.ts = 0
        self.source = STDOUT
        self._held: dict[str, list[Record]] = {}  # agents whose spawning call is not known yet
        self._held_count = 0
        self._by_uuid: dict[str, Context] = {}
        self._by_message: dict[str, Context] = {}
        # Whose a line of stdout is that names nobody but its call, once that is settled.
        self._direct: dict[str | None, Context] = {None: self.contexts.root}
        self._chains: dict[str, str] = {}  # 1.0: the uuid of a sidechain's line: its first line's

    def translate(self, record: Record, out: list[RelayEvent]) -> None:
        """Append what is new in a record."""
        raise NotImplementedError

    def _who(self, record: Record, out: list[RelayEvent]) -> Context | None:
        """The agent a line belongs to, or None if it has to wait for that."""
        contexts = self.contexts
        call = record.parent_tool_use_id
        if call:
            context = contexts.by_call.get(call)
            if context is None and call in self.agents.early:
                self.agents.settle_early(out, call)
                context = contexts.by_call.get(call)
            if context is None:
                owner = self.agents.calls.get(call)
                parent = owner.context if owner is not None else contexts.root
                context = contexts.add(call, parent, call)
            if record.agent_id_stdout is not None and context.agent_id is None:
                self.agents.identify(context, record.agent_id_stdout, out)
                self._retry(out)
            self.agents.announce(context, out)
            self._direct[call] = context
            return context
        if not record.is_sidechain:
            if record.agent_id_stdout is not None:
                return contexts.by_agent.get(record.agent_id_stdout, contexts.root)
            return contexts.root
        agent_id = record.agent_id_transcript or self._chain(record)
        context = contexts.by_agent.get(agent_id)
        if context is None:
            if agent_id not in self._held:
                context = self._join(agent_id, record, out)
            if context is None:
                self._hold(agent_id, record, out)
                return None
        self.agents.announce(context, out)
        return context

    def _chain(self, record: Record) -> str:
        """1.0 writes sub-agents into the session's file, as chains of lines without an id."""
        uuid = record.uuid or ""
        first = self._chains.get(record.parent_uuid or "", uuid)
        self._chains[uuid] = first
        return f"sidechain:{first}"

    def _join(self, agent_id: str, record: Record, out: list[RelayEvent]) -> Context | None:
        """Find the context of an agent id by what its line has in common with known ones."""
        context = self._by_uuid.get(record.uuid or "")
        message = record.message
        if context is None and message is not None:
            if message.id is not None:
                context = self._by_message.get(message.id)
            prompt = _plain(message.content) if record.type == "user" else None
            if context is None:
                found = self.agents.from_facts(agent_id, prompt, out)
                if found is not None:
                    return found
            if context is None and prompt is not None and not self.agents.knows_call(agent_id):
                waiting = self.contexts.awaiting(prompt)
                if len(waiting) == 1:
                    context = waiting[0]
        if context is not None and context.agent_id is None:
            self.agents.identify(context, agent_id, out)
        elif context is not None:
            self.contexts.by_agent[agent_id] = context
        return context

    def _hold(self, agent_id: str, record: Record, out: list[RelayEvent]) -> None:
        self._held.setdefault(agent_id, []).append(record)
        self._held_count += 1
        if self._held_count > MAX_HELD_RECORDS:
            # Somebody writes and nobody spawned it: rather a stream of its own than no memory.
            self._release(agent_id, self._stray(agent_id, out), out)

    def _stray(self, agent_id: str, out: list[RelayEvent]) -> Context:
        """A context for an agent that no call is known to have spawned."""
        contexts = self.contexts
        first = self._held[agent_id][0]
        prompt = _plain(first.message.content) if first.message is not None else None
        same = contexts.awaiting(prompt) if prompt is not None else []
        context = same[0] if same else contexts.add(agent_id, contexts.root, None)
        facts = self.agents.facts.get(agent_id)
        if facts is not None:
            context.subagent_type = context.subagent_type or facts.agent_type
            context.description = context.description or facts.description
            context.call = context.call or facts.tool_use_id
        context.prompt = context.prompt or prompt
        if context.call is None and prompt == WARMUP:
            context.description = prompt
        self.agents.identify(context, agent_id, out)
        return context

    def _retry(self, out: list[RelayEvent]) -> None:
        """Something was learned about ids: see who need not wait any longer."""
        if not self._held:
            return
        for agent_id in list(self._held):
            records = self._held.get(agent_id)
            if records is None:
                continue
            context = self.contexts.by_agent.get(agent_id)
            for record in records[:8]:
                context = context or self._join(agent_id, record, out)
            if context is not None:
                self._release(agent_id, context, out)

    def _release(self, agent_id: str, context: Context, out: list[RelayEvent]) -> None:
        records = self._held.pop(agent_id)
        self._held_count -= len(records)
        self.agents.announce(context, out)
        source, ts = self.source, self.ts
        for record in records:
            self.translate(record, out)
        self.source, self.ts = source, ts

    def _learn(
        self, ids: dict[str, Context], key: str, context: Context, out: list[RelayEvent]
    ) -> None:
        """Remember whose an id on stdout is: a transcript may have it in common."""
        ids[key] = context
        forget_oldest(ids, RECENT_IDS)
        if self._held:
            self._retry(out)

    def _release_all(self, out: list[RelayEvent]) -> None:
        """Nothing more will be learned: whoever waits still was spawned by no call we know."""
        self.agents.settle_early(out)
        self._retry(out)
        for agent_id in list(self._held):
            self._release(agent_id, self._stray(agent_id, out), out)


def _plain(content: list[Block] | str | None) -> str | None:
    if isinstance(content, str):
        return content
    if content and content[0].type == "text":
        return content[0].text
    return None
