import type { FleetEvent } from './events';

/** A run that nobody had: `agents` helpers that talk in turn, for tests. */
export function sampleRun(count: number, agents: number): FleetEvent[] {
  const events: FleetEvent[] = [];
  let seq = 0;
  const about = (stream_id: number) => ({
    seq: ++seq,
    ts: 1_700_000_000_000 + seq * 20,
    stream_id,
    depth: stream_id === 0 ? 0 : 1,
    agent: stream_id === 0 ? 'main' : `helper-${stream_id}`,
  });
  events.push({ ...about(0), type: 'request_received', source: 'made', prompt: 'Do it all.' });
  events.push({ ...about(0), type: 'stream_start', parent_stream_id: null, prompt: 'Do it all.' });
  for (let id = 1; id < agents; id++) {
    const tool_use_id = `spawn-${id}`;
    events.push({ ...about(0), type: 'tool_use', tool_use_id, tool: 'Task', input: { id } });
    events.push({ ...about(id), type: 'stream_start', parent_stream_id: 0, tool_use_id });
  }
  for (let turn = 0; events.length < count - agents * 2 - 1; turn++) {
    const stream = turn % agents;
    const round = Math.floor(turn / agents);
    const message_id = `m-${stream}-${Math.floor(round / 8)}`;
    const tool_use_id = `t-${stream}-${round}`;
    const words = { ...about(stream), message_id, block: 0, delta: `word ${round} ` };
    if (round % 8 === 6) {
      const input = { command: `ls ${round}` };
      events.push({ ...about(stream), type: 'tool_use', tool_use_id, tool: 'Bash', input });
      events.push({ ...about(stream), type: 'tool_result', tool_use_id, ok: true, content: 'a' });
    } else {
      events.push({ ...words, type: round % 8 === 0 ? 'thinking' : 'text' });
    }
  }
  for (let id = agents - 1; id >= 0; id--) {
    events.push({ ...about(id), type: 'stream_end', ok: true, reason: 'completed' });
  }
  const nothing = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0 };
  events.push({
    ...about(0),
    ...nothing,
    cache_creation_tokens: 0,
    type: 'done',
    ok: true,
    streams: agents,
  });
  return events.sort((a, b) => a.seq - b.seq);
}
