import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visible, withoutEscapes } from './marks';
import { pieces } from './terminal';

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\u001b[31m', '\u001b[0m', '\u001b]0;title\u0007', '\u001b[2J', '\u202e'),
      fc.constantFrom(
        '\u009b31m',
        '\u001b',
        '\u001b[',
        '\r',
        '\r\n',
        '\u0000',
        '\u001b]8;;x\u001b\\',
      ),
    ),
  )
  .map((parts) => parts.join(''));

test('nothing hidden is left in what is shown', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      expect(visible(text)).not.toMatch(HIDDEN);
      for (const piece of pieces(text)) expect(piece.text).not.toMatch(HIDDEN);
    }),
    { seed: 1 },
  );
});

test('plain words stay as they are', () => {
  const plain = fc.string({ unit: 'grapheme' }).filter((text) => !HIDDEN.test(text));
  fc.assert(
    fc.property(plain, (text) => {
      expect(visible(text)).toBe(text);
      expect(withoutEscapes(text)).toBe(text);
    }),
    { seed: 1 },
  );
});

test('direction marks are shown by their names', () => {
  expect(visible('a\u202eb')).toBe('a⟨RLO⟩b');
  expect(visible('a\u0000b')).toBe('a⟨U+0000⟩b');
});

test('marks on a letter cannot cover the lines around it', () => {
  expect(visible('e' + '\u0301'.repeat(8) + 'x')).toBe(
    'e' + '\u0301'.repeat(6) + '⟨U+0301⟩⟨U+0301⟩x',
  );
});

test('a terminal has its colours and nothing more', () => {
  expect(pieces('\u001b]0;a title\u0007\u001b[31mred\u001b[0m plain\u001b[2J')).toEqual([
    { text: 'red', look: 'ansi-red' },
    { text: ' plain', look: '' },
  ]);
  expect(pieces('\u001b[1;38;5;99mstrong\u001b[m')).toEqual([{ text: 'strong', look: 'bold' }]);
  expect(pieces('\u001b[92mbright\u001b[m')).toEqual([{ text: 'bright', look: 'ansi-green' }]);
});

test('looks are only ever words of ours', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      for (const { look } of pieces(text)) expect(look).toMatch(/^(ansi-[a-z]+)?( ?(bold|dim))*$/);
    }),
    { seed: 1 },
  );
});
