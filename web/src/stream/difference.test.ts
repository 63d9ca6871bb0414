import fc from 'fast-check';
import { expect, test } from 'vitest';
import { difference } from './difference';

test('both texts can be read from their difference', () => {
  const line = fc.constantFrom('a', 'b', 'c', '');
  const text = fc.array(line, { maxLength: 6 }).map((all) => all.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = difference(before, after);
      if (lines.some(({ sign }) => sign === '…')) return;
      const read = (gone: string) =>
        lines.filter(({ sign }) => sign !== gone).map(({ text }) => text);
      const whole = (given: string) => given.replace(/\n$/, '').split('\n');
      if (before !== '') expect(read('+')).toEqual(whole(before));
      if (after !== '') expect(read('-')).toEqual(whole(after));
    }),
    { seed: 1 },
  );
});

test('what stayed the same is shortened', () => {
  const many = Array.from({ length: 50 }, (_, at) => `line ${at}`);
  const shown = difference(many.join('\n'), [...many, 'new'].join('\n'));
  expect(shown.length).toBeLessThan(12);
  expect(shown.some(({ sign, text }) => sign === '…' && text.includes('lines'))).toBe(true);
  expect(shown.at(-1)).toEqual({ sign: '+', text: 'new' });
});
