import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FleetEvent } from '../model/events';
import { made } from '../model/made';
import { written } from './download';
import { fenced } from './markdown';

test('no text can close the fence that it stands in', () => {
  const text = fc
    .array(fc.constantFrom('`', '```', '````', '\n', 'x', '~~~'))
    .map((p) => p.join(''));
  fc.assert(
    fc.property(text, (words) => {
      const lines = fenced(words).trimEnd().split('\n');
      const fence = lines.at(-1)!;
      expect(lines[0]).toBe(fence);
      const inner = lines.slice(1, -1);
      expect(inner.join('\n')).toBe(words);
      expect(inner.every((line) => !line.trim().startsWith(fence))).toBe(true);
    }),
    { seed: 1 },
  );
});

test('JSON holds every event, or those of one agent', async () => {
  const events = made(200, 4);
  const whole = JSON.parse(await written('r', events, 'json', null)) as { events: FleetEvent[] };
  expect(whole.events).toEqual(events);
  const one = JSON.parse(await written('r', events, 'json', 2)) as { events: FleetEvent[] };
  expect(one.events).toEqual(events.filter((event) => event.stream_id === 2));
});

test('Markdown holds what every agent said', async () => {
  const events = made(400, 4);
  const text = await written('r', events, 'md', null);
  const said = new Map<string, string>();
  for (const event of events) {
    if (event.type !== 'text') continue;
    const key = `${event.stream_id} ${event.message_id}`;
    said.set(key, (said.get(key) ?? '') + event.delta);
  }
  expect(said.size).toBeGreaterThan(10);
  for (const words of said.values()) expect(text).toContain(words);
  for (const agent of ['main', 'helper-1', 'helper-3']) expect(text).toContain(`## ${agent}`);
});
