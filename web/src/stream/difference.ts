import { diffLines } from 'diff';

export interface Line {
  sign: '+' | '-' | ' ' | '…';
  text: string;
}

/** Lines kept around a change; the rest of what did not change is left out. */
const AROUND = 3;
/** A difference that is dearer than this is not worth waiting for. */
const MOST_EDITS = 2000;

/** What is different between two texts, line by line. */
export function difference(before: string, after: string): Line[] {
  const parts = diffLines(before, after, { maxEditLength: MOST_EDITS });
  if (parts === undefined) return [...lines(before, '-'), ...lines(after, '+')];
  return parts.flatMap((part, place) => {
    if (part.added) return lines(part.value, '+');
    if (part.removed) return lines(part.value, '-');
    return shortened(lines(part.value, ' '), place === 0, place === parts.length - 1);
  });
}

function shortened(same: Line[], first: boolean, last: boolean): Line[] {
  const head = first ? 0 : AROUND;
  const tail = last ? 0 : AROUND;
  if (same.length <= head + tail + 1) return same;
  const left = same.length - head - tail;
  const skipped: Line = { sign: '…', text: `${left} lines as they were` };
  return [...same.slice(0, head), skipped, ...same.slice(same.length - tail)];
}

function lines(text: string, sign: Line['sign']): Line[] {
  if (text === '') return [];
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  return all.map((line) => ({ sign, text: line }));
}
