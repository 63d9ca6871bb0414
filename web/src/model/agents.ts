import type { Cost } from './spent';
import type { Status } from './status';

/** A tool call as a mark in time. */
export interface ToolMark {
  tool: string;
  at: number;
  until: number | null;
  ok: boolean | null;
}

/** One stream, as the graph and the timeline draw it. Times are milliseconds since 1970. */
export interface AgentView extends Cost {
  stream_id: number;
  parent_stream_id: number | null;
  depth: number;
  agent: string;
  title: string;
  model: string | null;
  status: Status;
  background: boolean;
  tokens: number;
  started: number;
  ended: number | null;
  last_tool: string | null;
  tools: ToolMark[];
}
