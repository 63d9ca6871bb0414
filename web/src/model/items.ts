import type { Compaction } from './context';

/** A tool call with what came of it. */
export interface Call {
  id: string;
  tool: string;
  input: unknown;
  /** null as long as there is no result. */
  ok: boolean | null;
  result: string | null;
  parts: unknown[] | null;
  until: number | null;
  duration_ms: number | null;
  /** The stream that this call has started. */
  child: number | null;
}

/** A permission request with its answer; `tool` is null where only the answer is known. */
export interface Request {
  id: string;
  tool: string | null;
  tool_use_id: string | null;
  input: unknown;
  /** null as long as nobody has answered. */
  behavior: string | null;
  by: string | null;
}

export type Kind =
  | 'prompt'
  | 'text'
  | 'thinking'
  | 'tool'
  | 'permission'
  | 'response'
  | 'turn'
  | 'error'
  | 'compacted'
  | 'retracted'
  | 'unrecognized'
  | 'malformed'
  | 'end';

/**
 * One thing to read; `seq` is where it began. The same items as those of `fold/conversation.py`,
 * which `conversation.test.ts` proves. Once a stream's `look` has given it out, an item is never
 * changed, only replaced: who holds one can tell by `===` whether it is still what it was.
 */
export interface Item {
  look: number;
  kind: Kind;
  seq: number;
  ts: number;
  text: string;
  message_id: string | null;
  /** Withdrawn by the agent's CLI. */
  retracted: boolean;
  call: Call | null;
  request: Request | null;
  ok: boolean | null;
  /** Why a turn or a stream has ended, or what is wrong with a malformed line. */
  reason: string | null;
  offset: number | null;
  /** What a compaction of the context has cut. */
  cut: Compaction | null;
  message_ids: string[] | null;
  /** The earlier stream that this prompt continues. */
  resumes: number | null;
  /** The seq of the block that says the same as this answer. */
  repeats: number | null;
}
