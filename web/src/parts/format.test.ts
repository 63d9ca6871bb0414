import { expect, test } from 'vitest';
import { promptTitle } from '../model/title';
import table from './formats.json';
import { ago, compact, cost, duration, oneLine } from './format';

test.each(table.tokens as [number, string][])('%d tokens are %s', (count, shown) =>
  expect(compact(count)).toBe(shown),
);

test.each(table.cost)('a cost is shown as $shown', ({ shown, ...spent }) =>
  expect(cost(spent)).toBe(shown),
);

test.each(table.duration as [number, string][])('%d ms are %s', (ms, shown) =>
  expect(duration(ms)).toBe(shown),
);

test.each(table.title as [string, string][])('%j is entitled %s', (prompt, shown) =>
  expect(promptTitle(prompt)).toBe(shown),
);

test('what was just now is said in words', () => {
  expect(ago(1000, 2000)).toBe('just now');
  expect(ago(0, 2000)).toBe('');
  expect(ago(1, 7_200_001)).toBe('2h ago');
});

test('one line is one line, however long the text', () => {
  expect(oneLine('a\n  b\tc')).toBe('a b c');
  expect(oneLine('x'.repeat(1e6))).toHaveLength(160);
});
