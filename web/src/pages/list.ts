/** The list of runs as someone wants to see it: which, in which order, under which heads. */
import type { Run } from '../model/events';
import { add, dollarsOf, nothingSpent, tokensOf, type Spent } from '../model/usage';
import { isLive } from '../model/status';

export type Column = 'status' | 'title' | 'agents' | 'tokens' | 'cost' | 'started';
export type Grouping = '' | 'day' | 'folder';

export interface Choice {
  column: Column;
  /** Against the order that the column has at first. */
  reversed: boolean;
  grouping: Grouping;
  kind: string;
  folder: string;
  asking: boolean;
}

export const DEFAULT: Choice = {
  column: 'status',
  reversed: false,
  grouping: '',
  kind: '',
  folder: '',
  asking: false,
};

/** A head of a group, or a run below it. */
export type Entry = { head: string; count: number } | { run: Run };

export function asksPermission(run: Run): boolean {
  return run.waiting?.for === 'permission';
}

/** Who waits for a person comes first, then who works. */
function urgency(run: Run): number {
  return asksPermission(run) ? 2 : Number(isLive(run.status));
}

const COMPARE: Record<Column, (a: Run, b: Run) => number> = {
  status: (a, b) => urgency(b) - urgency(a),
  title: (a, b) => (a.title ?? a.run).localeCompare(b.title ?? b.run),
  agents: (a, b) => b.agents - a.agents,
  tokens: (a, b) => tokensOf(b.usage) - tokensOf(a.usage),
  cost: (a, b) => dollarsOf(b.usage) - dollarsOf(a.usage),
  started: (a, b) => b.started - a.started,
};

export function chosen(runs: Run[], choice: Choice): Run[] {
  const sign = choice.reversed ? -1 : 1;
  return runs
    .filter(
      (run) =>
        (choice.kind === '' || run.source === choice.kind) &&
        (choice.folder === '' || run.cwd === choice.folder) &&
        (!choice.asking || asksPermission(run)),
    )
    .sort((a, b) => sign * COMPARE[choice.column](a, b) || b.started - a.started);
}

export function entriesOf(runs: Run[], grouping: Grouping): Entry[] {
  if (grouping === '') return runs.map((run) => ({ run }));
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const head = grouping === 'day' ? dayOf(run.started) : (run.cwd ?? 'No folder');
    const group = groups.get(head);
    if (group) group.push(run);
    else groups.set(head, [run]);
  }
  return [...groups].flatMap(([head, group]): Entry[] => [
    { head, count: group.length },
    ...group.map((run) => ({ run })),
  ]);
}

export function totalOf(runs: Run[]): { agents: number; spent: Spent } {
  const total = { agents: 0, spent: nothingSpent() };
  for (const run of runs) {
    total.agents += run.agents;
    add(total.spent, run.usage);
  }
  return total;
}

/** What there is to choose from, the most frequent first. */
export function valuesOf(values: (string | null)[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
    .map(([value]) => value);
}

function dayOf(ts: number): string {
  if (!ts) return 'Unknown day';
  const options = { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' } as const;
  return new Date(ts).toLocaleDateString([], options);
}
