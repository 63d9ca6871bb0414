/** The title of a run that has none of its own; the rule is that of src/unbraid/fold/title.py. */
const TITLE_CHARS = 200;

/** What stands before the words of a line: tags, headings, quotes, points of a list. */
const MARKUP = /^(?:\s|<\/?[A-Za-z][\w-]*(?:\s[^<>]*)?>|#{1,6}\s|>\s|[-*+]\s|\d+[.)]\s)*/;
/** Not the stars of a redacted secret. */
const EMPHASIS = /(?<!\*)\*\*(?!\*)|__|`/g;
/** One star on either side of words; not those of `*.py *.ts`. */
const STARRED = /(?<![\w*])\*(?![\s*.])([^*]*[^\s*])\*(?![\w*])/g;

/** The first paragraph of a prompt that has words, without its markup. */
export function promptTitle(prompt: string | null | undefined): string {
  const words: string[] = [];
  for (const line of (prompt ?? '').slice(0, 20 * TITLE_CHARS).split(/\r\n|[\n\r]/)) {
    const plain = line.replace(MARKUP, '').replace(EMPHASIS, '').replace(STARRED, '$1');
    if (/[\p{L}\p{N}]/u.test(plain)) words.push(plain);
    if (words.length > 0 && (line.startsWith('#') || line.trim() === '')) break;
  }
  return cut(words.join(' ')) || cut(prompt ?? '');
}

/** What an answer says first, in one line: no heading, no markup, no code, no table. */
export function gistOf(answer: string): string {
  const words: string[] = [];
  let code = false;
  for (const line of answer.slice(0, 20 * TITLE_CHARS).split(/\r\n|[\n\r]/)) {
    if (line.startsWith('```')) code = !code;
    else if (!code && !/^\s*[#|]/.test(line)) {
      words.push(line.replace(MARKUP, '').replace(EMPHASIS, '').replace(STARRED, '$1'));
    }
  }
  return cut(words.join(' ')) || promptTitle(answer);
}

function cut(text: string): string {
  return text
    .slice(0, 4 * TITLE_CHARS)
    .split(/\s+/)
    .filter(Boolean)
    .join(' ')
    .slice(0, TITLE_CHARS);
}
