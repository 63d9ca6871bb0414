import Anser from 'anser';
import { visible, withoutEscapes } from './marks';

/** A run of text in one look; `look` is a list of class names. */
export interface Piece {
  text: string;
  look: string;
}

const COLOUR = /\u001b\[[0-9;]*m/;
const OTHER_ESCAPES =
  /[\u001b\u009b](?!\[[0-9;]*m)(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|[()*+][0-9A-Z]|[0-~])?/g;

const NAMED = /^ansi-(?:bright-)?(red|green|yellow|blue|magenta|cyan)$/;

/** A terminal's output in its sixteen colours; every other escape sequence is dropped. */
export function pieces(output: string): Piece[] {
  if (!COLOUR.test(output)) return [{ text: visible(withoutEscapes(output)), look: '' }];
  return Anser.ansiToJson(output.replace(OTHER_ESCAPES, ''), {
    use_classes: true,
    remove_empty: true,
  }).map((part) => ({
    text: visible(withoutEscapes(part.content)),
    look: [colour(part.fg), ...part.decorations.filter((word) => word === 'bold' || word === 'dim')]
      .join(' ')
      .trim(),
  }));
}

/** The class of a colour that we have; black and white are the page's own. */
function colour(name: string | null): string {
  const found = NAMED.exec(name ?? '');
  return found ? `ansi-${found[1]}` : '';
}
