import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FleetEvent } from './events';
import type { Item } from './items';
import { sampleRun } from './sample';
import { Run } from './run';
import { tokensOf } from './usage';

type Bare = FleetEvent extends infer E
  ? E extends FleetEvent
    ? Omit<E, 'seq' | 'ts'>
    : never
  : never;

/** A run from events that need no numbers of their own. */
function run(...events: Bare[]): Run {
  const run = new Run();
  events.forEach((event, at) => run.apply({ ...event, seq: at + 1, ts: 1000 + at } as FleetEvent));
  return run;
}

const root = { stream_id: 0, depth: 0, agent: 'main' };
const child = { stream_id: 1, depth: 1, agent: 'helper' };
const begin: Bare[] = [
  { ...root, type: 'request_received', source: 'test', prompt: 'Go' },
  { ...root, type: 'stream_start', parent_stream_id: null, prompt: 'Go' },
];

function items(run: Run, stream = 0): Item[] {
  return run.streams.get(stream)?.look() ?? [];
}

test('the first prompt, stated twice, is shown once', () => {
  expect(items(run(...begin)).map((item) => [item.kind, item.text])).toEqual([['prompt', 'Go']]);
});

test('a call leads to the agent that it started, also if that came first', () => {
  const state = run(
    ...begin,
    { ...child, type: 'stream_start', parent_stream_id: 0, tool_use_id: 'call' },
    { ...root, type: 'tool_use', tool_use_id: 'call', tool: 'Agent', input: {} },
  );
  expect(items(state).at(-1)?.call?.child).toBe(child.stream_id);
  expect(state.agents()[0]?.waits).toEqual([child.stream_id]);
});

