/** What a person types to search. The rules are those of `unbraid/log/query.py`: a word is found at
 *  the beginning of words, whatever its case and its accents. */

const LETTER = '[\\p{L}\\p{N}]';

const ASCII = /^[\0-\x7f]*$/;
const WORDS = new RegExp(`${LETTER}+`, 'gu');

/** A text as it is compared: as long as it is with its accents composed. */
function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return Array.from(composed(text), (mark) => {
    const base = mark
      .normalize('NFD')
      .replace(/(?<!^)\p{M}+$/u, '')
      .toLowerCase();
    return base.length === mark.length ? base : mark;
  }).join('');
}

function composed(text: string): string {
  return text.normalize('NFC');
}

/** One pattern for each word or "phrase" of a query, to be found in folded text. */
function patternsOf(query: string): RegExp[] {
  return [...query.matchAll(/"([^"]+)"|(\S+)/g)].flatMap(([, phrase, word]) => {
    const words = folded(phrase ?? word ?? '').match(WORDS);
    const pattern = words?.join(`[^\\p{L}\\p{N}]+`);
    return pattern ? [new RegExp(`(?<!${LETTER})${pattern}`, 'gu')] : [];
  });
}

/** Where the terms of a query are in a text: [from, to] of each, in order. Empty if not all are. */
export function placesOf(query: string, text: string): [number, number][] {
  const compared = folded(text);
  const found = patternsOf(query).map((pattern) =>
    Array.from(compared.matchAll(pattern), (hit): [number, number] => [
      hit.index,
      hit.index + hit[0].length,
    ]),
  );
  if (found.some((places) => places.length === 0)) return [];
  return found.flat().sort(([a], [b]) => a - b);
}

/** A text cut at the terms that are in it, whether these are all that were searched for or not. */
export function marked(query: string, text: string): { text: string; hit: boolean }[] {
  const [whole, compared] = [composed(text), folded(text)];
  const places = patternsOf(query)
    .flatMap((pattern) => Array.from(compared.matchAll(pattern)))
    .sort((a, b) => a.index - b.index);
  const parts: { text: string; hit: boolean }[] = [];
  let at = 0;
  for (const { index, 0: hit } of places) {
    if (index < at) continue;
    if (index > at) parts.push({ text: whole.slice(at, index), hit: false });
    at = index + hit.length;
    parts.push({ text: whole.slice(index, at), hit: true });
  }
  if (at < whole.length) parts.push({ text: whole.slice(at), hit: false });
  return parts;
}
