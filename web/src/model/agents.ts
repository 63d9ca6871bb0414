import type { Compaction, ContextMark } from './context';
import type { Spent } from './spent';
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

/** What is said of an agent beside its title: its type, where that is not its title already. */
export function typeOf(agent: AgentView): string {
  return agent.title ? agent.agent : '';
}
