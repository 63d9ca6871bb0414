/** A film of the run: from a moment on, at a speed, frame by frame. */
export class Playback {
  playing = $state(false);
  speed = $state(1);
  #frame = 0;

  /** `read` returns the moment shown and the run's bounds; `show` gets the next one, null for the
   *  end. */
  constructor(
    private read: () => { at: number | null; begin: number; end: number },
    private show: (at: number | null) => void,
  ) {}

  play(): void {
    const { at, begin, end } = this.read();
    this.playing = true;
    // The moment is kept here: what is shown may be rounded, or lag behind.
    let moment = at === null || at >= end ? begin : at;
    let last = performance.now();
    this.show(moment);
    const step = (now: number) => {
      moment += (now - last) * this.speed;
      last = now;
      if (moment >= this.read().end) {
        this.pause();
        this.show(null);
        return;
      }
      this.show(moment);
      this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  pause(): void {
    cancelAnimationFrame(this.#frame);
    this.playing = false;
  }
}
