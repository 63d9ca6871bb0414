import { oneLine } from '../parts/format';
import type { AgentView } from './agents';
import type {
  Done,
  FleetEvent,
  FleetPermissionAsked,
  RequestReceived,
  StreamStart,
} from './events';
import type { Spent } from './usage';
import { add, Totals } from './usage';
import type { Status } from './status';
import { Stream } from './stream';
import { promptTitle } from './title';

/** A run as its events make it: streams by their number, open permission requests, what was spent. */
export class Run {
  streams = new Map<number, Stream>();
  permissions = new Map<string, FleetPermissionAsked>();
  /** Streams that changed since someone last looked; who looks clears it. */
  touched = new Set<number>();
  source = '';
  cwd: string | null = null;
  session_id: string | null = null;
  started = 0;
  updated = 0;
  seq = 0;
  done: Done | null = null;
  /** Sub-agents that have not ended. */
  private atWork = 0;
  private request: RequestReceived | null = null;
  private spent = new Totals();
  private ownTitle = '';

  apply(event: FleetEvent): void {
    // What came before is here already: a server may send it again after a loss.
    if (event.seq <= this.seq) return;
    this.seq = event.seq;
    this.started ||= event.ts;
    this.updated = Math.max(this.updated, event.ts);
    switch (event.type) {
      case 'request_received':
        this.source = event.source;
        this.cwd = event.cwd ?? null;
        this.session_id = event.session_id ?? null;
        this.request = event;
        return;
      case 'stream_start':
        return this.open(event);
      case 'done':
        this.done = event;
        this.spent.done(event);
        this.permissions.clear();
        return;
      case 'permission_asked':
        this.permissions.set(event.request_id, event);
        break;
      case 'permission_replied':
        // Whoever it was that asked: it may be another than the one who reports the answer.
        for (const stream of this.streams.values()) {
          if (stream.answered(event.request_id)) this.touched.add(stream.id);
        }
        this.permissions.delete(event.request_id);
        break;
      case 'token_usage':
        this.spent.message(event);
        break;
      case 'turn_complete':
        this.spent.report(event);
        break;
      case 'session_meta':
        this.spent.report(event);
        if (event.stream_id === 0) {
          this.ownTitle = oneLine(event.title ?? '') || this.ownTitle;
          this.cwd ??= event.cwd ?? null;
          this.session_id ??= event.session_id ?? null;
        }
        break;
      case 'stream_end':
        this.atWork -= Number(event.stream_id !== 0);
        for (const [id, asked] of this.permissions) {
          if (asked.stream_id === event.stream_id) this.permissions.delete(id);
        }
    }
    const stream = this.streams.get(event.stream_id);
    if (stream !== undefined) {
      stream.apply(event);
      this.touched.add(stream.id);
    }
  }

  /** The main agent; of a run of which one stream was saved, that one. */
  get root(): Stream | undefined {
    return this.streams.get(0) ?? this.streams.values().next().value;
  }

  get status(): Status {
    const root = this.root;
    if (this.done !== null) {
      return root?.ended != null ? root.status : this.done.ok ? 'done' : 'failed';
    }
    const expects = this.atWork === 0 && root?.idle;
    return this.permissions.size > 0 || expects ? 'waiting' : 'working';
  }

  /** Fleet-wide: once the run is over, what it says itself. */
  get total(): Spent {
    return this.spent.total;
  }

  /** What its agent's CLI calls it, else what the root was first asked to do. */
  get title(): string {
    return this.ownTitle || promptTitle(this.request?.prompt || this.streams.get(0)?.asked);
  }

  /** What every agent and everyone below it has spent, by stream. The rule is that of
   *  `Tree.totals` in src/unbraid/fold/tree.py. */
  totals(): Map<number, Spent> {
    const totals = new Map<number, Spent>();
    // A child's number is larger than its parent's.
    for (const stream of [...this.streams.values()].toReversed()) {
      const total = totals.get(stream.id);
      if (total === undefined) totals.set(stream.id, { ...stream.spent });
      else add(total, stream.spent);
      if (stream.parent === null) continue;
      const above = totals.get(stream.parent);
      if (above === undefined) totals.set(stream.parent, { ...totals.get(stream.id)! });
      else add(above, totals.get(stream.id)!);
    }
    if (this.root !== undefined) totals.set(this.root.id, this.total);
    return totals;
  }

  /** In order of appearance. */
  agents(): AgentView[] {
    return Array.from(this.streams.values(), (stream) => stream.view());
  }

  /** The same run, to go its own way from here. */
  fork(): Run {
    const fork: Run = Object.assign(Object.create(Run.prototype), this);
    fork.spent = this.spent.fork();
    fork.permissions = new Map(this.permissions);
    fork.touched = new Set(this.touched);
    fork.streams = new Map();
    for (const [id, stream] of this.streams) fork.streams.set(id, stream.fork());
    return fork;
  }

  private open(event: StreamStart): void {
    const stream = new Stream(event, event.stream_id === 0 ? this.request : null);
    this.streams.set(stream.id, stream);
    this.atWork += Number(stream.id !== 0);
    this.touched.add(stream.id);
    const parent = stream.parent === null ? undefined : this.streams.get(stream.parent);
    if (parent !== undefined && event.tool_use_id) {
      parent.spawned(event.tool_use_id, stream.id);
      this.touched.add(parent.id);
    }
  }
}
