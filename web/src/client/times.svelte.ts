/** Times are shown since the run's start, or as the clock showed them: one switch for all. */
import { clock as clockTime } from '../parts/format';
import { clock as sinceStart } from '../timeline/axis';
import { Remembered } from './remembered.svelte';

class Times {
  #clock = new Remembered('clock-times', false);

  get byClock(): boolean {
    return this.#clock.value;
  }

  toggle(): void {
    this.#clock.value = !this.#clock.value;
  }

  /** A moment of a run that began at `begin`. */
  show(ts: number, begin: number, tenths = false): string {
    return this.byClock ? clockTime(ts) : sinceStart(ts - begin, tenths);
  }
}

export const times = new Times();
