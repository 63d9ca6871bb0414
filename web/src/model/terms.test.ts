import { expect, test } from 'vitest';
import { marked, placesOf } from './terms';
import cases from './terms.json';

test.each(cases)('$query in $text', ({ query, text, hits }) => {
  const whole = text.normalize('NFC');
  expect(placesOf(query, text).map(([from, to]) => whole.slice(from, to))).toEqual(hits);
  const parts = marked(query, text);
  expect(parts.map((part) => part.text).join('')).toBe(whole);
  if (hits.length > 0) {
    expect(parts.filter(({ hit }) => hit).map((part) => part.text)).toEqual(hits);
  }
});
