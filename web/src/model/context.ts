/** How full an agent's context window was, message by message, and where it was compacted. */
import type { FleetCompacted, FleetTokenUsage } from './events';

/** What one message was given to read: all of the context at that time. */
export interface ContextMark {
  ts: number;
  seq: number;
  tokens: number;
}

/** The context was cut; null is a number that is not known (yet). */
export interface Compaction {
  ts: number;
  seq: number;
  before: number | null;
  after: number | null;
  /** Whether only the numbers say so, not the agent's CLI. */
  guessed: boolean;
}

/** A prompt cache that was lost, or a side question, also makes a context look smaller; only a
 *  compaction leaves so little of so much. */
const LEFT_SHARE = 0.5;
const LEAST_TOKENS = 20_000;

export function contextMark(event: FleetTokenUsage): ContextMark {
  const tokens = event.input_tokens + event.cache_read_tokens + event.cache_creation_tokens;
  return { ts: event.ts, seq: event.seq, tokens };
}

export function compactionOf(event: FleetCompacted): Compaction {
  const { ts, seq, before_tokens: before = null, after_tokens: after = null } = event;
  return { ts, seq, before, after, guessed: false };
}

/** Those that the agent's CLI has recorded; if it has recorded none, those that the marks show. */
export function compactionsOf(
  marks: readonly ContextMark[],
  recorded: readonly Compaction[],
): Compaction[] {
  if (recorded.length > 0) {
    return recorded.map((each) => ({
      ...each,
      before: each.before ?? marks.findLast(({ seq }) => seq < each.seq)?.tokens ?? null,
      after: each.after ?? marks.find(({ seq }) => seq > each.seq)?.tokens ?? null,
    }));
  }
  return marks.flatMap(({ ts, seq, tokens: after }, at) => {
    const before = marks[at - 1]?.tokens ?? 0;
    const cut = before >= LEAST_TOKENS && after < before * LEFT_SHARE;
    return cut ? [{ ts, seq, before, after, guessed: true }] : [];
  });
}
