/** What a search finds. The rule is that of `unbraid/fold/query.py`: a word is found wherever it is,
 *  also inside others, whatever its case and its accents. */

const LETTER = '[\\p{L}\\p{N}]';
const BETWEEN = '[^\\p{L}\\p{N}]+';

const ASCII = /^[\0-\x7f]*$/;
const WORDS = new RegExp(`${LETTER}+`, 'gu');

const SNIPPET_CHARS = 160;
const CUT = '…';

/** How well a text matches, best first: by whole words, beginnings of words, or inside of words. */
export type Rank = 0 | 1 | 2;
const RANKS: Rank[] = [0, 1, 2];

/** A text as it is compared: as long as it is with its accents composed. */
function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return Array.from(composed(text), (mark) => {
    const base = mark
      .normalize('NFD')
      .replace(/(?<!^)[\u0300-\u036f]+$/u, '')
      .toLowerCase();
    return base.length === mark.length ? base : mark;
  }).join('');
}

function composed(text: string): string {
  return text.normalize('NFC');
}

/** What is to be found of each word or "phrase" of a query in folded text. */
function patternsOf(query: string): string[] {
  return [...query.matchAll(/"([^"]+)"|(\S+)/g)].flatMap(([, phrase, word]) => {
    const words = folded(phrase ?? word ?? '').match(WORDS);
    return words ? [words.join(BETWEEN)] : [];
  });
}

/** Where the terms of a query are in a text, whether these are all of them or not. */
function placesOf(query: string, compared: string): [number, number][] {
  return patternsOf(query)
    .flatMap((pattern) => Array.from(compared.matchAll(new RegExp(pattern, 'gu'))))
    .map((hit): [number, number] => [hit.index, hit.index + hit[0].length])
    .sort(([a], [b]) => a - b);
}

/** How well a text matches, and the surroundings of the first of its best places; null if a term of
 *  the query is not in it. */
export function matched(query: string, text: string): { rank: Rank; snippet: string } | null {
  const compared = folded(text);
  const found = patternsOf(query).map((pattern) => {
    const beginning = `(?<!${LETTER})${pattern}`;
    const ranked = [`${beginning}(?!${LETTER})`, beginning, pattern];
    for (const rank of RANKS) {
      const at = compared.search(new RegExp(ranked[rank] ?? '', 'u'));
      if (at >= 0) return { rank, at };
    }
    return null;
  });
  const best = found.filter((each) => each !== null);
  if (best.length === 0 || best.length < found.length) return null;
  const whole = composed(text);
  const first = Math.min(...best.map(({ at }) => at));
  const start = wordStart(whole, Math.max(0, first - SNIPPET_CHARS / 4), first);
  const end = start + SNIPPET_CHARS;
  // Half of a character is none.
  const snippet = whole.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return {
    rank: Math.max(...best.map(({ rank }) => rank)) as Rank,
    snippet: `${start > 0 ? CUT : ''}${snippet}${end < whole.length ? CUT : ''}`,
  };
}

/** Where the first whole word of a part begins; where the part does, if it has none. */
function wordStart(text: string, start: number, end: number): number {
  if (start === 0 || text[start - 1] === ' ') return start;
  const space = text.slice(start, end).indexOf(' ');
  return space < 0 ? start : start + space + 1;
}

/** A text cut at the terms that are in it, whether these are all that were searched for or not. */
export function marked(query: string, text: string): { text: string; hit: boolean }[] {
  const whole = composed(text);
  const parts: { text: string; hit: boolean }[] = [];
  let at = 0;
  for (const [from, to] of placesOf(query, folded(text))) {
    if (from < at) continue;
    if (from > at) parts.push({ text: whole.slice(at, from), hit: false });
    parts.push({ text: whole.slice(from, to), hit: true });
    at = to;
  }
  if (at < whole.length) parts.push({ text: whole.slice(at), hit: false });
  return parts;
}
