import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { clock, marks } from './axis';
import { Playback } from './playback.svelte';

test('marks are even, begin at the beginning and are never too many', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e10 }),
      fc.integer({ min: 2, max: 40 }),
      (long, most) => {
        const found = marks(long, most);
        expect(found[0]).toBe(0);
        expect(found.at(-1)).toBeLessThanOrEqual(long);
        expect(found.length).toBeLessThanOrEqual(most + 1);
      },
    ),
  );
});

test.each([
  [0, '0:00'],
  [65_000, '1:05'],
  [3_723_000, '1:02:03'],
])('%d ms is %s on the clock', (time, shown) => expect(clock(time)).toBe(shown));

test('a film goes on from where it is, at its speed, and ends at the end', () => {
  const frames: FrameRequestCallback[] = [];
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => {});
  vi.spyOn(performance, 'now').mockReturnValue(1000);
  const shown: (number | null)[] = [];
  const film = new Playback(
    () => ({ at: 50, begin: 0, end: 100 }),
    (at) => shown.push(at),
  );
  film.speed = 2;
  film.play();
  expect(film.playing).toBe(true);
  frames.shift()!(1010);
  frames.shift()!(1020);
  frames.shift()!(1025);
  expect(shown).toEqual([50, 70, 90, null]);
  expect(film.playing).toBe(false);
  expect(frames).toEqual([]);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
