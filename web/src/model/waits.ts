import { visible } from '../safe/marks';
import type { Run } from './events';

const MAX_LINES = 5;
const MAX_CHARS = 80;

/** What a person is notified of: one text for all that have begun to wait since. */
export interface Notice {
  title: string;
  body: string;
  run: string;
}

/** A wait, by the run, by what it waits for and since when: the same for as long as it lasts. */
export function waitOf(run: Run): string {
  return `${run.run} ${run.waiting?.for ?? ''} ${run.waiting?.since ?? 0}`;
}

/** What to say of runs that have begun to wait; null if there are none. */
export function noticeOf(runs: Run[]): Notice | null {
  const [first] = runs;
  if (!first) return null;
  const lines = runs.slice(0, MAX_LINES).map(line);
  if (runs.length > MAX_LINES) lines.push(`and ${runs.length - MAX_LINES} more`);
  const title =
    runs.length === 1 ? `Waits for ${what(first)}` : `${runs.length} agents wait for you`;
  return { title, body: lines.join('\n'), run: first.run };
}

/** A title of the tab with the number of those that wait before it. */
export function titleWith(count: number, title: string): string {
  const bare = title.replace(/^\(\d+\) /, '');
  return count ? `(${count}) ${bare}` : bare;
}

/** The icon of the tab, with a number on it. */
export function iconWith(count: number): string {
  const number = count > 9 ? '9+' : String(count);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
    '<rect width="32" height="32" rx="7" fill="#3d5afe"/>' +
    '<circle cx="18" cy="18" r="13" fill="#c62828" stroke="#fff" stroke-width="2"/>' +
    '<text x="18" y="24" font-family="sans-serif" font-size="17" font-weight="700" ' +
    `text-anchor="middle" fill="#fff">${number}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function what(run: Run): string {
  if (run.waiting?.for !== 'permission') return 'a prompt';
  return run.waiting.tool ? `permission to use ${short(run.waiting.tool)}` : 'permission';
}

function line(run: Run): string {
  return `${short(run.title ?? run.run)}: ${what(run)}`;
}

/** An agent has written it: on one line, and nothing in it that is not seen. */
function short(text: string): string {
  const plain = visible(text.slice(0, 4 * MAX_CHARS))
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > MAX_CHARS ? `${plain.slice(0, MAX_CHARS - 1)}…` : plain;
}
