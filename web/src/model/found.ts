/** Search within one run, where there is no server that could. */
import type { Found, Places } from './events';
import type { Item } from './items';
import type { Run } from './run';
import { placesOf } from './terms';

const AROUND = 80;
const MOST = 200;

/** Places that have every term, in the order of the run. */
export function foundIn(run: Run, name: string, query: string): Places {
  const places: Found[] = [];
  for (const stream of run.streams.values()) {
    for (const item of stream.look()) {
      const said = wordsOf(item);
      const [first] = placesOf(query, said.text);
      if (first === undefined) continue;
      const snippet = said.text.slice(Math.max(0, first[0] - AROUND), first[0] + AROUND);
      const { seq, ts } = item;
      places.push({ run: name, stream_id: stream.id, seq, ts, kind: said.kind, snippet });
    }
  }
  places.sort((a, b) => a.seq - b.seq);
  const agents = Array.from(run.streams.values(), ({ id, agent, start }) => ({
    stream_id: id,
    agent,
    description: start.description ?? null,
  }));
  return {
    places: places.slice(0, MOST),
    runs: [{ run: name, title: run.title || null, started: run.started, agents }],
  };
}

/** What of an item can be found; nothing of an answer that repeats a text. */
function wordsOf(item: Item): { kind: string; text: string } {
  if (item.call !== null) {
    const { tool, input } = item.call;
    return { kind: 'tool_use', text: `${tool} ${JSON.stringify(input ?? '')}` };
  }
  const says = ['text', 'thinking', 'prompt', 'response'].includes(item.kind);
  return { kind: item.kind, text: says && item.repeats === null ? item.text : '' };
}
