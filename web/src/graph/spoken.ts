/** An agent in words: for those who hear the page, and where something is cut short. */
import { titleOf, typeOf, type AgentView } from '../model/agents';
import { tokensOf, type Spent } from '../model/usage';
import { cost, duration, plural } from '../parts/format';
import { visible } from '../safe/marks';

/** Why it is as it is: why it failed or ended early, or for whom or what it waits. */
export function reasonOf(agent: AgentView, named: ReadonlyMap<number, AgentView>): string {
  if (agent.failure) return agent.failure;
  if (agent.status === 'orphaned') return 'its process disappeared';
  if (agent.ended !== null) return '';
  if (agent.asks.length > 0) return `waits for permission to use ${agent.asks.join(', ')}`;
  const others = agent.waits
    .map((id) => named.get(id))
    .filter((child) => child !== undefined && child.ended === null)
    .map((child) => titleOf(child!));
  if (others.length > 3)
    return `waits for ${others.length} agents: ${others.slice(0, 3).join(', ')}, …`;
  if (others.length > 0) return `waits for ${others.join(', ')}`;
  return agent.status === 'waiting' ? 'waits for a prompt' : '';
}

export function spentWords(spent: Spent): string {
  return [`${tokensOf(spent)} tokens`, cost(spent)].filter(Boolean).join(', ');
}

export function spokenOf(agent: AgentView, total: Spent, reason: string, now: number): string {
  return [
    visible(titleOf(agent)),
    visible(typeOf(agent)),
    agent.background ? 'in the background' : '',
    agent.status,
    visible(reason),
    `own ${spentWords(agent.own)}`,
    `total ${spentWords(total)}`,
    duration((agent.ended ?? now) - agent.started),
    plural(agent.tools.length, 'tool call'),
    agent.last_tool === null ? '' : `last tool ${visible(agent.last_tool)}`,
  ]
    .filter(Boolean)
    .join(', ');
}
