/**
 * The page's items are those of `fold/conversation.py`, recording by recording. The expected ones
 * are made by `web/conversations.py`, which prints one line of JSON for each run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FleetEvent } from './events';
import type { Item } from './items';
import { Run } from './run';
import type { Spent } from './usage';
import { summaryOf } from './tools';

interface Expected {
  name: string;
  events: FleetEvent[];
  streams: Record<string, Record<string, unknown>[]>;
  statuses: [number, string, string[]][];
  summaries: [string, unknown, string][];
  facts: { count: number; run: unknown[]; agents: unknown[][] }[];
}

const VENV = '../.venv/bin/python';
const python = process.env.PYTHON ?? (existsSync(VENV) ? VENV : 'python3');
const printed = execFileSync(python, ['conversations.py'], {
  encoding: 'utf-8',
  maxBuffer: 1 << 30,
});
const expected = printed
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Expected);

/** An item with the names that it has in Python; what is empty is left out there. */
function plain(item: Item): Record<string, unknown> {
  const { call, request } = item;
  const unrecognized = item.kind === 'unrecognized';
  const all: Record<string, unknown> = {
    kind: item.kind,
    seq: item.seq,
    ts: item.ts,
    text: unrecognized ? null : item.text || null,
    raw: unrecognized ? (JSON.parse(item.text) as unknown) : null,
    message_id: item.message_id,
    retracted: item.retracted || null,
    ok: call ? call.ok : item.ok,
    tool: call?.tool ?? request?.tool,
    tool_use_id: call?.id || request?.tool_use_id,
    input: call?.input ?? request?.input,
    result: call?.result,
    parts: call?.parts,
    duration_ms: call?.duration_ms,
    child: call?.child,
    request_id: request?.id,
    behavior: request?.behavior,
    by: request?.by,
    reason: item.reason,
    offset: item.offset,
    before_tokens: item.cut?.before,
    after_tokens: item.cut?.after,
    message_ids: item.message_ids,
    resumes: item.resumes,
    repeats: item.repeats,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value != null));
}

test('there are recordings', () => {
  expect(expected.length).toBeGreaterThan(30);
});

test.each(expected)('statuses of $name', ({ events, statuses }) => {
  const run = new Run();
  const found = events.map((event) => {
    run.apply(event);
    return [event.seq, run.status, run.agents().map((agent) => agent.status)];
  });
  expect(found).toEqual(statuses);
});

test.each(expected)('summaries of the calls of $name', ({ summaries }) => {
  const found = summaries.map(([tool, input]) => [tool, input, summaryOf(tool, input)]);
  expect(found).toEqual(summaries);
});

test.each(expected)('$name', ({ events, streams }) => {
  const run = new Run();
  for (const event of events) run.apply(event);
  const found = Object.fromEntries(
    Array.from(run.streams, ([id, stream]) => [String(id), stream.look().map(plain)]),
  );
  expect(found).toEqual(streams);
});

test.each(expected)('facts of $name', ({ events, facts }) => {
  for (const { count, run: about, agents } of facts) {
    const run = new Run();
    for (const event of events.slice(0, count)) run.apply(event);
    const { source, session_id, title, cwd, started, updated } = run;
    expect([source, session_id, title || null, cwd, started, updated, spent(run.total)]).toEqual(
      about.map(rounded),
    );
    const totals = run.totals();
    const found = run
      .agents()
      .map((agent) => [
        agent.stream_id,
        agent.agent,
        agent.title || null,
        agent.model,
        agent.started,
        agent.ended,
        agent.tools.length,
        agent.last_tool,
        spent(agent.own),
        spent(totals.get(agent.stream_id)!),
      ]);
    expect(found).toEqual(agents.map((each) => each.map(rounded)));
  }
});

/** Sums of dollars depend on the order in which they are added. */
function spent(given: Spent): unknown {
  const dollars = (value: number | null): number | null =>
    value === null ? null : Number(value.toFixed(9));
  return {
    ...given,
    cost_usd: dollars(given.cost_usd),
    estimated_usd: dollars(given.estimated_usd),
  };
}

function rounded(value: unknown): unknown {
  return value !== null && typeof value === 'object' ? spent(value as Spent) : value;
}
