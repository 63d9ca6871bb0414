import { visible } from '../safe/marks';

/** What belongs to an answer beside yes and no. */
export interface Details {
  input?: Record<string, unknown>;
  always?: number[];
  answers?: Record<string, string>;
}

/** An input as JSON to be edited: what a screen would not show stands there as an escape. */
export function editable(input: unknown): string {
  const text = JSON.stringify(input ?? {}, null, 2);
  return [...text]
    .map((sign) => (sign === '\n' || visible(sign) === sign ? sign : escaped(sign)))
    .join('');
}

function escaped(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, place) => sign.charCodeAt(place));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
