import { SvelteMap } from 'svelte/reactivity';
import type { AgentView } from '../model/agents';
import type {
  Aside,
  CopyState,
  FleetEvent,
  FleetPermissionAsked,
  Gap,
  SearchResults,
} from '../model/events';
import { foundIn } from '../model/search';
import type { Item } from '../model/items';
import type { Spent } from '../model/usage';
import { nothingSpent } from '../model/usage';
import { Recording } from '../model/recording';
import { Run } from '../model/run';
import type { Status } from '../model/status';
import type { Stream } from '../model/stream';
import type { Refusal } from './api';
import type { ConnectionState } from './feed';
import type { RunSource } from './source';

/** How long one frame may fold events: the rest of it is for drawing. */
const FOLD_MS = 10;
/** While the past is still coming in, it is drawn only so often: nobody can follow it anyway. */
const CATCHING_UP_MS = 1000;
const CATCHING_UP_FOLD_MS = 60;
/** Fewer than this are nothing to speak of. */
const BEHIND = 500;
/** A shared log that is away sends nothing, so its server is asked. */
export const COPY_MS = 5000;

/**
 * A run that someone looks at, live or as it was. What came in is folded once a frame, and only
 * what has changed is drawn again.
 */
export class Watched {
  standing = $state<ConnectionState>('connecting');
  problem = $state.raw<Refusal | null>(null);
  /** When the connection was lost; null while there is one. */
  lostAt = $state<number | null>(null);
  gap = $state.raw<Gap | null>(null);
  /** How complete the server's copy of a shared log is; null if it is not a shared one. */
  copy = $state.raw<CopyState | null>(null);
  /** The moment that is looked at; null is now. */
  moment = $state<number | null>(null);
  /** As of the moment that is looked at. */
  agents = $state.raw<AgentView[]>([]);
  /** As of now, whichever moment is looked at. */
  everyone = $state.raw<AgentView[]>([]);
  permissions = $state.raw<FleetPermissionAsked[]>([]);
  total = $state.raw<Spent>(nothingSpent());
  /** What every agent and everyone below it has spent, as of the moment that is looked at. */
  totals = $state.raw<ReadonlyMap<number, Spent>>(new Map());
  seq = $state(0);
  behind = $state(0);
  /** Whether all is here that there was when this page last asked. */
  caughtUp = $state(false);
  begin = $state(0);
  end = $state(0);
  over = $state(false);
  /** As of the moment that is looked at. */
  status = $state<Status>('working');
  ok = $state<boolean | null>(null);
  /** The main agent's stream; of a file with one agent, that one's. */
  root = $state(0);
  title = $state('');
  cwd = $state<string | null>(null);
  source = $state('');
  session_id = $state<string | null>(null);
  draft = $state('');

  private live = new Run();
  private recording = new Recording();
  private shown = $state.raw(this.live);
  /** Counts up for a stream that has changed: who has read it draws again. */
  private versions = new SvelteMap<number, number>();
  private waiting: FleetEvent[] = [];
  private taken = 0;
  /** The last event of the log when this page last asked; null until it knows. */
  private latest: number | null = null;
  private drawnAt = performance.now();
  private drawn = false;
  private frame: number | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private feed: { stop(): void };

  constructor(private readonly origin: RunSource) {
    this.feed = origin.connect({
      since: () => this.waiting.at(-1)?.seq ?? this.live.seq,
      onlines: (lines) => this.take(lines),
      onstanding: (standing, problem) => {
        this.over ||= standing === 'over';
        this.standing = this.over ? 'over' : standing;
        this.problem = problem;
        this.lostAt = standing === 'reconnecting' ? (this.lostAt ?? Date.now()) : null;
        if (standing === 'live') void this.measure();
      },
    });
    void this.askForCopy();
  }

  stop(): void {
    this.feed.stop();
    clearTimeout(this.timer);
    if (this.frame !== null) cancelAnimationFrame(this.frame);
  }

  get run(): string {
    return this.origin.run;
  }

