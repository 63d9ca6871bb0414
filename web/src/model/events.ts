// Made by web/generate.py from the Python types. Change those, then `make page`.

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

/** To one viewer only, and its last: why we hang up, and the position to come back with. `reason`: slow (it did not read), shutdown, or error (the log failed). */
export interface Cut {
  type: 'cut';
  reason: string;
  last: number;
}

/** A page of runs; `before` asks for the next page. A run whose `last_seq` is 0 is a stored session that is not in the log: it is imported when anything of it is asked for. `copy` says how complete this is if the log is one that machines share. */
export interface Runs {
  runs: Run[];
  before: string | null;
  indexed?: IndexProgress | null;
  copy?: CopyState | null;
}

/** What can be asked of a run; nothing, if this server cannot steer it. If it takes no messages: the `reason`, and the `command` to use for one that does. */
export interface ControlOptions {
  run: string;
  verbs: string[];
  reason: string | null;
  command: string | null;
}

/** What was found in the log, best first; then, in `history`, what was found in sessions that are not in the log, newest first. Those have no numbers yet: search again in their `run`, which opens it. `runs` says what all of these are called. */
export interface SearchResults {
  places: Found[];
  history?: SearchHit[];
  runs?: FoundRun[];
}

/** An agent waits for someone to allow a tool. `always` are the CLI's own offers to allow it from now on. `also_in_terminal`: it is asked there too, and the first answer counts. `held_until` is when the request is given back to the CLI if it was not answered, in milliseconds since 1970; None if it waits without a limit. */
export interface PermissionRequest {
  run: string;
  request_id: string;
  tool: string;
  input: unknown;
  stream_id: number;
  agent: string;
  ts: number;
  always: string[];
  can_edit: boolean;
  also_in_terminal: boolean;
  held_until: number | null;
}

/** What is new, and the number to ask with next time. A request without one gets only that. */
export interface NewAlerts {
  last: number;
  alerts: PageAlert[];
}

/** What was spent, in lines, and in all. `no_price` are the models without a price. */
export interface CostTable {
  by: string;
  rows: CostLine[];
  total: CostTotal;
  no_price: UnpricedModel[];
}

/** The calls of tools that take the same arguments. `summary` are the arguments that tell most, the best one first. `command` is what a shell runs. An edit puts the text `new` for the text `old` in the file `path`, or does so for each entry of `edits`; or it is a `patch`; or `changes` has one for each file. `todos` is a list of entries whose words are in `todo`. `agent` is the type of an agent to start. `questions` are what a person is asked. A tool of several formats has the first one whose arguments a call has. */
export interface ToolFormat {
  names: string[];
  purpose?: 'shell' | 'edit' | 'todo' | 'agent' | 'question' | 'other';
  summary?: string[];
  command?: string[];
  path?: string;
  old?: string;
  new?: string;
  edits?: string;
  patch?: string;
  changes?: string;
  todos?: string;
  todo?: string[];
  agent?: string;
  questions?: string;
  multiple?: string;
}

/** A run as it is sent over HTTP. */
export interface Run {
  run: string;
  source: string;
  session_id: string | null;
  title: string | null;
  cwd: string | null;
  machine: string | null;
  user: string | null;
  status: string;
  waiting: WaitingFor | null;
  agents: number;
  started: number;
  updated: number;
  usage: Usage;
  activity: Activity;
  first_seq: number;
  last_seq: number;
}

/** How many of the sessions on this machine have been looked at, of how many. */
export interface IndexProgress {
  listed: number;
  total: number;
}

/** How complete a server's copy of a shared log is: how many records it `lacks`, if that is known, and why no more come: the log is `away`, has `lost` records, or the copy is `stuck`. */
export interface CopyState {
  lacks: number | null;
  problem: string | null;
}

/** A search result: where an agent said it; `seq` is that of the event with which it began. */
export interface Found {
  run: string;
  stream_id: number;
  seq: number;
  kind: string;
  ts: number;
  snippet: string;
}

/** Where it was said: the session, the sub-agent if it was one, and the words around it. */
export interface SearchHit {
  run: string;
  agent_id: string | null;
  kind: string;
  ts: number;
  snippet: string;
}

/** A run that something was found in, with the agents that it was found at. */
export interface FoundRun {
  run: string;
  title: string | null;
  started: number;
  agents: FoundAgent[];
}

/** A message, and the run that it is about first. `id` counts up, also over restarts. */
export interface PageAlert {
  id: number;
  title: string;
  body: string;
  run: string;
}

/** One line: what was used and what it costs. `unpriced_tokens` are not in the cost. */
export interface CostLine {
  key: string;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
  cost_usd: number | null;
  estimated: boolean;
  unpriced_tokens: number;
}

/** The sum of all lines. */
export interface CostTotal {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
  cost_usd: number | null;
  estimated: boolean;
}

/** A model without a price, and the tokens that are not in the cost. */
export interface UnpricedModel {
  model: string;
  tokens: number;
}

/** What an agent waits for: `permission` (to use `tool`) or `prompt`; and since when, in milliseconds since 1970. */
export interface WaitingFor {
  for: string;
  since: number;
  tool?: string | null;
}

/** Token counts and dollars: `cost_usd` is what the agent's CLI has reported, `estimated_usd` what was computed for the rest; both together are the cost. `unpriced_tokens` are in neither: their model has no price. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
  cost_usd: number | null;
  estimated_usd: number | null;
  unpriced_tokens: number;
}

/** Events in up to `SPANS` equal spans of time since the run's start. When the run outgrows them, they become twice as long. */
export interface Activity {
  span_ms: number;
  counts: number[];
}

