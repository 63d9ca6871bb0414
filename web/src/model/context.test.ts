import { expect, test } from 'vitest';
import { compactionsOf } from './context';

const marks = (...tokens: number[]) =>
  tokens.map((count, at) => ({ ts: at, seq: at + 1, tokens: count }));

test('a context that grows was never compacted', () => {
  expect(compactionsOf(marks(1000, 30_000, 29_000, 160_000), [])).toEqual([]);
  expect(compactionsOf([], [])).toEqual([]);
});

test('a context that is suddenly small was compacted, from and to how much', () => {
  const found = compactionsOf(marks(1000, 160_000, 24_000, 60_000, 15_000), []);
  expect(found.every(({ guessed }) => guessed)).toBe(true);
  expect(found.map(({ seq, before, after }) => [seq, before, after])).toEqual([
    [3, 160_000, 24_000],
    [5, 60_000, 15_000],
  ]);
});

test('little is no context to compact', () => {
  expect(compactionsOf(marks(9000, 100, 12_000, 300), [])).toEqual([]);
});

test('what is recorded counts, and nothing is guessed beside it', () => {
  const recorded = { ts: 1, seq: 2, before: null, after: null, guessed: false };
  const found = compactionsOf(marks(160_000, 170_000, 24_000, 9000), [
    { ...recorded, seq: 2.5 },
    { ...recorded, seq: 9, before: 5000, after: 700 },
  ]);
  expect(found.map(({ seq, before, after, guessed }) => [seq, before, after, guessed])).toEqual([
    [2.5, 170_000, 24_000, false],
    [9, 5000, 700, false],
  ]);
});