  /** Whether the run stands in a file, which cannot be steered. */
  get saved(): boolean {
    return this.origin.saved;
  }

  /** Places in the run that have all words of a query. */
  find(query: string): SearchResults {
    return foundIn(this.live, this.run, query);
  }

  get events(): readonly FleetEvent[] {
    return this.recording.events;
  }

  stream(id: number): Stream | undefined {
    void this.versions.get(id);
    return this.shown.streams.get(id);
  }

  /** What a stream has said so far, at the moment that is looked at. */
  items(id: number): Item[] {
    return this.stream(id)?.look() ?? [];
  }

  /** Look at the run as it was; null goes back to now. */
  scrub(moment: number | null): void {
    this.moment = moment;
    this.shown = moment === null ? this.live : this.recording.at(moment);
    this.show([...this.live.streams.keys()]);
  }

  private async askForCopy(): Promise<void> {
    // The feed reports a server that is away: what was known stays.
    this.copy = await this.origin.copy().catch(() => this.copy);
    if (this.copy && !this.over) this.timer = setTimeout(() => void this.askForCopy(), COPY_MS);
  }

  private take(lines: (FleetEvent | Aside)[]): void {
    for (const line of lines) {
      if (line.type === 'gap') this.gap = line;
      else if (line.type === 'draft') this.draft += line.delta;
      else if (line.type !== 'cut') this.waiting.push(line);
    }
    this.frame ??= requestAnimationFrame(this.fold);
  }

  private fold = (): void => {
    this.frame = null;
    const began = performance.now();
    // How long drawing takes is not to be held against the folding that follows it.
    if (this.drawn) this.drawnAt = began;
    this.drawn = false;
    const late = this.latest === null || this.live.seq < this.latest;
    const until = began + (late ? CATCHING_UP_FOLD_MS : FOLD_MS);
    while (this.taken < this.waiting.length) {
      const event = this.waiting[this.taken++]!;
      this.live.apply(event);
      this.recording.add(event);
      if (this.draft && event.stream_id === 0 && event.type === 'text') this.draft = '';
      // The clock is not free: ask it now and then.
      if (this.taken % 64 === 0 && performance.now() > until) break;
    }
    if (this.taken === this.waiting.length) {
      this.waiting = [];
      this.taken = 0;
    } else {
      this.frame = requestAnimationFrame(this.fold);
    }
    const caughtUp = this.latest !== null && this.live.seq >= this.latest;
    if (caughtUp || began - this.drawnAt > CATCHING_UP_MS) this.draw();
    this.caughtUp = caughtUp;
  };

  private draw(): void {
    this.drawn = true;
    this.know();
    if (this.moment === null) this.show(this.live.touched);
    this.live.touched.clear();
  }

  /** What is true of the run whichever moment is looked at. */
  private know(): void {
    const run = this.live;
    this.seq = run.seq;
    this.everyone = run.agents();
    this.permissions = [...run.permissions.values()];
    const left = (this.latest ?? 0) - run.seq;
    this.behind = left > BEHIND ? left : 0;
    this.begin = this.recording.begin;
    this.end = this.recording.end;
    this.root = run.root?.id ?? 0;
    this.title = run.title || this.origin.title;
    this.cwd = run.cwd;
    this.source = run.source;
    this.session_id = run.session_id;
    if (run.done !== null) {
      this.over = true;
      this.ok = run.done.ok;
      this.standing = 'over';
      this.feed.stop();
    }
  }

  private show(streams: Iterable<number>): void {
    this.agents = this.moment === null ? this.everyone : this.shown.agents();
    this.total = this.shown.total;
    this.totals = this.shown.totals();
    this.status = this.shown.status;
    for (const id of streams) this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
  }

  /** How far behind the log this page is, after it has come (back). */
  private async measure(): Promise<void> {
    try {
      this.latest = await this.origin.lastSeq();
    } catch {
      // The feed itself reports what is wrong.
      this.latest ??= 0;
    }
    this.frame ??= requestAnimationFrame(this.fold);
  }
}
