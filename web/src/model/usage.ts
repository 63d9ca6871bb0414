/** What agents spend: each message once, and their CLI's own account where it gives one.
 *  The same rules as in src/unbraid/fold/usage.py. */
import type { Done, FleetSessionMeta, FleetTokenUsage, FleetTurnComplete } from './events';

/** Dollars: reported by the agent's CLI, computed for the rest, and tokens that are in neither. */
export interface Cost {
  cost_usd: number | null;
  estimated_usd: number | null;
  unpriced_tokens: number;
}

/** Tokens and cost. */
export interface Spent extends Cost {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
}

export function nothingSpent(): Spent {
  return {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_creation_tokens: 0,
    cost_usd: null,
    estimated_usd: null,
    unpriced_tokens: 0,
  };
}

type Counts = Pick<
  Spent,
  'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_creation_tokens'
>;

export function tokensOf(spent: Counts): number {
  return (
    spent.input_tokens + spent.output_tokens + spent.cache_read_tokens + spent.cache_creation_tokens
  );
}

export function spend(total: Spent, message: FleetTokenUsage): void {
  count(total, message);
  // Left out where it is not known, which is not the same as nothing.
  if (message.cost_usd != null) total.cost_usd = (total.cost_usd ?? 0) + message.cost_usd;
  else if (message.estimated_usd == null) total.unpriced_tokens += tokensOf(message);
  if (message.estimated_usd != null)
    total.estimated_usd = (total.estimated_usd ?? 0) + message.estimated_usd;
}

/** Another agent's share. */
export function add(total: Spent, more: Spent): void {
  count(total, more);
  if (more.cost_usd !== null) total.cost_usd = (total.cost_usd ?? 0) + more.cost_usd;
  if (more.estimated_usd !== null)
    total.estimated_usd = (total.estimated_usd ?? 0) + more.estimated_usd;
  total.unpriced_tokens += more.unpriced_tokens;
}

/** All dollars, reported and computed. */
export function dollarsOf(spent: Cost): number {
  return (spent.cost_usd ?? 0) + (spent.estimated_usd ?? 0);
}

function count(total: Spent, more: Counts): void {
  total.input_tokens += more.input_tokens;
  total.output_tokens += more.output_tokens;
  total.cache_read_tokens += more.cache_read_tokens;
  total.cache_creation_tokens += more.cache_creation_tokens;
}

/** A run's total. */
export class Totals {
  private seen = nothingSpent();
  /** What the CLI has reported of the whole tree, cumulative over one process. */
  private account: Counts | null = null;
  private reported: number | null = null;
  /** What earlier processes had reported. */
  private before = { ...nothingSpent(), cost_usd: 0 };
  /** What had been seen when dollars were last reported. */
  private then = nothingSpent();

  message(event: FleetTokenUsage): void {
    spend(this.seen, event);
  }

  report(event: FleetTurnComplete | FleetSessionMeta): void {
    if (event.input_tokens != null) {
      const account: Counts = {
        input_tokens: event.input_tokens,
        output_tokens: event.output_tokens ?? 0,
        cache_read_tokens: event.cache_read_tokens ?? 0,
        cache_creation_tokens: event.cache_creation_tokens ?? 0,
      };
      if (this.account !== null && tokensOf(account) < tokensOf(this.account))
        count(this.before, this.account);
      this.account = account;
    }
    if (event.cost_usd != null) {
      if (this.reported !== null && event.cost_usd < this.reported)
        this.before.cost_usd += this.reported;
      this.reported = event.cost_usd;
      this.then = this.covered(event.input_tokens != null);
    }
  }

  /** What of everything seen so far a report is about: an account with fewer tokens leaves out what
   *  was cut off, and its dollars stay computed. */
  private covered(accounted: boolean): Spent {
    const seen = { ...this.seen };
    const reported = this.account === null ? 0 : tokensOf(this.account) + tokensOf(this.before);
    if (!accounted || reported >= tokensOf(seen)) return seen;
    const part = reported / tokensOf(seen);
    seen.unpriced_tokens = Math.round(seen.unpriced_tokens * part);
    if (seen.estimated_usd !== null) seen.estimated_usd *= part;
    return seen;
  }

  done(event: Done): void {
    const cost_usd = event.cost_usd ?? this.total.cost_usd;
    this.seen = {
      ...nothingSpent(),
      cost_usd,
      estimated_usd: event.estimated_usd ?? null,
      unpriced_tokens: event.unpriced_tokens ?? 0,
    };
    count(this.seen, event);
    this.account = this.reported = null;
  }

  get total(): Spent {
    const total = { ...this.seen };
    if (this.account !== null) {
      for (const name of Object.keys(this.account) as (keyof Counts)[])
        total[name] = Math.max(total[name], this.account[name] + this.before[name]);
    }
    if (this.reported === null) return total;
    total.cost_usd = Math.max(this.reported + this.before.cost_usd, this.seen.cost_usd ?? 0);
    total.estimated_usd = null;
    total.unpriced_tokens = 0;
    // A source that lags behind may bring messages that the report had counted already.
    const covered =
      this.account !== null &&
      tokensOf(this.seen) <= tokensOf(this.account) + tokensOf(this.before);
    if (!covered) {
      const since = (this.seen.estimated_usd ?? 0) - (this.then.estimated_usd ?? 0);
      total.estimated_usd = since > 0 ? since : null;
      total.unpriced_tokens = this.seen.unpriced_tokens - this.then.unpriced_tokens;
    }
    return total;
  }

  /** The same total, to go its own way from here. */
  fork(): Totals {
    const fork = Object.assign(new Totals(), this);
    fork.seen = { ...this.seen };
    fork.before = { ...this.before };
    return fork;
  }
}
