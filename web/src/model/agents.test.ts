import { expect, test } from 'vitest';
import { tailsOf, type AgentView } from './agents';

function tails(...titles: string[]): (string | undefined)[] {
  const agents = titles.map((title, stream_id) => ({ agent: 'x', title, stream_id }) as AgentView);
  const found = tailsOf(agents);
  return titles.map((_, stream_id) => found.get(stream_id));
}

test('titles that begin alike are told apart by their ends', () => {
  const [name, long] = ['Audit the HTTP handlers for input', 'a'.repeat(40)];
  expect(tails(`${name}, part 7`, `${name}, part 12`)).toEqual([' part 7', ' part 12']);
  expect(tails(`${name} of administrators`, `${name} of visitors`)).toEqual([
    'rators',
    ' of visitors',
  ]);
  expect(tails(`${long}b`, `${long}c`)).toEqual(['aaaaab', 'aaaaac']);
});

test('others are cut at their ends', () => {
  expect(tails('Audit the HTTP handlers for input', 'Read the migration scripts')).toEqual([
    undefined,
    undefined,
  ]);
  expect(tails('Read the migration', 'Read the migration')).toEqual([undefined, undefined]);
});
