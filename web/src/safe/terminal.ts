import Anser from 'anser';
import { visible, withoutEscapes } from './marks';

/** A run of text in one look; `look` is a list of class names. */
export interface Piece {
  text: string;
  look: string;
}

const COLOUR = /\u001b\[[0-9;]*m/g;
const OTHER_ESCAPES =
  /[\u001b\u009b](?!\[[0-9;]*m)(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[()*+][0-9A-Z]|[0-~])?/g;

/** A terminal's output in its sixteen colours; every other escape sequence is dropped. */
export function pieces(output: string): Piece[] {
  if (!COLOUR.test(output)) return [{ text: visible(withoutEscapes(output)), look: '' }];
  COLOUR.lastIndex = 0;
  return Anser.ansiToJson(output.replace(OTHER_ESCAPES, ''), { use_classes: true }).map((part) => ({
    text: visible(withoutEscapes(part.content)),
    look: [
      part.fg?.startsWith('ansi-') ? part.fg.replace('bright-', '') : '',
      ...part.decorations.filter((word) => word === 'bold' || word === 'dim'),
    ]
      .join(' ')
      .trim(),
  }));
}