test('every block is the sum of its deltas, however blocks and streams alternate', () => {
  const delta = fc.record({
    type: fc.constantFrom('text' as const, 'thinking' as const),
    stream_id: fc.integer({ min: 0, max: 2 }),
    message_id: fc.constantFrom('a', 'b'),
    block: fc.integer({ min: 0, max: 2 }),
    delta: fc.string(),
  });
  const looks = fc.array(fc.tuple(delta, fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(looks, (deltas) => {
      const state = run(
        ...begin,
        { ...child, type: 'stream_start', parent_stream_id: 0 },
        { ...child, stream_id: 2, type: 'stream_start', parent_stream_id: 0 },
      );
      const truth = new Map<string, string>();
      deltas.forEach(([event, looked], at) => {
        const key = `${event.stream_id} ${event.type} ${event.message_id} ${event.block}`;
        truth.set(key, (truth.get(key) ?? '') + event.delta);
        state.apply({ ...root, ...event, seq: 10 + at, ts: 1 });
        // To look in between must change nothing.
        if (looked) items(state, event.stream_id);
      });
      const said = [0, 1, 2].flatMap((id) => items(state, id)).filter((i) => i.kind !== 'prompt');
      expect(said.map((item) => item.text).sort()).toEqual([...truth.values()].sort());
    }),
    { seed: 1 },
  );
});

test('an item that was given out stays what it was', () => {
  const state = run(...begin);
  const words = { ...root, type: 'text' as const, message_id: 'm', block: 0 };
  state.apply({ ...words, seq: 10, ts: 1, delta: 'one ' });
  const before = items(state).at(-1);
  state.apply({ ...words, seq: 11, ts: 1, delta: 'two' });
  const after = items(state).at(-1);
  expect([before?.text, after?.text]).toEqual(['one ', 'one two']);
  expect(items(state).at(-1)).toBe(after);
});

test('a call has its result, its time and the agent that it started', () => {
  const state = run(
    ...begin,
    { ...root, type: 'tool_use', tool_use_id: 't', tool: 'Task', input: { a: 1 } },
    { ...child, type: 'stream_start', parent_stream_id: 0, tool_use_id: 't', description: 'Look' },
    { ...child, type: 'stream_end', ok: true, reason: 'completed' },
    { ...root, type: 'tool_result', tool_use_id: 't', ok: true, content: 'found' },
  );
  const call = items(state).at(-1)?.call;
  expect(call).toMatchObject({ ok: true, result: 'found', duration_ms: 3, child: 1 });
  expect(state.agents()[1]).toMatchObject({ title: 'Look', status: 'done', ended: 1004 });
  expect(state.agents()[0]?.tools).toEqual([{ tool: 'Task', at: 1002, until: 1005, ok: true }]);
});

test('a result whose call is not known is shown all the same', () => {
  const state = run(...begin, {
    ...root,
    type: 'tool_result',
    tool_use_id: '?',
    ok: false,
    content: 'no',
  });
  expect(items(state).at(-1)?.call).toMatchObject({ ok: false, result: 'no' });
});

test('what was retracted stays, marked, and the rest still grows', () => {
  const words = { ...root, type: 'text' as const, block: 0 };
  const state = run(
    ...begin,
    { ...words, message_id: 'bad', delta: 'no' },
    { ...words, message_id: 'good', delta: 'ye' },
    { ...root, type: 'retracted', message_ids: ['bad'] },
    { ...words, message_id: 'good', delta: 's' },
  );
  expect(items(state).map((item) => [item.kind, item.text, item.retracted])).toEqual([
    ['prompt', 'Go', false],
    ['text', 'no', true],
    ['text', 'yes', false],
    ['retracted', '', false],
  ]);
  expect(state.streams.get(0)?.lastWords).toBe('yes');
});

test('a permission request is one item with its answer', () => {
  const asked = { ...root, type: 'permission_asked' as const, tool: 'Bash', input: { a: 1 } };
  const state = run(...begin, { ...asked, request_id: 'r' });
  const before = items(state).at(-1);
  state.apply({
    ...root,
    type: 'permission_replied',
    request_id: 'r',
    behavior: 'deny',
    by: 'Ann',
    seq: 9,
    ts: 1,
  });
  const request = { id: 'r', tool: 'Bash', tool_use_id: null, input: { a: 1 } };
  expect(before?.request).toEqual({ ...request, behavior: null, by: null });
  expect(items(state).at(-1)?.request).toEqual({ ...request, behavior: 'deny', by: 'Ann' });
});

test('who waits for permission waits until the last answer', () => {
  const asked = { ...root, type: 'permission_asked' as const, tool: 'Bash', input: {} };
  const replied = { ...root, type: 'permission_replied' as const, behavior: 'allow' };
  const both = [...begin, { ...asked, request_id: 'a' }, { ...asked, request_id: 'b' }];
  const half = run(...both, { ...replied, request_id: 'a' });
  expect([half.agents()[0]?.status, half.permissions.size]).toEqual(['waiting', 1]);
  const whole = run(...both, { ...replied, request_id: 'a' }, { ...replied, request_id: 'b' });
  expect([whole.agents()[0]?.status, whole.permissions.size]).toEqual(['working', 0]);
});

test('the latest of several requests of one name waits', () => {
  const asked = { ...root, type: 'permission_asked' as const, request_id: 'r' };
  const first = { ...asked, tool: 'Bash', input: { command: 'rm -rf ~' } };
  const state = run(...begin, first, { ...asked, tool: 'Read', input: {} });
  expect([...state.permissions.values()].map(({ tool }) => tool)).toEqual(['Read']);
  expect(state.agents()[0]?.asks).toEqual(['Read']);
});

test('totals are the sum of messages until the run tells its own', () => {
  const usage = {
    ...root,
    type: 'token_usage' as const,
    model: 'm',
    input_tokens: 1,
    output_tokens: 2,
    cache_read_tokens: 3,
    cache_creation_tokens: 4,
  };
  const live = run(
    ...begin,
    { ...usage, message_id: '1' },
    { ...usage, message_id: '2' },
    { ...root, type: 'turn_complete', ok: true, subtype: '', cost_usd: 0.5 },
  );
  expect(live.total).toMatchObject({ input_tokens: 2, cache_creation_tokens: 8, cost_usd: 0.5 });
  expect(live.agents()[0]).toMatchObject({ model: 'm', own: { cost_usd: null } });
  expect(tokensOf(live.agents()[0]!.own)).toBe(20);
  live.apply({ ...usage, type: 'done', seq: 99, ts: 1, ok: true, streams: 1, input_tokens: 7 });
  expect(live.total).toMatchObject({ input_tokens: 7, cost_usd: 0.5 });
});

test('what an account leaves out stays computed', () => {
  const usage = {
    ...root,
    type: 'token_usage' as const,
    model: 'm',
    input_tokens: 100,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_creation_tokens: 0,
    estimated_usd: 0.25,
  };
  const account = { ok: true, subtype: '', cost_usd: 0.5, input_tokens: 100 };
  const { total } = run(
    ...begin,
    { ...usage, message_id: '1' },
    { ...usage, message_id: '2' },
    { ...root, type: 'turn_complete', ...account },
  );
  expect(total).toMatchObject({ input_tokens: 200, cost_usd: 0.5, estimated_usd: 0.25 });
});

test('a run of many agents is folded whole', () => {
  const events = sampleRun(5000, 50);
  const state = new Run();
  for (const event of events) state.apply(event);
  expect(state.streams.size).toBe(50);
  expect(state.agents().every((agent) => agent.status === 'done')).toBe(true);
});