/** An agent that something was found at: its type, and what it is there for. */
export interface FoundAgent {
  stream_id: number;
  agent: string;
  description: string | null;
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

export type Aside = Gap | Draft | Cut;

/** A regular expression of the characters that a screen does not show as themselves. */
export const HIDDEN_CHARACTERS =
  '[\\u{0}-\\u{8}\\u{b}-\\u{1f}\\u{7f}-\\u{9f}\\u{ad}-\\u{ad}\\u{34f}-\\u{34f}\\u{61c}-\\u{61c}\\u{115f}-\\u{1160}\\u{17b4}-\\u{17b5}\\u{180b}-\\u{180f}\\u{200b}-\\u{200b}\\u{200e}-\\u{200f}\\u{2028}-\\u{202e}\\u{2060}-\\u{206f}\\u{2800}-\\u{2800}\\u{3164}-\\u{3164}\\u{d800}-\\u{dfff}\\u{fe00}-\\u{fe0d}\\u{feff}-\\u{feff}\\u{ffa0}-\\u{ffa0}\\u{fff0}-\\u{fffb}\\u{13440}-\\u{13442}\\u{16fe4}-\\u{16fe4}\\u{1d159}-\\u{1d159}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]|(?<![^\\x00-\\x7f\\u{200c}\\u{200d}\\u{fe0e}\\u{fe0f}])[\\u{200c}\\u{200d}\\u{fe0e}\\u{fe0f}]|(?<=(?:[\\p{Mn}\\p{Me}][\\u{200c}\\u{200d}\\u{fe0e}\\u{fe0f}]?){6})[\\p{Mn}\\p{Me}]';

/** The tools of all kinds of agents that unbraid brings. */
// prettier-ignore
export const TOOLS: readonly ToolFormat[] = [
  {"names":["Bash"],"purpose":"shell","command":["command"]},
  {"names":["BashOutput","KillShell","KillBash"],"summary":["bash_id","shell_id"]},
  {"names":["Read"],"summary":["file_path"]},
  {"names":["LS"],"summary":["path"]},
  {"names":["Glob","Grep"],"summary":["pattern"]},
  {"names":["Edit"],"purpose":"edit","path":"file_path","old":"old_string","new":"new_string"},
  {"names":["MultiEdit"],"purpose":"edit","path":"file_path","old":"old_string","new":"new_string","edits":"edits"},
  {"names":["Write"],"purpose":"edit","path":"file_path","new":"content"},
  {"names":["NotebookEdit"],"purpose":"edit","path":"notebook_path","new":"new_source"},
  {"names":["NotebookRead"],"summary":["notebook_path"]},
  {"names":["TodoWrite"],"purpose":"todo","todos":"todos","todo":["content"]},
  {"names":["Task","Agent"],"purpose":"agent","summary":["description","prompt"],"agent":"subagent_type"},
  {"names":["SendMessage"],"summary":["summary","message"]},
  {"names":["TaskCreate"],"summary":["subject","description"]},
  {"names":["TaskOutput","TaskStop"],"summary":["task_id"]},
  {"names":["Workflow"],"summary":["script"]},
  {"names":["Skill","SlashCommand"],"summary":["skill","command"]},
  {"names":["WebFetch"],"summary":["url"]},
  {"names":["WebSearch","ToolSearch"],"summary":["query"]},
  {"names":["AskUserQuestion"],"purpose":"question","questions":"questions","multiple":"multiSelect"},
  {"names":["ExitPlanMode"],"summary":["plan"]},
  {"names":["bash"],"purpose":"shell","command":["command"]},
  {"names":["read"],"summary":["filePath"]},
  {"names":["list"],"summary":["path"]},
  {"names":["glob","grep"],"summary":["pattern"]},
  {"names":["edit"],"purpose":"edit","path":"filePath","old":"oldString","new":"newString"},
  {"names":["edit"],"purpose":"edit","path":"filepath","patch":"diff"},
  {"names":["multiedit"],"purpose":"edit","path":"filePath","old":"oldString","new":"newString","edits":"edits"},
  {"names":["write"],"purpose":"edit","path":"filePath","new":"content"},
  {"names":["patch","apply_patch"],"purpose":"edit","patch":"patchText"},
  {"names":["todowrite"],"purpose":"todo","todos":"todos","todo":["content"]},
  {"names":["task"],"purpose":"agent","summary":["description","prompt"],"agent":"subagent_type"},
  {"names":["skill"],"summary":["name"]},
  {"names":["webfetch"],"summary":["url"]},
  {"names":["websearch","codesearch"],"summary":["query"]},
  {"names":["question"],"purpose":"question","questions":"questions","multiple":"multiple"},
  {"names":["invalid"],"summary":["error"]},
  {"names":["shell","exec_command"],"purpose":"shell","command":["cmd","command"]},
  {"names":["exec"],"summary":["input"]},
  {"names":["write_stdin"],"summary":["chars"]},
  {"names":["apply_patch","fileChange"],"purpose":"edit","patch":"input","changes":"changes"},
  {"names":["update_plan"],"purpose":"todo","todos":"plan","todo":["step","text"]},
  {"names":["spawn_agent"],"purpose":"agent","summary":["message"],"agent":"agent_type"},
  {"names":["send_input","send_message","followup_task","resume_agent"],"summary":["message","target","id"]},
  {"names":["wait","wait_agent","close_agent","interrupt_agent"],"summary":["target","targets","ids","id"]},
  {"names":["view_image"],"summary":["path"]},
  {"names":["web_search"],"summary":["query"]},
];
