import type { FleetEvent } from './events';
import { Run } from './run';

/** How many events lie between two kept states: folding them takes less than a frame. */
const STRIDE = 4096;

/** All events of a run, and the run as it was at any moment. */
export class Recording {
  readonly events: FleetEvent[] = [];
  /** The latest time up to each event: events of several sources are not in order of time. */
  private times: number[] = [];
  private past = new Run();
  private folded = 0;
  /** The run after every `stride` events, as far as anyone has looked. */
  private kept: Run[] = [];

  constructor(private readonly stride = STRIDE) {}

  get begin(): number {
    return this.times.find((time) => time > 0) ?? 0;
  }

  get end(): number {
    return this.times.at(-1) ?? 0;
  }

  add(event: FleetEvent): void {
    if (event.seq <= (this.events.at(-1)?.seq ?? 0)) return;
    this.events.push(event);
    this.times.push(Math.max(this.end, event.ts));
  }

  /** The run as it was at a time. It goes along with the next call: nothing of it is to be kept. */
  at(time: number): Run {
    return this.after(this.countUntil(time));
  }

  /** The run as its first `count` events tell it. */
  after(count: number): Run {
    const near = Math.min(Math.floor(count / this.stride), this.kept.length);
    if (count < this.folded || this.folded < near * this.stride) {
      this.past = this.kept[near - 1]?.fork() ?? new Run();
      this.folded = near * this.stride;
    }
    while (this.folded < count) {
      this.past.apply(this.events[this.folded++]!);
      if (this.folded === (this.kept.length + 1) * this.stride) this.kept.push(this.past.fork());
    }
    return this.past;
  }

  /** How many events happened up to and at a time. */
  countUntil(time: number): number {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
