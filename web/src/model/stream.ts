import type { AgentView, Status, ToolMark } from './agents';
import type {
  FleetEvent,
  FleetSessionMeta,
  FleetToolResult,
  FleetToolUse,
  StreamStart,
  Text,
  Thinking,
} from './events';
import type { Call, Item, Kind } from './items';
import { nothingSpent, spend, tokensOf } from './items';

const REASONS: ReadonlySet<string> = new Set<Status>([
  'completed',
  'failed',
  'cancelled',
  'interrupted',
  'orphaned',
]);

/** One invocation of one agent, folded from its events. */
export class Stream {
  readonly id: number;
  readonly parent: number | null;
  readonly depth: number;
  readonly agent: string;
  readonly start: StreamStart;
  model: string | null;
  agent_id: string | null;
  session_id: string | null = null;
  status: Status = 'running';
  started: number;
  updated: number;
  ended: number | null = null;
  response: string | null = null;
  spent = nothingSpent();

  private items: Item[] = [];
  private looks = 0;
  private toldTokens = 0;
  private lastTool: string | null = null;
  private marks: ToolMark[] = [];
  private markOf = new Map<string, number>();
  /** Where the item of a block or a call is. */
  private places = new Map<string, number>();
  private asking = new Set<string>();
  private shown: AgentView | null = null;

  constructor(start: StreamStart) {
    this.start = start;
    this.id = start.stream_id;
    this.parent = start.parent_stream_id;
    this.depth = start.depth;
    this.agent = start.agent;
    this.model = start.model ?? null;
    this.agent_id = start.agent_id ?? null;
    this.started = this.updated = start.ts;
    if (start.prompt) this.add('prompt', start, start.prompt);
  }

  apply(event: FleetEvent): void {
    this.shown = null;
    this.started ||= event.ts;
    this.updated = Math.max(this.updated, event.ts);
    switch (event.type) {
      case 'text':
      case 'thinking':
        return this.grow(event);
      case 'prompt':
        return this.prompt(event, event.text);
      case 'tool_use':
        return this.call(event);
      case 'tool_result':
        return this.result(event);
      case 'tool_call':
        this.lastTool = event.tool;
        this.marks.push({ tool: event.tool, at: event.ts, until: event.ts, ok: event.ok });
        this.add('tool', event).call = { ...newCall('', event.tool, {}), ok: event.ok };
        return;
      case 'token_usage':
        spend(this.spent, { ...event, cost_usd: event.cost_usd ?? null });
        this.model ??= event.model;
        return;
      case 'progress':
        this.toldTokens = event.total_tokens ?? this.toldTokens;
        this.lastTool = event.last_tool ?? this.lastTool;
        return;
      case 'session_meta':
        return this.know(event);
      case 'permission_asked':
        this.asking.add(event.request_id);
        this.status = 'waiting';
        return;
      case 'permission_replied':
        this.asking.delete(event.request_id);
        if (this.status === 'waiting' && this.asking.size === 0) this.status = 'running';
        this.add('permission', event, event.by ?? '', event.behavior === 'allow');
        return;
      case 'sub_agent_response':
        this.response = event.content;
        this.add('response', event, event.content);
        return;
      case 'turn_complete':
        this.add('turn', event, event.ok ? '' : (event.result ?? ''), event.ok);
        return;
      case 'error':
        this.add('error', event, event.message);
        return;
      case 'retracted':
        return this.retract(event.message_ids);
      case 'malformed':
        this.add('raw', event, event.raw);
        return;
      case 'unrecognized':
        this.add('raw', event, JSON.stringify(event.raw));
        return;
      case 'stream_end':
        this.status = REASONS.has(event.reason) ? (event.reason as Status) : 'failed';
        this.ended = event.ts || this.updated;
        return;
    }
  }

  /** Something it was told, unless it was told just that: a run tells its first prompt twice. */
  prompt(event: FleetEvent, text: string): void {
    const last = this.items.at(-1);
    if (last?.kind !== 'prompt' || last.text !== text) this.add('prompt', event, text);
  }

  /** The call `id` has started the stream `child`. */
  spawned(id: string, child: number): void {
    const item = this.writable(`call ${id}`);
    if (item?.call) item.call = { ...item.call, child };
  }

  /** What it was first asked to do. */
  get asked(): string {
    return this.items.find((item) => item.kind === 'prompt')?.text ?? '';
  }

  /** What it said last. */
  get lastWords(): string {
    return this.items.findLast((item) => item.kind === 'text')?.text ?? '';
  }

