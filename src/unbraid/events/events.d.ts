// Written by docs/generate.py from the Python types.

/** First of a run. `machine` is the machine that sent the run here (the name of its token) or wrote it to a shared log; `user` is the user who ran it there. */
export interface RequestReceived {
  type: 'request_received';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  source: string;
  prompt?: string | null;
  cwd?: string | null;
  session_id?: string | null;
  machine?: string | null;
  user?: string | null;
}

/** Open a slot: one invocation of one agent begins. */
export interface StreamStart {
  type: 'stream_start';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  parent_stream_id: number | null;
  agent_id?: string | null;
  tool_use_id?: string | null;
  description?: string | null;
  prompt?: string | null;
  model?: string | null;
  background?: boolean | null;
  resumes?: number | null;
}

/** The agent has begun to answer. */
export interface AgentStart {
  type: 'agent_start';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
}

/** The agent was given a further prompt. */
export interface FleetPrompt {
  type: 'prompt';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  text: string;
}

/** New text of one block. */
export interface Text {
  type: 'text';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  delta: string;
  message_id: string;
  block: number;
}

/** New thinking of one block. */
export interface Thinking {
  type: 'thinking';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  delta: string;
  message_id: string;
  block: number;
}

/** A call begins. */
export interface FleetToolUse {
  type: 'tool_use';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  tool_use_id: string;
  tool: string;
  input: unknown;
  message_id?: string | null;
}

/** A call has given its result. */
export interface FleetToolResult {
  type: 'tool_result';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  tool_use_id: string;
  ok: boolean;
  content: string;
  parts?: unknown[] | null;
  duration_ms?: number | null;
}

/** A command of the orchestrator has finished. */
export interface ToolCall {
  type: 'tool_call';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  tool: string;
  ok: boolean;
}

/** What one model message cost; once a message, final. `cost_usd` is what the agent's CLI has reported; where it has not, `estimated_usd` is computed from prices, if the model has one. `cache_1h_tokens` are those of `cache_creation_tokens` that are kept for an hour. `estimated`: the counts are the best that is known, not final. */
export interface FleetTokenUsage {
  type: 'token_usage';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  message_id: string;
  model: string | null;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
  cost_usd?: number | null;
  estimated_usd?: number | null;
  cache_1h_tokens?: number;
  estimated?: boolean;
}

/** How far an agent has come. */
export interface FleetProgress {
  type: 'progress';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  tool_uses?: number | null;
  total_tokens?: number | null;
  duration_ms?: number | null;
  last_tool?: string | null;
}

/** An agent waits for permission to use a tool. `always` are the CLI's own offers to allow it from now on; `can_edit`: the tool can be given another input. `also_in_terminal`: it is asked there too, and the first answer counts. `held_until` is when the request is given back to the CLI if it was not answered, in milliseconds since 1970; None if it waits without a limit. */
export interface FleetPermissionAsked {
  type: 'permission_asked';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  request_id: string;
  tool: string;
  input: unknown;
  tool_use_id?: string | null;
  always?: string[];
  can_edit?: boolean;
  also_in_terminal?: boolean;
  held_until?: number | null;
}

/** A permission request was answered: by whom, where (`page`, `top`, `command line`, or another's name for it), and with which word to the agent, as far as that is known. */
export interface FleetPermissionReplied {
  type: 'permission_replied';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  request_id: string;
  behavior: string;
  by?: string | null;
  where?: string | null;
  message?: string | null;
}

/** The child's answer as its parent gets it. */
export interface SubAgentResponse {
  type: 'sub_agent_response';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  content: string;
}

/** A turn of the root is over. `reason`: completed, failed or interrupted; `subtype` is its CLI's own word for it. Dollars and tokens are its CLI's account of the whole tree of agents so far, where it gives one. */
export interface FleetTurnComplete {
  type: 'turn_complete';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  ok: boolean;
  subtype: string;
  reason?: string;
  result?: string | null;
  duration_ms?: number | null;
  num_turns?: number | null;
  cost_usd?: number | null;
  input_tokens?: number | null;
  output_tokens?: number | null;
  cache_read_tokens?: number | null;
  cache_creation_tokens?: number | null;
}

