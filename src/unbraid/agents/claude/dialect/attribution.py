"""Finds the agent that a record of Claude Code belongs to.

On stdout a record names the call that spawned its agent. In transcripts it names the agent or, in
1.0, no agent at all. A transcript's record may come before anything that says what spawned its
agent: then it is held until that is known.
"""

from __future__ import annotations

from collections.abc import Callable

from unbraid.agents.claude.dialect.spawns import Spawns
from unbraid.agents.claude.records import ClaudeRecord
from unbraid.agents.claude.transcript import WARMUP
from unbraid.events import RelayEvent
from unbraid.read.blocks import Block
from unbraid.read.clock import Clock
from unbraid.read.contexts import Context
from unbraid.read.lifecycle import Agents
from unbraid.read.seen import forget_oldest

MAX_HELD_RECORDS = 100_000
RECENT_IDS = 4096


class Attribution:
    """Finds the agent that a record belongs to; holds records until their agent is known.

    `translate` takes held records in again when they are released. For reading: `held` has the
    records that wait, by agent; `direct`, by call, the agents of records on stdout that name only
    their call, once that is settled.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        agents: Agents,
        spawns: Spawns,
        translate: Callable[[ClaudeRecord, list[RelayEvent]], None],
    ) -> None:
        self._clock = clock
        self._agents = agents
        self._spawns = spawns
        self._contexts = agents.contexts
        self._translate = translate
        self.direct: dict[str | None, Context] = {None: self._contexts.root}
        self.held: dict[str, list[ClaudeRecord]] = {}
        self._held_count = 0
        self._by_uuid: dict[str, Context] = {}
        self._by_message: dict[str, Context] = {}
        self._chains: dict[str, str] = {}  # 1.0: the uuid of a sidechain's record: its first one's

    def context_of(self, record: ClaudeRecord, out: list[RelayEvent]) -> Context | None:
        """Returns the agent that a record belongs to, or None if the record has to wait for
        that.
        """
        call = record.parent_tool_use_id
        context = self.direct.get(call)
        if (
            context is not None
            and not record.is_sidechain
            and record.agent_id_stdout == context.agent_id
        ):
            return context
        contexts = self._contexts
        if call:
            context = contexts.by_call.get(call)
            if context is None and self._spawns.settle_early(out, call):
                context = contexts.by_call.get(call)
            if context is None:
                owner = self._agents.calls.get(call)
                parent = owner.context if owner is not None else contexts.root
                context = contexts.add(call, parent, call)
            if record.agent_id_stdout is not None and context.agent_id is None:
                self._spawns.identify(context, record.agent_id_stdout, out)
                self.retry(out)
            self._agents.announce(context, out)
            self.direct[call] = context
            return context
        if not record.is_sidechain:
            if record.agent_id_stdout is not None:
                return contexts.by_agent.get(record.agent_id_stdout, contexts.root)
            return contexts.root
        agent_id = record.agent_id_transcript or self._chain(record)
        context = contexts.by_agent.get(agent_id)
        if context is None:
            if agent_id not in self.held:
                context = self._join(agent_id, record, out)
            if context is None:
                self._hold(agent_id, record, out)
                return None
        self._agents.announce(context, out)
        return context

    def learn_uuid(self, uuid: str, context: Context, out: list[RelayEvent]) -> None:
        """Notes which agent a record of stdout belongs to: a record of a transcript may have the
        same uuid.
        """
        self._learn(self._by_uuid, uuid, context, out)

    def learn_message(self, message_id: str, context: Context, out: list[RelayEvent]) -> None:
        """Notes which agent a message belongs to: a message of a transcript may have the same
        id.
        """
        self._learn(self._by_message, message_id, context, out)

    def retry(self, out: list[RelayEvent]) -> None:
        """Releases the records that need not wait any longer, after something was learned about
        ids.
        """
        if not self.held:
            return
        for agent_id in list(self.held):
            records = self.held.get(agent_id)
            if records is None:
                continue
            context = self._contexts.by_agent.get(agent_id)
            for record in records[:8]:
                context = context or self._join(agent_id, record, out)
            if context is not None:
                self._release(agent_id, context, out)

    def release_all(self, out: list[RelayEvent]) -> None:
        """Releases all held records: no call that spawned their agents will be found any more."""
        self._spawns.settle_early(out)
        self.retry(out)
        while self.held:
            # What is released may show whose the others are, and release them, too.
            agent_id = next(iter(self.held))
            self._release(agent_id, self._stray(agent_id, out), out)

    def _learn(
        self, ids: dict[str, Context], key: str, context: Context, out: list[RelayEvent]
    ) -> None:
        ids[key] = context
        forget_oldest(ids, RECENT_IDS)
        if self.held:
            self.retry(out)

    def _chain(self, record: ClaudeRecord) -> str:
        """Returns a name for the sub-agent of a record in 1.0, which writes sub-agents into the
        session's file as chains of records without an agent id.
        """
        uuid = record.uuid or ""
        first = self._chains.get(record.parent_uuid or "", uuid)
        self._chains[uuid] = first
        return f"sidechain:{first}"

    def _join(self, agent_id: str, record: ClaudeRecord, out: list[RelayEvent]) -> Context | None:
        """Returns the context of an agent id, found by what its record has in common with known
        ones; None if nothing shows it.
        """
        context = self._by_uuid.get(record.uuid or "")
        message = record.message
        if context is None and message is not None:
            if message.id is not None:
                context = self._by_message.get(message.id)
            prompt = _plain(message.content) if record.type == "user" else None
            if context is None:
                found = self._spawns.from_facts(agent_id, prompt, out)
                if found is not None:
                    return found
            if context is None and prompt is not None and not self._spawns.knows_call(agent_id):
                waiting = self._contexts.awaiting(prompt)
                if len(waiting) == 1:
                    context = waiting[0]
        if context is not None and context.agent_id is None:
            self._spawns.identify(context, agent_id, out)
        elif context is not None:
            self._contexts.by_agent[agent_id] = context
        return context

    def _hold(self, agent_id: str, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        self.held.setdefault(agent_id, []).append(record)
        self._held_count += 1
        if self._held_count > MAX_HELD_RECORDS:
            # No call is known that spawned this agent. Rather than fill the memory with held
            # records, give the agent a stream of its own.
            self._release(agent_id, self._stray(agent_id, out), out)

    def _stray(self, agent_id: str, out: list[RelayEvent]) -> Context:
        """Returns a context for an agent that no call is known to have spawned."""
        contexts = self._contexts
        first = self.held[agent_id][0]
        prompt = _plain(first.message.content) if first.message is not None else None
        same = contexts.awaiting(prompt) if prompt is not None else []
        context = same[0] if same else contexts.add(agent_id, contexts.root, None)
        facts = self._spawns.describe(context, agent_id)
        if facts is not None:
            context.call = context.call or facts.tool_use_id
        context.prompt = context.prompt or prompt
        if context.call is None and prompt == WARMUP:
            context.description = prompt
        self._spawns.identify(context, agent_id, out)
        return context

    def _release(self, agent_id: str, context: Context, out: list[RelayEvent]) -> None:
        records = self.held.pop(agent_id)
        self._held_count -= len(records)
        self._agents.announce(context, out)
        with self._clock.at(self._clock.ts):
            for record in records:
                self._translate(record, out)


def _plain(content: list[Block] | str | None) -> str | None:
    if isinstance(content, str):
        return content
    if content and content[0].type == "text":
        return content[0].text
    return None
