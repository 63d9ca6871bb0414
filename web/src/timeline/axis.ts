const STEPS_SECONDS = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400,
];

/** Marks at round times, in milliseconds from the beginning, at most `most` of them. */
export function marks(length: number, most: number): number[] {
  const step =
    1000 *
    (STEPS_SECONDS.find((seconds) => length / (seconds * 1000) <= most) ??
      86400 * Math.ceil(length / 86_400_000 / most));
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
}

/** 0:05, 12:40, 1:02:03; with tenths below a second's step. */
export function clock(milliseconds: number, tenths = false): string {
  const total = Math.max(0, milliseconds) / 1000;
  const [h, m] = [Math.floor(total / 3600), Math.floor(total / 60) % 60];
  const s = tenths ? (total % 60).toFixed(1).padStart(4, '0') : two(Math.floor(total % 60));
  return h > 0 ? `${h}:${two(m)}:${s}` : `${m}:${s}`;
}

const two = (value: number) => String(value).padStart(2, '0');