/** Facts about a stream's session, when they become known or change. Dollars and tokens are its CLI's account of the session so far, with all of its agents. */
export interface FleetSessionMeta {
  type: 'session_meta';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  session_id?: string | null;
  model?: string | null;
  tools?: string[] | null;
  cwd?: string | null;
  version?: string | null;
  agent_id?: string | null;
  title?: string | null;
  cost_usd?: number | null;
  input_tokens?: number | null;
  output_tokens?: number | null;
  cache_read_tokens?: number | null;
  cache_creation_tokens?: number | null;
}

/** Messages withdrawn by the agent's CLI. */
export interface FleetRetracted {
  type: 'retracted';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  message_ids: string[];
}

/** The agent's context was replaced by a summary of it: on whose initiative (`manual`, `auto`), and how many tokens it had before and after, as far as its CLI says so. */
export interface FleetCompacted {
  type: 'compacted';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  trigger?: string | null;
  before_tokens?: number | null;
  after_tokens?: number | null;
}

/** Close the slot. `reason`: completed, failed, cancelled, interrupted or orphaned. */
export interface StreamEnd {
  type: 'stream_end';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  ok: boolean;
  reason: string;
}

/** Something failed. */
export interface FleetError {
  type: 'error';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  message: string;
  code?: string | null;
}

/** A record we have no name for, as it came. Where a source has a great many, `count`: this one stands for so many, itself and those that came after it. */
export interface FleetUnrecognized {
  type: 'unrecognized';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  raw: unknown;
  count?: number | null;
}

/** Bytes that are no record. Where a source has a great many, `count`: this one stands for so many, of which it is the first; the last is at `last_offset`. */
export interface FleetMalformed {
  type: 'malformed';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  raw: string;
  reason: string;
  offset: number;
  count?: number | null;
  last_offset?: number | null;
}

/** Last of a run, always, with totals over the whole fleet. */
export interface Done {
  type: 'done';
  seq: number;
  ts: number;
  stream_id: number;
  depth: number;
  agent: string;
  ok: boolean;
  streams: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
  cost_usd?: number | null;
  duration_ms?: number | null;
  estimated_usd?: number | null;
  unpriced_tokens?: number;
}

/** To one viewer only: its cursor is older than the log keeps. */
export interface Gap {
  type: 'gap';
  from: number;
  to: number;
}

/** To live viewers only, never logged: the master's text before the gate has opened. */
export interface Draft {
  type: 'draft';
  stream_id: number;
  depth: number;
  agent: string;
  delta: string;
}

/** Facts about an agent: its session, model, folder and title; for a sub-agent also its id. Dollars and tokens are its CLI's account of the session so far, with all of its agents. */
export interface SessionMeta {
  type: 'session_meta';
  context: string;
  ts: number;
  session_id: string | null;
  model: string | null;
  tools: string[] | null;
  cwd: string | null;
  version: string | null;
  agent_id: string | null;
  title: string | null;
  cost_usd: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cache_read_tokens: number | null;
  cache_creation_tokens: number | null;
}

/** A prompt that the agent was given, by a person or by the agent above it. */
export interface Prompt {
  type: 'prompt';
  context: string;
  ts: number;
  text: string;
}

/** New text. The deltas of one (context, message_id, block), joined, are the block. */
export interface TextDelta {
  type: 'text_delta';
  context: string;
  ts: number;
  message_id: string;
  block: number;
  delta: string;
}

/** New thinking, joined like text. */
export interface ThinkingDelta {
  type: 'thinking_delta';
  context: string;
  ts: number;
  message_id: string;
  block: number;
  delta: string;
}

/** A tool call, once, when its input is complete. */
export interface ToolUse {
  type: 'tool_use';
  context: string;
  ts: number;
  message_id: string;
  block: number;
  tool_use_id: string;
  tool: string;
  input: unknown;
}

/** What a tool call gave: `content` as plain text, every other part in `parts`. */
export interface ToolResult {
  type: 'tool_result';
  context: string;
  ts: number;
  tool_use_id: string;
  ok: boolean;
  content: string;
  parts: unknown[] | null;
  tool: string | null;
  duration_ms: number | null;
}

/** An agent was started (or, with `resumes`, asked again) by the call `parent_tool_id`. */
export interface SubAgentSpawned {
  type: 'sub_agent_spawned';
  context: string;
  ts: number;
  parent_context: string;
  agent_id: string | null;
  session_id: string | null;
  prompt: string | null;
  subagent_type: string | null;
  parent_tool_id: string | null;
  description: string | null;
  model: string | null;
  background: boolean | null;
  resumes: boolean;
}

