import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Call } from './items';
import calls from './calls.json';
import { changesOf, pictureOf, questionsOf, summaryOf } from './tools';

function call(tool: string, input: unknown): Call {
  const nothing = { ok: null, result: null, parts: null, until: null, duration_ms: null };
  return { id: 't', tool, input, child: null, ...nothing };
}

test.each(calls)('$tool: $summary', ({ tool, input, summary, changes }) => {
  expect(summaryOf(tool, input)).toBe(summary);
  expect(changesOf(tool, input)).toEqual(changes);
});

test('questions are those of a tool that asks', () => {
  const asking = calls.find(({ tool }) => tool === 'AskUserQuestion')!;
  const [first, second] = questionsOf(asking.tool, asking.input);
  expect(first).toEqual({
    question: 'Which one?',
    options: [
      { label: 'This', description: 'first' },
      { label: 'That', description: '' },
    ],
    multiple: true,
  });
  expect(second).toEqual({ question: 'Why?', options: [], multiple: false });
  expect(questionsOf('Bash', asking.input)).toEqual([]);
});

test('each kind of tool has its look', () => {
  expect(pictureOf(call('Bash', { command: 'ls -l' }))).toMatchObject({
    look: 'shell',
    summary: 'ls -l',
  });
  const edit = { file_path: '/a', old_string: 'x', new_string: 'y' };
  expect(pictureOf(call('Edit', edit))).toMatchObject({
    look: 'edit',
    changes: [{ path: '/a', before: 'x', after: 'y' }],
  });
  expect(pictureOf(call('write', { filePath: '/b', content: 'new' }))).toMatchObject({
    look: 'edit',
    changes: [{ path: '/b', before: '', after: 'new' }],
  });
  const task = { subagent_type: 'scout', description: 'Look around', prompt: 'Please' };
  expect(pictureOf(call('Task', task))).toEqual({ look: 'agent', summary: 'Look around (scout)' });
});

test('no input breaks the picture', () => {
  const tool = fc.constantFrom('Bash', 'Edit', 'MultiEdit', 'TodoWrite', 'Task', 'Read', 'x');
  const value = fc.oneof(
    fc.anything(),
    fc.record({ edits: fc.anything(), todos: fc.anything(), command: fc.anything() }),
  );
  fc.assert(
    fc.property(tool, value, (name, input) => {
      expect(typeof pictureOf(call(name, input)).summary).toBe('string');
    }),
    { seed: 1 },
  );
});
