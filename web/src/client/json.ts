/** What newer browsers can do with numbers; TypeScript does not know of it yet. */
const exact = JSON as unknown as {
  rawJSON?: (text: string) => unknown;
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source: string }) => unknown,
  ): unknown;
};
/**
 * Only such texts can have numbers that JavaScript rounds: others are read faster. The digits are
 * written out because engines skip what cannot match by fixed lengths: with `\d{16}` this took six
 * times as long, and as long as reading the JSON itself.
 */
const LONG = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d|\de\+?\d\d\d/i;

/**
 * Reads JSON. A number that JavaScript would round stays as it is written, and `JSON.stringify`
 * writes it like that again: what is approved on a page is what the agent asked for.
 */
export function parseJson(text: string): unknown {
  const raw = exact.rawJSON;
  if (raw === undefined || !LONG.test(text)) return JSON.parse(text);
  return exact.parse(text, (_, value, { source }) => (isRounded(value) ? raw(source) : value));
}

function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}