  /** All items so far. Those given out before are the same objects unless they have changed. */
  look(): Item[] {
    this.looks++;
    return this.items.slice();
  }

  /** What the graph and the timeline draw; the same object until something changes. */
  view(): AgentView {
    this.shown ??= {
      stream_id: this.id,
      parent_stream_id: this.parent,
      depth: this.depth,
      agent: this.agent,
      title: this.start.description ?? '',
      model: this.model,
      status: this.status,
      background: this.start.background ?? false,
      tokens: tokensOf(this.spent) || this.toldTokens,
      cost_usd: this.spent.cost_usd,
      started: this.started,
      ended: this.ended,
      last_tool: this.lastTool,
      tools: this.marks.slice(),
    };
    return this.shown;
  }

  /** The same stream, to go its own way from here. */
  fork(): Stream {
    // Both hold the items now, so neither may change them.
    this.looks++;
    const fork: Stream = Object.assign(Object.create(Stream.prototype), this);
    fork.spent = { ...this.spent };
    fork.items = this.items.slice();
    fork.marks = this.marks.slice();
    fork.markOf = new Map(this.markOf);
    fork.places = new Map(this.places);
    fork.asking = new Set(this.asking);
    return fork;
  }

  private grow(event: Text | Thinking): void {
    const key = `${event.type} ${event.message_id} ${event.block}`;
    const item = this.writable(key);
    if (item !== undefined) {
      item.text += event.delta;
      return;
    }
    this.places.set(key, this.items.length);
    const added = this.add(event.type, event, event.delta);
    added.message_id = event.message_id;
  }

  private call(event: FleetToolUse): void {
    this.lastTool = event.tool;
    this.markOf.set(event.tool_use_id, this.marks.length);
    this.marks.push({ tool: event.tool, at: event.ts, until: null, ok: null });
    this.places.set(`call ${event.tool_use_id}`, this.items.length);
    const item = this.add('tool', event);
    item.call = newCall(event.tool_use_id, event.tool, event.input);
    item.message_id = event.message_id ?? null;
  }

  private result(event: FleetToolResult): void {
    const mark = this.markOf.get(event.tool_use_id);
    const known = mark === undefined ? undefined : this.marks[mark];
    if (mark === undefined || known === undefined) {
      // Its call was never told. What it gave is said all the same.
      const call = newCall(event.tool_use_id, 'result', {});
      this.add('tool', event).call = answered(call, event);
      return;
    }
    this.marks[mark] = { ...known, until: event.ts, ok: event.ok };
    const item = this.writable(`call ${event.tool_use_id}`);
    if (item?.call) item.call = answered(item.call, event, item.ts);
  }

  private know(event: FleetSessionMeta): void {
    this.model = event.model ?? this.model;
    this.agent_id = event.agent_id ?? this.agent_id;
    this.session_id = event.session_id ?? this.session_id;
  }

  private retract(ids: string[]): void {
    const gone = new Set(ids);
    const kept: Item[] = [];
    const moved = this.items.map((item) => {
      if (item.message_id !== null && gone.has(item.message_id)) return -1;
      return kept.push(item) - 1;
    });
    this.items = kept;
    for (const [key, place] of this.places) {
      const now = moved[place] ?? -1;
      if (now < 0) this.places.delete(key);
      else this.places.set(key, now);
    }
  }

  /** The item of a block or a call, to be changed: a copy of its own if it was given out. */
  private writable(key: string): Item | undefined {
    const place = this.places.get(key);
    const item = place === undefined ? undefined : this.items[place];
    if (place === undefined || item === undefined || item.look === this.looks) return item;
    return (this.items[place] = { ...item, look: this.looks });
  }

  private add(kind: Kind, event: FleetEvent, text = '', ok: boolean | null = null): Item {
    const item: Item = {
      look: this.looks,
      kind,
      seq: event.seq,
      ts: event.ts,
      text,
      message_id: null,
      call: null,
      ok,
    };
    this.items.push(item);
    return item;
  }
}

function newCall(id: string, tool: string, input: unknown): Call {
  return {
    id,
    tool,
    input,
    ok: null,
    result: null,
    parts: null,
    until: null,
    duration_ms: null,
    child: null,
  };
}

function answered(call: Call, event: FleetToolResult, began = 0): Call {
  const lasted = began && event.ts ? event.ts - began : null;
  return {
    ...call,
    ok: event.ok,
    result: event.content,
    parts: event.parts ?? null,
    until: event.ts,
    duration_ms: event.duration_ms ?? lasted,
  };
}
