import { expect, test } from 'vitest';
import type { Run } from '../model/events';
import { nothingSpent } from '../model/usage';
import { chosen, DEFAULT, entriesOf, totalOf, valuesOf } from './list';

function run(name: string, more: Partial<Run> = {}): Run {
  return {
    run: name,
    source: 'claude',
    session_id: null,
    title: name,
    cwd: null,
    machine: null,
    user: null,
    status: 'done',
    waiting: null,
    agents: 1,
    started: 0,
    updated: 0,
    usage: nothingSpent(),
    activity: { span_ms: 1, counts: [] },
    first_seq: 1,
    last_seq: 1,
    ...more,
  };
}

const RUNS = [
  run('old', { started: 1, cwd: '/a', usage: { ...nothingSpent(), cost_usd: 3 } }),
  run('new', { started: 4, cwd: '/b', source: 'codex', agents: 7 }),
  run('live', { started: 2, status: 'working', cwd: '/a' }),
  run('asks', { started: 1, status: 'waiting', waiting: { for: 'permission', since: 1 } }),
];
const names = (runs: Run[]) => runs.map((each) => each.run);

test('who waits for permission is at the top, then who works, then the last started', () => {
  expect(names(chosen(RUNS, DEFAULT))).toEqual(['asks', 'live', 'new', 'old']);
});

test('a column sorts, and sorts the other way round', () => {
  const by = (choice: object) => names(chosen(RUNS, { ...DEFAULT, ...choice }));
  expect(by({ column: 'cost' })[0]).toBe('old');
  expect(by({ column: 'agents' })[0]).toBe('new');
  expect(by({ column: 'title' })).toEqual(['asks', 'live', 'new', 'old']);
  expect(by({ column: 'title', reversed: true })).toEqual(['old', 'new', 'live', 'asks']);
});

test('filters narrow it, groups have heads, and the totals are of what is shown', () => {
  expect(names(chosen(RUNS, { ...DEFAULT, asking: true }))).toEqual(['asks']);
  expect(names(chosen(RUNS, { ...DEFAULT, kind: 'codex' }))).toEqual(['new']);
  const inA = chosen(RUNS, { ...DEFAULT, folder: '/a' });
  expect(totalOf(inA)).toMatchObject({ agents: 2, spent: { cost_usd: 3 } });
  const heads = entriesOf(RUNS, 'folder').filter((entry) => 'head' in entry);
  expect(heads).toEqual([
    { head: '/a', count: 2 },
    { head: '/b', count: 1 },
    { head: 'No folder', count: 1 },
  ]);
  expect(valuesOf(RUNS.map((each) => each.cwd))).toEqual(['/a', '/b']);
});
