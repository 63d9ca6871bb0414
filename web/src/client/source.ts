import type { Aside, CopyState, FleetEvent, Runs, Run as Summary } from '../model/events';
import { get } from './api';
import { Feed, type FeedOptions } from './feed';

/** Where the events of one run come from. */
export interface RunSource {
  readonly run: string;
  /** Whether this is a file, which cannot be steered. */
  readonly saved: boolean;
  /** What the run is called where its own events do not say so. */
  readonly title: string;
  /** Gives out events, as long as there are any; stops when it is asked to. */
  connect(options: Omit<FeedOptions<FleetEvent | Aside>, 'path'>): { stop(): void };
  /** The last event that there is now. */
  lastSeq(): Promise<number>;
  /** How complete the server's copy of a shared log is; null if it is not a shared one. */
  copy(): Promise<CopyState | null>;
}

/** A run of the server that has sent this page. */
export class ServedRun implements RunSource {
  readonly saved = false;
  readonly title = '';

  constructor(readonly run: string) {}

  connect(options: Omit<FeedOptions<FleetEvent | Aside>, 'path'>): { stop(): void } {
    return new Feed({ ...options, path: `${this.path}/events` });
  }

  async lastSeq(): Promise<number> {
    return (await get<Summary>(this.path)).last_seq;
  }

  async copy(): Promise<CopyState | null> {
    return (await get<Runs>('/v1/runs?limit=1')).copy ?? null;
  }

  private get path(): string {
    return `/v1/runs/${encodeURIComponent(this.run)}`;
  }
}
