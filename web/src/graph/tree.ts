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

/** The agents as a list, each after its parent and before its parent's next child. */
export function inTreeOrder(agents: AgentView[]): AgentView[] {
  return Array.from(walk(treeOf(agents)), (branch) => branch.agent);
}
