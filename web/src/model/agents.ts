import type { Compaction, ContextMark } from './context';
import type { Spent } from './usage';
import type { Status } from './status';

/** A tool call as a mark in time. */
export interface ToolMark {
  tool: string;
  at: number;
  until: number | null;
  ok: boolean | null;
}

/** One stream, as the graph and the timeline draw it. Times are milliseconds since 1970. */
export interface AgentView {
  stream_id: number;
  parent_stream_id: number | null;
  depth: number;
  /** Its type, or its name where it has no other. */
  agent: string;
  /** What it is there for: its description. */
  title: string;
  model: string | null;
  status: Status;
  /** Why it has failed, in one line. */
  failure: string;
  /** The tools that it waits for permission to use. */
  asks: string[];
  /** The streams whose answers its calls wait for. */
  waits: number[];
  background: boolean;
  /** What it has spent itself; with everyone below it, see `totalsOf`. */
  own: Spent;
  /** How full its context was at each of its messages. */
  context: ContextMark[];
  /** Where its CLI has recorded that the context was compacted. */
  compactions: Compaction[];
  started: number;
  ended: number | null;
  last_tool: string | null;
  tools: ToolMark[];
}

/** What an agent is called. */
export function titleOf(agent: { agent: string; title?: string }): string {
  return agent.title || agent.agent;
}

/** As many letters of two titles that are the same make them look alike. */
const ALIKE = 16;
const MOST_TAIL = 12;

/** The ends of titles by which agents whose titles begin alike are told apart, by stream. */
export function tailsOf(agents: readonly AgentView[]): Map<number, string> {
  const alike = new Map<string, Set<string>>();
  const beginning = (title: string) => title.slice(0, ALIKE);
  for (const agent of agents) {
    const title = titleOf(agent);
    const titles = alike.get(beginning(title)) ?? new Set();
    alike.set(beginning(title), titles.add(title));
  }
  const tails = new Map<number, string>();
  for (const agent of agents) {
    const title = titleOf(agent);
    if ((alike.get(beginning(title))?.size ?? 0) < 2 || title.length < ALIKE + MOST_TAIL) continue;
    const [words] = / \S+ \S+$/u.exec(title) ?? [];
    const [word] = / ?\S+$/u.exec(title) ?? [];
    const tail = [words, word].find((end) => end !== undefined && end.length <= MOST_TAIL);
    tails.set(agent.stream_id, tail ?? title.slice(-MOST_TAIL / 2));
  }
  return tails;
}

/** What is said of an agent beside its title: its type, where that is not its title already. */
export function typeOf(agent: AgentView): string {
  return agent.title ? agent.agent : '';
}
