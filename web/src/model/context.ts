/** How full an agent's context window was, message by message, and where it was compacted. */
import type { FleetTokenUsage } from './events';

/** What one message was given to read: all of the context at that time. */
export interface ContextMark {
  ts: number;
  seq: number;
  tokens: number;
}

/** The context was cut from one message to the next. */
export interface Compaction extends ContextMark {
  before: number;
}

/** A prompt cache that was lost, or a side question, also makes a context look smaller; only a
 *  compaction leaves so little of so much. */
const LEFT_SHARE = 0.5;
const LEAST_TOKENS = 20_000;

export function contextMark(event: FleetTokenUsage): ContextMark {
  const tokens = event.input_tokens + event.cache_read_tokens + event.cache_creation_tokens;
  return { ts: event.ts, seq: event.seq, tokens };
}

export function compactionsOf(marks: readonly ContextMark[]): Compaction[] {
  return marks.flatMap((mark, at) => {
    const before = marks[at - 1]?.tokens ?? 0;
    const cut = before >= LEAST_TOKENS && mark.tokens < before * LEFT_SHARE;
    return cut ? [{ ...mark, before }] : [];
  });
}
