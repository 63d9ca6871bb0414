import type { CopyState, FleetEvent, IndexProgress, Run, Runs } from '../model/events';
import { isLive } from '../model/status';
import { get, type Refusal } from './api';
import { Feed, type ConnectionState } from './feed';
import { COPY_MS } from './watched.svelte';

const PAGE = 200;
/** Many agents talk at once; the list need not follow every word. */
const REFRESH_MS = 1000;
const LIST_CHANGES = [
  ...['request_received', 'stream_start', 'prompt', 'stream_end', 'token_usage', 'turn_complete'],
  ...['permission_asked', 'permission_replied', 'done'],
];

interface Filter {
  text: string;
  status: string;
}

/** The list of runs, kept up to date. */
export class Listed {
  runs = $state.raw<Run[]>([]);
  loaded = $state(false);
  standing = $state<ConnectionState>('connecting');
  problem = $state.raw<Refusal | null>(null);
  /** When the connection was lost; null while there is one. */
  lostAt = $state<number | null>(null);
  more = $state(false);
  /** How much of this machine's history is listed so far; null when all of it is. */
  indexed = $state.raw<IndexProgress | null>(null);
  /** How complete the server's copy of a shared log is; null if it is not a shared one. */
  copy = $state.raw<CopyState | null>(null);
  filter = $state.raw<Filter>({ text: '', status: '' });

  private known = new Map<string, Run>();
  private before: string | null = null;
  private paging = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private due = Infinity;
  private feed: Feed<FleetEvent>;

  constructor() {
    this.feed = new Feed({
      path: `/v1/events?${new URLSearchParams({ types: LIST_CHANGES.join() })}`,
      since: () => null,
      onlines: () => this.soon(),
      onstanding: (standing, problem) => {
        this.standing = standing;
        this.problem = problem;
        this.lostAt = standing === 'reconnecting' ? (this.lostAt ?? Date.now()) : null;
        // The feed has what happens from now on; what happened before is in the list.
        if (standing === 'live') void this.refresh();
      },
    });
  }

  stop(): void {
    this.feed.stop();
    clearTimeout(this.timer);
  }

  async narrow(filter: Filter): Promise<void> {
    this.filter = filter;
    this.loaded = false;
    await this.refresh();
  }

  /** The newest and the live ones again; the others stay as they are. */
  async refresh(): Promise<void> {
    const filter = this.filter;
    try {
      const [first, live] = await Promise.all([
        this.page(filter.status),
        filter.status ? { runs: [] } : this.page('live'),
      ]);
      // Someone may have asked for others in the meantime.
      if (filter !== this.filter) return;
      if (!this.loaded) {
        this.known.clear();
        this.before = first.before;
      }
      this.indexed = first.indexed ?? null;
      if (this.indexed && this.indexed.listed < this.indexed.total) this.soon();
      else this.indexed = null;
      this.copy = first.copy ?? null;
      if (this.copy) this.soon(COPY_MS);
      this.keep([...live.runs, ...first.runs]);
      this.loaded = true;
    } catch {
      // The feed reports a server that is away; this comes again when it is back.
    }
  }

  /** The next older ones. */
  async next(): Promise<void> {
    if (this.before === null || this.paging) return;
    this.paging = true;
    const filter = this.filter;
    try {
      const page = await this.page(filter.status, this.before);
      if (filter !== this.filter) return;
      this.before = page.before;
      this.keep(page.runs);
    } finally {
      this.paging = false;
    }
  }

  private page(status: string, before?: string): Promise<Runs> {
    const asked = new URLSearchParams({ limit: String(PAGE) });
    if (this.filter.text) asked.set('q', this.filter.text);
    if (status) asked.set('status', status);
    if (before) asked.set('before', before);
    return get<Runs>(`/v1/runs?${asked}`);
  }

  /** Live ones first, then the last started. */
  private keep(runs: Run[]): void {
    for (const run of runs) this.known.set(run.run, run);
    const rank = (run: Run) => Number(isLive(run.status));
    this.runs = [...this.known.values()].sort((a, b) => rank(b) - rank(a) || b.started - a.started);
    this.more = this.before !== null;
  }

  private soon(ms = REFRESH_MS): void {
    const at = Date.now() + ms;
    if (at >= this.due) return;
    clearTimeout(this.timer);
    this.due = at;
    this.timer = setTimeout(() => {
      this.due = Infinity;
      void this.refresh();
    }, ms);
  }
}
