/** Search within one run, where there is no server that could. */
import type { Found, SearchResults } from './events';
import type { Item } from './items';
import type { Run } from './run';
import { matched, type Rank } from './terms';

const MOST = 200;
const SAID = ['text', 'thinking', 'prompt', 'response', 'error', 'malformed'];
const ESCAPES = /(?:\\u[0-9a-f]{4})|\\./gi;

/** Places that have every term, the best first, then in the order of the run. */
export function foundIn(run: Run, name: string, query: string): SearchResults {
  const found: { rank: Rank; place: Found }[] = [];
  for (const stream of run.streams.values()) {
    for (const item of stream.look()) {
      const said = wordsOf(item);
      const match = matched(query, said.text);
      if (match === null) continue;
      const [{ seq, ts }, { rank, snippet }] = [item, match];
      const place = { run: name, stream_id: stream.id, seq, ts, kind: said.kind, snippet };
      found.push({ rank, place });
    }
  }
  found.sort((a, b) => a.rank - b.rank || a.place.seq - b.place.seq);
  const places = found.map(({ place }) => place);
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
  const called = item.call ?? item.request;
  if (called !== null) {
    // In "one\\ntwo", the second word is not "ntwo".
    const given = JSON.stringify(called.input ?? '').replace(ESCAPES, (escape) =>
      JSON.parse(`"${escape}"`),
    );
    const kind = item.call !== null ? 'tool_use' : item.kind;
    return { kind, text: `${called.tool ?? ''} ${given}` };
  }
  const says = SAID.includes(item.kind) && item.repeats === null;
  return { kind: item.kind, text: says ? item.text : '' };
}
