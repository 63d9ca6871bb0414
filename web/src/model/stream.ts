import { oneLine } from '../parts/format';
import type { AgentView, ToolMark } from './agents';
import { compactionOf, contextMark, type Compaction, type ContextMark } from './context';
import type {
  FleetEvent,
  FleetPermissionAsked,
  FleetPermissionReplied,
  FleetSessionMeta,
  FleetToolResult,
  FleetToolUse,
  RequestReceived,
  StreamStart,
  Text,
  Thinking,
} from './events';
import type { Call, Item, Kind } from './items';
import { nothingSpent, spend } from './usage';
import { statusOfEnd, turnReason, type Status } from './status';

/** These show that an agent works. */
const WORK: ReadonlySet<string> = new Set([
  'text',
  'thinking',
  'prompt',
  'tool_use',
  'agent_start',
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
  /** How it has ended; null while it has not. */
  private end: Status | null = null;
  /** Whether it has answered, and nothing was asked of it since. */
  idle = false;
  started: number;
  updated: number;
  ended: number | null = null;
  response: string | null = null;
  spent = nothingSpent();

  private items: Item[] = [];
  private looks = 0;
  private lastTool: string | null = null;
  private marks: ToolMark[] = [];
  private markOf = new Map<string, number>();
  /** Where the item of a block or a call is. */
  private places = new Map<string, number>();
  /** Open permission requests, with the tool that each is for. */
  private asking = new Map<string, string>();
  /** Calls without a result, with the stream that each has started. */
  private pending = new Map<string, number | null>();
  /** The streams that calls have started, by call: one may come before its call. */
  private children = new Map<string, number>();
  private lastError = '';
  private context: ContextMark[] = [];
  private compactions: Compaction[] = [];
  private shown: AgentView | null = null;

  /** `request` is what the run was started with, for its root. */
  constructor(start: StreamStart, request: RequestReceived | null = null) {
    this.start = start;
    this.id = start.stream_id;
    this.parent = start.parent_stream_id;
    this.depth = start.depth;
    this.agent = start.agent;
    this.model = start.model ?? null;
    this.agent_id = start.agent_id ?? null;
    this.started = this.updated = start.ts;
    // A run states its first prompt twice: it is one, and stands where the stream starts.
    if (request?.prompt && request.prompt !== start.prompt) {
      this.add('prompt', request, request.prompt);
    }
    const resumes = start.resumes ?? null;
    if (start.prompt || resumes !== null) {
      this.add('prompt', start, start.prompt ?? '', { resumes });
    }
  }

  apply(event: FleetEvent): void {
    this.shown = null;
    this.started ||= event.ts;
    this.updated = Math.max(this.updated, event.ts);
    if (WORK.has(event.type)) this.idle = false;
    switch (event.type) {
      case 'text':
      case 'thinking':
        return this.grow(event);
      case 'prompt':
        this.add('prompt', event, event.text);
        return;
      case 'tool_use':
        return this.call(event);
      case 'tool_result':
        return this.result(event);
      case 'tool_call':
        this.lastTool = event.tool;
        this.marks.push({ tool: event.tool, at: event.ts, until: event.ts, ok: event.ok });
        this.add('tool', event).call = { ...newCall('', event.tool, null), ok: event.ok };
        return;
      case 'token_usage':
        spend(this.spent, event);
        this.context.push(contextMark(event));
        this.model ??= event.model;
        return;
      case 'progress':
        this.lastTool = event.last_tool ?? this.lastTool;
        return;
      case 'session_meta':
        return this.know(event);
      case 'permission_asked':
        return this.ask(event);
      case 'permission_replied':
        return this.reply(event);
      case 'sub_agent_response': {
        const said = this.items.findLast((item) => item.kind === 'text');
        const repeats = said?.text.trim() === event.content.trim() ? said!.seq : null;
        this.response = event.content;
        this.add('response', event, event.content, { repeats });
        return;
      }
      case 'turn_complete': {
        const { ok, subtype, result } = event;
        const reason = event.reason || turnReason(ok, subtype);
        const word = reason === 'failed' && subtype !== reason ? subtype : '';
        const words = ok ? '' : result || word;
        this.idle = this.id === 0;
        this.lastError = ok ? '' : words || this.lastError;
        this.add('turn', event, words, { ok, reason });
        return;
      }
      case 'error':
        this.lastError = event.message;
        this.add('error', event, event.message);
        return;
      case 'compacted': {
        const cut = compactionOf(event);
        this.compactions.push(cut);
        this.add('compacted', event, '', { cut, reason: event.trigger ?? null });
        return;
      }
      case 'retracted':
        this.retract(event.message_ids);
        this.add('retracted', event, '', { message_ids: event.message_ids });
        return;
      case 'malformed': {
        const { raw, reason, offset } = event;
        this.add('malformed', event, raw, { reason, offset });
        return;
      }
      case 'unrecognized':
        this.add('unrecognized', event, JSON.stringify(event.raw));
        return;
      case 'stream_end':
        this.end = statusOfEnd(event.reason, event.ok);
        this.asking.clear();
        this.pending.clear();
        this.ended = event.ts || this.updated;
        this.add('end', event, '', { ok: event.ok, reason: event.reason });
        return;
    }
  }

  /** The call `id` has started the stream `child`. */
  spawned(id: string, child: number): void {
    this.children.set(id, child);
    const item = this.writable(`call ${id}`);
    if (item?.call) item.call = { ...item.call, child };
    if (this.pending.has(id)) this.pending.set(id, child);
    this.shown = null;
  }

  /** A permission request was answered; whether it was one of this stream. */
  answered(request: string): boolean {
    const own = this.asking.delete(request);
    if (own) this.shown = null;
    return own;
  }

  get status(): Status {
    return this.end ?? (this.asking.size > 0 || this.idle ? 'waiting' : 'working');
  }

  /** What it was first asked to do. */
  get asked(): string {
    return this.items.find((item) => item.kind === 'prompt')?.text ?? '';
  }

  /** What it said last. */
  get lastWords(): string {
    return this.items.findLast((item) => item.kind === 'text' && !item.retracted)?.text ?? '';
  }

  /** Why it has failed, in the words that come nearest to a reason; '' if it has not. */
  get failure(): string {
    if (this.status !== 'failed') return '';
    if (this.lastError) return this.lastError;
    if (this.response) return this.response;
    const call = this.items.findLast((item) => item.call?.ok === false)?.call;
    return call ? `${call.tool}: ${call.result ?? ''}` : this.lastWords;
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
      failure: oneLine(this.failure, 200),
      asks: [...this.asking.values()],
      waits: [...this.pending.values()].filter((child) => child !== null),
      background: this.start.background ?? false,
      own: { ...this.spent },
      context: this.context.slice(),
      compactions: this.compactions.slice(),
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
    fork.context = this.context.slice();
    fork.compactions = this.compactions.slice();
    fork.markOf = new Map(this.markOf);
    fork.places = new Map(this.places);
    fork.asking = new Map(this.asking);
    fork.pending = new Map(this.pending);
    fork.children = new Map(this.children);
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
    const child = this.children.get(event.tool_use_id) ?? null;
    this.pending.set(event.tool_use_id, child);
    const item = this.add('tool', event);
    item.call = { ...newCall(event.tool_use_id, event.tool, event.input), child };
    item.message_id = event.message_id ?? null;
  }

  private result(event: FleetToolResult): void {
    this.pending.delete(event.tool_use_id);
    const mark = this.markOf.get(event.tool_use_id);
    const known = mark === undefined ? undefined : this.marks[mark];
    if (mark === undefined || known === undefined) {
      // Its call is not known. What it gave is shown all the same.
      const call = newCall(event.tool_use_id, 'result', null);
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

  private ask(event: FleetPermissionAsked): void {
    this.asking.set(event.request_id, event.tool);
    const { request_id: id, tool, tool_use_id = null, input } = event;
    this.places.set(`request ${id}`, this.items.length);
    this.add('permission', event).request = {
      id,
      tool,
      tool_use_id,
      input,
      behavior: null,
      by: null,
    };
  }

  private reply(event: FleetPermissionReplied): void {
    const { request_id: id, behavior, by = null } = event;
    const key = `request ${id}`;
    const item = this.writable(key) ?? this.add('permission', event);
    this.places.delete(key);
    item.request = {
      ...(item.request ?? { id, tool: null, tool_use_id: null, input: null }),
      behavior,
      by,
    };
  }

  private retract(ids: string[]): void {
    const gone = new Set(ids);
    this.items = this.items.map((item) =>
      item.message_id !== null && gone.has(item.message_id)
        ? { ...item, look: this.looks, retracted: true }
        : item,
    );
  }

  /** The item of a block or a call, to be changed: a copy of its own if it was given out. */
  private writable(key: string): Item | undefined {
    const place = this.places.get(key);
    const item = place === undefined ? undefined : this.items[place];
    if (place === undefined || item === undefined || item.look === this.looks) return item;
    return (this.items[place] = { ...item, look: this.looks });
  }

  private add(kind: Kind, event: FleetEvent, text = '', more: Partial<Item> = {}): Item {
    const item: Item = {
      look: this.looks,
      kind,
      seq: event.seq,
      ts: event.ts,
      text,
      message_id: null,
      retracted: false,
      call: null,
      request: null,
      ok: null,
      reason: null,
      offset: null,
      cut: null,
      message_ids: null,
      resumes: null,
      repeats: null,
      ...more,
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
