import fc from 'fast-check';
import { expect, test } from 'vitest';
import { momentAddress, parse, runAddress, runsAddress } from './address';
import { Lines } from './lines';

test('lines are whole, wherever the bytes were cut', () => {
  const value = fc.record({ a: fc.string({ unit: 'binary' }), b: fc.integer() });
  const values = fc.array(value, { maxLength: 5 });
  fc.assert(
    fc.property(values, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (sent, sizes) => {
      const text = sent.map((value) => `${JSON.stringify(value)}\n\n`).join('');
      const bytes = new TextEncoder().encode(text);
      const lines = new Lines<unknown>();
      const found: unknown[] = [];
      for (let at = 0; at < bytes.length;) {
        const size = sizes.next().value;
        found.push(...lines.feed(bytes.subarray(at, at + size)));
        at += size;
      }
      expect(found).toEqual(sent);
    }),
    { seed: 1 },
  );
});

test('every address leads to its place', () => {
  const run = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,40}$/);
  const number = fc.option(fc.nat());
  fc.assert(
    fc.property(run, number, number, (run, stream, seq) => {
      const address = runAddress(run, stream, seq ?? undefined);
      expect(parse(address)).toEqual({ page: 'run', run, stream, seq, at: null });
      const moment = momentAddress(run, stream, seq ?? 0);
      expect(parse(moment)).toEqual({ page: 'run', run, stream, seq: null, at: seq ?? 0 });
    }),
    { seed: 1 },
  );
  fc.assert(
    fc.property(fc.string(), (query) => {
      expect(parse(runsAddress(query))).toEqual({ page: 'runs', query });
    }),
    { seed: 1 },
  );
});

test('whatever is typed as an address leads somewhere', () => {
  fc.assert(
    fc.property(fc.string(), (hash) => {
      expect(['run', 'runs']).toContain(parse(`#${hash}`).page);
    }),
    { seed: 1 },
  );
  expect(parse('#/run/a/%zz')).toMatchObject({ run: 'a', stream: null, seq: null, at: null });
});
