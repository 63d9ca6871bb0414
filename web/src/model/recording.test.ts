import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleRun } from './sample';
import { Recording } from './recording';
import { Run } from './run';

const EVENTS = sampleRun(600, 6);

function recorded(): Recording {
  const recording = new Recording(64);
  for (const event of EVENTS) recording.add(event);
  return recording;
}

function pictureOf(run: Run): unknown {
  const streams = Array.from(run.streams.values(), (stream) =>
    stream.look().map((item) => ({ ...item, look: 0 })),
  );
  return { agents: run.agents(), streams, total: run.total, done: run.done, seq: run.seq };
}

function folded(count: number): Run {
  const run = new Run();
  for (const event of EVENTS.slice(0, count)) run.apply(event);
  return run;
}

test('wherever one jumps to, and from where, the run is what its first events tell', () => {
  const recording = recorded();
  const place = fc.integer({ min: 0, max: EVENTS.length });
  fc.assert(
    fc.property(place, (count) => {
      expect(pictureOf(recording.after(count))).toEqual(pictureOf(folded(count)));
    }),
    { seed: 1, examples: [[EVENTS.length], [0], [64], [128], [63]] },
  );
});

test('a time is a place among the events, also where sources disagree about it', () => {
  const recording = new Recording();
  EVENTS.slice(0, 4).forEach((event, at) => recording.add({ ...event, ts: [0, 50, 40, 90][at]! }));
  expect([recording.begin, recording.end]).toEqual([50, 90]);
  expect([49, 50, 89, 90].map((time) => recording.countUntil(time))).toEqual([1, 3, 3, 4]);
});

test('what comes again is not added again', () => {
  const recording = recorded();
  for (const event of EVENTS.slice(-100)) recording.add(event);
  expect(recording.events).toEqual(EVENTS);
});