/** An agent's invocation is over; `reason` says how, `content` is its answer where known. */
export interface SubAgentEnded {
  type: 'sub_agent_ended';
  context: string;
  ts: number;
  agent_id: string | null;
  parent_tool_id: string | null;
  ok: boolean;
  reason: string;
  content: string | null;
}

/** How far a sub-agent has come, as its CLI reports it. */
export interface Progress {
  type: 'progress';
  context: string;
  ts: number;
  tool_uses: number | null;
  total_tokens: number | null;
  duration_ms: number | null;
  last_tool: string | null;
}

/** What one model message cost; once a message, final unless it is `estimated`. */
export interface TokenUsage {
  type: 'token_usage';
  context: string;
  ts: number;
  message_id: string;
  model: string | null;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
  cost_usd: number | null;
  cache_1h_tokens: number;
  estimated: boolean;
}

/** A turn is over. Not the end: more turns, and background agents, may follow. `reason`: completed, failed or interrupted; `subtype` is the CLI's own word for it. */
export interface TurnComplete {
  type: 'turn_complete';
  context: string;
  ts: number;
  ok: boolean;
  subtype: string;
  result: string | null;
  duration_ms: number | null;
  num_turns: number | null;
  cost_usd: number | null;
  totals: TokenUsage | null;
  reason: string;
}

/** An agent waits for permission to use a tool. The other fields are those of `FleetPermissionAsked`. */
export interface PermissionAsked {
  type: 'permission_asked';
  context: string;
  ts: number;
  request_id: string;
  tool: string;
  tool_use_id: string | null;
  input: unknown;
  always: string[];
  can_edit: boolean;
  also_in_terminal: boolean;
  held_until: number | null;
}

/** The answer to a permission request. */
export interface PermissionReplied {
  type: 'permission_replied';
  context: string;
  ts: number;
  request_id: string;
  behavior: string;
  by: string | null;
  where: string | null;
  message: string | null;
}

/** Messages that the agent's own CLI has withdrawn. */
export interface Retracted {
  type: 'retracted';
  context: string;
  ts: number;
  message_ids: string[];
}

/** An agent's context was replaced by a summary of it: on whose initiative (`manual`, `auto`), and how many tokens it had before and after, as far as its CLI says so. */
export interface Compacted {
  type: 'compacted';
  context: string;
  ts: number;
  trigger: string | null;
  before_tokens: number | null;
  after_tokens: number | null;
}

/** Something failed, as the source reports it. */
export interface Error {
  type: 'error';
  context: string;
  ts: number;
  message: string;
  code: string | null;
}

/** A record or block we have no name for, passed through as it came. `count`: it stands for so many records, itself and those that came after it. */
export interface Unrecognized {
  type: 'unrecognized';
  context: string;
  ts: number;
  raw: unknown;
  count: number | null;
}

/** Bytes that are no record: the start of them, why, and their offset in the source. `count`: it stands for so many of them, of which these are the first; the last is at `last_offset`. */
export interface Malformed {
  type: 'malformed';
  context: string;
  ts: number;
  raw: string;
  reason: string;
  offset: number;
  count: number | null;
  last_offset: number | null;
}

export type FleetEvent =
  | RequestReceived
  | StreamStart
  | AgentStart
  | FleetPrompt
  | Text
  | Thinking
  | FleetToolUse
  | FleetToolResult
  | ToolCall
  | FleetTokenUsage
  | FleetProgress
  | FleetPermissionAsked
  | FleetPermissionReplied
  | SubAgentResponse
  | FleetTurnComplete
  | FleetSessionMeta
  | FleetRetracted
  | FleetCompacted
  | StreamEnd
  | FleetError
  | FleetUnrecognized
  | FleetMalformed
  | Done;

export type RelayEvent =
  | SessionMeta
  | Prompt
  | TextDelta
  | ThinkingDelta
  | ToolUse
  | ToolResult
  | SubAgentSpawned
  | SubAgentEnded
  | Progress
  | TokenUsage
  | TurnComplete
  | PermissionAsked
  | PermissionReplied
  | Retracted
  | Compacted
  | Error
  | Unrecognized
  | Malformed;
