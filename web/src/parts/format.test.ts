import { expect, test } from 'vitest';
import costs from './cost.json';
import { ago, compact, cost, duration, oneLine } from './format';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1.0k'],
  [99_949, '99.9k'],
  [123_456, '123k'],
  [999_949, '1000k'],
  [1_500_000, '1.5M'],
])('%d tokens are %s', (count, shown) => expect(compact(count)).toBe(shown));

test.each(costs)('a cost is shown as $shown', ({ shown, ...spent }) =>
  expect(cost(spent)).toBe(shown),
);

test.each([
  [-5, '0 ms'],
  [320, '320 ms'],
  [1500, '1.5 s'],
  [59_999, '59 s'],
  [61_000, '1 m 01 s'],
  [3_660_000, '1 h 01 m'],
  [200_000_000, '2 d 7 h'],
])('%d ms are %s', (ms, shown) => expect(duration(ms)).toBe(shown));

test('what was just now is said in words', () => {
  expect(ago(1000, 2000)).toBe('just now');
  expect(ago(0, 2000)).toBe('');
  expect(ago(1, 7_200_001)).toBe('2 h ago');
});

test('one line is one line, however long the text', () => {
  expect(oneLine('a\n  b\tc')).toBe('a b c');
  expect(oneLine('x'.repeat(1e6))).toHaveLength(160);
});
