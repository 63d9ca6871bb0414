import { expect, test } from 'vitest';
import { marked, matched } from './terms';
import cases from './terms.json';

test.each(cases)('$query in $text', ({ query, text, hits, rank }) => {
  const whole = text.normalize('NFC');
  const match = matched(query, text);
  expect(match !== null).toBe(hits.length > 0);
  if (rank !== undefined) expect(match?.rank).toBe(rank);
  const parts = marked(query, text);
  expect(parts.map((part) => part.text).join('')).toBe(whole);
  if (hits.length > 0) {
    expect(parts.filter(({ hit }) => hit).map((part) => part.text)).toEqual(hits);
  }
});

test('the surroundings of what was found are cut out, and the cuts marked', () => {
  const match = matched('needle', `${'hay '.repeat(100)}needle${' 🌾'.repeat(100)}`);
  expect(match?.snippet).toMatch(/^…(hay ){10}needle( 🌾)+ ?…$/u);
  expect(matched('needle', 'needles, then a needle')?.snippet).toBe('needles, then a needle');
});
