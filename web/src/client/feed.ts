import { Refusal, refusal } from './api';
import { Lines } from './lines';

/**
 * How a feed stands. `over`: there will be no more. `refused`: coming back would not help.
 * `reconnecting` with a problem: the server is there and cannot send now.
 */
export type ConnectionState = 'connecting' | 'live' | 'reconnecting' | 'over' | 'refused';

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;
/** The server gives a sign of life every 15 s; after this much silence it is gone. */
const SILENCE_MS = 40_000;
/** A browser opens six connections to a server; tabs that nobody looks at must not hold them all. */
const HIDDEN_MS = 60_000;

export interface FeedOptions<T> {
  path: string;
  /** The last place already here; null for "from now on". */
  since: () => number | null;
  onlines: (lines: T[]) => void;
  onstanding: (standing: ConnectionState, problem: Refusal | null) => void;
}

/** Events of the server, for as long as there are any: comes back by itself where it was. */
export class Feed<T> {
  private stopped = false;
  private current: AbortController | null = null;
  private wake: (() => void) | null = null;
  private hidden: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: FeedOptions<T>) {
    document.addEventListener('visibilitychange', this.onvisible);
    addEventListener('online', this.hurry);
    void this.run();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.hidden);
    document.removeEventListener('visibilitychange', this.onvisible);
    removeEventListener('online', this.hurry);
    this.current?.abort();
    this.hurry();
  }

  private async run(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    this.options.onstanding('connecting', null);
    while (!this.stopped) {
      let problem: Refusal | null = null;
      try {
        await this.connect(() => (wait = FIRST_WAIT_MS));
      } catch (error) {
        if (error instanceof Refusal) problem = error;
        if (problem && [400, 401, 403, 404].includes(problem.status)) {
          this.options.onstanding('refused', problem);
          this.stopped = true;
        }
      }
      if (this.stopped) return;
      this.options.onstanding('reconnecting', problem);
      // Not all at once when a server comes back to many viewers.
      await this.pause(document.hidden ? Infinity : wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }

  private async connect(ongood: () => void): Promise<void> {
    const current = (this.current = new AbortController());
    const silence = new Silence(current);
    try {
      const since = this.options.since();
      const headers: Record<string, string> = { accept: 'application/x-ndjson' };
      if (since !== null) headers['last-event-id'] = String(since);
      const response = await fetch(this.options.path, { headers, signal: current.signal });
      if (response.status === 204) {
        this.stopped = true;
        this.options.onstanding('over', null);
        return;
      }
      if (!response.ok || response.body === null) throw await refusal(response);
      this.options.onstanding('live', null);
      const lines = new Lines<T>();
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.stopped) return;
        silence.broken();
        ongood();
        const found = lines.feed(value);
        if (found.length > 0) this.options.onlines(found);
      }
    } finally {
      silence.end();
      current.abort();
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === Infinity ? undefined : setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private hurry = (): void => this.wake?.();

  private onvisible = (): void => {
    clearTimeout(this.hidden);
    if (document.hidden) this.hidden = setTimeout(() => this.current?.abort(), HIDDEN_MS);
    else this.hurry();
  };
}

/** Breaks a connection off that has said nothing for too long. */
class Silence {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly current: AbortController) {
    this.broken();
  }

  broken(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.current.abort(), SILENCE_MS);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
