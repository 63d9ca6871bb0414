import { expect, test } from 'vitest';
import { compactionsOf } from './context';

const marks = (...tokens: number[]) =>
  tokens.map((count, at) => ({ ts: at, seq: at + 1, tokens: count }));

test('a context that grows was never compacted', () => {
  expect(compactionsOf(marks(1000, 30_000, 29_000, 160_000))).toEqual([]);
  expect(compactionsOf([])).toEqual([]);
});

test('a context that is suddenly small was compacted, from and to how much', () => {
  const found = compactionsOf(marks(1000, 160_000, 24_000, 60_000, 15_000));
  expect(found.map(({ seq, before, tokens }) => [seq, before, tokens])).toEqual([
    [3, 160_000, 24_000],
    [5, 60_000, 15_000],
  ]);
});

test('little is no context to compact', () => {
  expect(compactionsOf(marks(9000, 100, 12_000, 300))).toEqual([]);
});
