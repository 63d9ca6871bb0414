/** The orders in which agents that have the same parent are listed. */
import type { AgentView } from '../model/agents';
import { dollarsOf, tokensOf, type Spent } from '../model/usage';

export const LIVE = 'live';
export type Sort = typeof LIVE | 'own' | 'total';

/** Each with its column's head, and what it does. */
export const SORTS: readonly (readonly [Sort, string, string])[] = [
  [LIVE, 'Agent', 'Working agents first, then in order of appearance'],
  ['own', 'Own', 'What the agent itself spent; sort by it'],
  ['total', 'Total', 'What the agent and everyone below it spent; sort by it'],
];

/** How an agent is ranked among its siblings. */
export function rankOf(
  sort: Sort,
  totals: ReadonlyMap<number, Spent>,
): (agent: AgentView) => number {
  // Tokens decide only between those that cost the same, or have no price.
  const weight = (spent: Spent | undefined) =>
    spent ? dollarsOf(spent) + tokensOf(spent) / 1e15 : 0;
  if (sort === 'own') return (agent) => weight(agent.own);
  if (sort === 'total') return (agent) => weight(totals.get(agent.stream_id));
  return (agent) => Number(agent.ended === null);
}
