import type { AgentView } from '../model/agents';

/** An agent and those it started, in order of appearance. */
export interface Branch {
  agent: AgentView;
  children: Branch[];
}

/** The tree of agents. One whose parent is not there hangs from the root, so that nobody is lost. */
export function treeOf(agents: AgentView[]): Branch | null {
  const branches = new Map(
    agents.map((agent) => [agent.stream_id, { agent, children: [] } as Branch]),
  );
  const [root, ...others] = branches.values();
  if (root === undefined) return null;
  for (const branch of others) {
    const parent = branches.get(branch.agent.parent_stream_id ?? -1);
    // A parent is always older than its child: anything else would be a circle.
    const older = parent !== undefined && parent.agent.stream_id < branch.agent.stream_id;
    (older ? parent : root).children.push(branch);
  }
  return root;
}

/** Every branch, parents before their children. */
export function* walk(branch: Branch | null): Generator<Branch> {
  if (branch === null) return;
  const waiting = [branch];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    waiting.push(...next.children.toReversed());
  }
}

/** The agents as a list, each after its parent and before its parent's next child. Of siblings,
 *  those come first whose `rank` is higher, each by the highest one of its branch. */
export function inTreeOrder(
  agents: AgentView[],
  rank: (agent: AgentView) => number = isAtWork,
): AgentView[] {
  const root = treeOf(agents);
  const ranks = new Map<number, number>();
  for (const { agent, children } of [...walk(root)].toReversed()) {
    const best = children.reduce(
      (most, child) => Math.max(most, ranks.get(child.agent.stream_id)!),
      rank(agent),
    );
    ranks.set(agent.stream_id, best);
    children.sort((a, b) => ranks.get(b.agent.stream_id)! - ranks.get(a.agent.stream_id)!);
  }
  return Array.from(walk(root), (branch) => branch.agent);
}

function isAtWork(agent: AgentView): number {
  return Number(agent.ended === null);
}

/** How many are below an agent, all of them through. */
export interface Finished {
  agents: number;
  failed: number;
}

/** What is below each agent that has started others, where all of it is through. */
export function finishedBelow(root: Branch | null): Map<number, Finished> {
  const below = new Map<number, Finished>();
  for (const { agent, children } of [...walk(root)].toReversed()) {
    const sum: Finished = { agents: 0, failed: 0 };
    const through = children.every((child) => {
      const further = below.get(child.agent.stream_id);
      if (child.agent.ended === null || (further === undefined && child.children.length > 0)) {
        return false;
      }
      sum.agents += 1 + (further?.agents ?? 0);
      sum.failed += Number(child.agent.status === 'failed') + (further?.failed ?? 0);
      return true;
    });
    if (through && children.length > 0) below.set(agent.stream_id, sum);
  }
  return below;
}

/** The agents in tree order, without those below one that is folded. */
export function unfolded(root: Branch | null, folded: ReadonlySet<number>): AgentView[] {
  const hidden = new Set<number>();
  return Array.from(walk(root)).flatMap(({ agent, children }) => {
    if (hidden.has(agent.stream_id) || folded.has(agent.stream_id)) {
      for (const child of children) hidden.add(child.agent.stream_id);
    }
    return hidden.has(agent.stream_id) ? [] : [agent];
  });
}
