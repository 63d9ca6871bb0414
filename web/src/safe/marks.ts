import { HIDDEN_CHARACTERS } from '../model/events';

/**
 * Characters that change how others look and are not seen themselves: controls, those without a
 * width, those that turn the direction of text (so that code reads as something else), tags. They
 * are shown by name. The table is Python's (`unbraid/screen.py`).
 */
const NAMES: Record<string, string> = {
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
};

const HIDDEN = new RegExp(HIDDEN_CHARACTERS, 'gu');
const RETURNS = /\r\n?/g;
const ESCAPES =
  /[\u001b\u009b](?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|[()*+][0-9A-Z]|[0-~])?/g;

/** An agent's words with nothing hidden in them. */
export function visible(text: string): string {
  return text
    .replace(RETURNS, '\n')
    .replace(HIDDEN, (mark) => `⟨${NAMES[mark] ?? `U+${code(mark)}`}⟩`);
}

/** What a terminal would have shown, without its colours. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPES, '');
}

function code(mark: string): string {
  return mark.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
}
