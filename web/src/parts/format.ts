/** Numbers, times and names as people read them. */
import type { Cost } from '../model/usage';

import type { WaitingFor } from '../model/events';

/** Made once: one for every number would be a third of the time that a row of the timeline takes. */
const CENTS = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** A number of tokens. As in src/unbraid/screen.py; both are tested against formats.json. */
export function compact(count: number): string {
  if (count < 1000) return String(count);
  let shown = '';
  for (const [unit, size] of [
    ['k', 1e3],
    ['M', 1e6],
    ['G', 1e9],
  ] as const) {
    const tenths = Math.floor((10 * count + size / 2) / size);
    const whole = Math.floor((count + size / 2) / size);
    shown = tenths < 1000 ? `${Math.floor(tenths / 10)}.${tenths % 10}${unit}` : `${whole}${unit}`;
    if (whole < 1000) break;
  }
  return shown;
}

/** `≈`: it, or a part of it, was computed; `<`: less than a cent, computed or not; `+`: some tokens
 *  have no price. As in
 *  src/unbraid/screen.py; both are tested against formats.json. */
export function cost(spent: Cost): string {
  if (spent.cost_usd === null && spent.estimated_usd === null)
    return spent.unpriced_tokens ? 'no price' : '';
  const dollars = (spent.cost_usd ?? 0) + (spent.estimated_usd ?? 0);
  const about = spent.estimated_usd ? '≈' : '';
  const more = spent.unpriced_tokens ? '+' : '';
  if (dollars > 0 && dollars < 0.01) return `<$0.01${more}`;
  return `${about}$${CENTS.format(dollars)}${more}`;
}

/** A length of time. As in src/unbraid/screen.py; both are tested against formats.json. */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.trunc(ms));
  if (whole < 1000) return `${whole}ms`;
  const seconds = Math.floor(whole / 1000);
  if (seconds < 10) return `${seconds}.${Math.floor((whole % 1000) / 100)}s`;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${pad(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? `${hours}h ${pad(minutes % 60)}m`
    : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

export function ago(ts: number, now: number): string {
  if (!ts) return '';
  const seconds = Math.max(0, (now - ts) / 1000);
  if (seconds < 10) return 'just now';
  if (seconds < 60) return `${Math.floor(seconds)}s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`;
  const days = Math.floor(seconds / 86_400);
  return days < 30 ? `${days}d ago` : new Date(ts).toISOString().slice(0, 10);
}

export function waitingFor(waiting: WaitingFor, now: number): string {
  const tool = waiting.tool ? ` to use ${waiting.tool}` : '';
  const since = waiting.since ? `, ${duration(now - waiting.since)}` : '';
  return `waiting for ${waiting.for}${tool}${since}`;
}

export function clock(ts: number): string {
  return ts ? new Date(ts).toLocaleTimeString([], { hour12: false }) : '';
}

export function moment(ts: number): string {
  return ts ? new Date(ts).toLocaleString([], { hour12: false }) : 'unknown';
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function oneLine(text: string, most = 160): string {
  // Cut first: what is to be joined may be megabytes long.
  const line = text
    .slice(0, most * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
