/** What a tool call is about, whichever CLI's tool it is. Inputs are an agent's: of any shape. */
import type { Call } from '../model/items';
import { oneLine } from '../parts/format';

/** Text that replaces other text in a file. */
export interface Change {
  path: string;
  before: string;
  after: string;
}

export interface Todo {
  content: string;
  status: string;
}

export type Picture =
  | { look: 'shell'; summary: string; command: string }
  | { look: 'edit'; summary: string; changes: Change[] }
  | { look: 'todo'; summary: string; todos: Todo[] }
  | { look: 'agent'; summary: string }
  | { look: 'plain'; summary: string };

const SHELLS = new Set(['bash', 'shell', 'bashoutput']);
const EDITS = new Set(['edit', 'multiedit', 'write', 'notebookedit']);
const AGENTS = new Set(['task', 'agent']);
const EDIT_FORMS = [
  ['file_path', 'old_string', 'new_string'],
  ['filePath', 'oldString', 'newString'],
  ['file_path', 'content'],
  ['filePath', 'content'],
  ['file_path', 'edits'],
  ['notebook_path', 'new_source'],
];
const EDITED = [...new Set(EDIT_FORMS.flat())];
/** The inputs that say most, the first that is there wins. */
const TELLING = [
  ...['file_path', 'filePath', 'notebook_path', 'path', 'pattern', 'query', 'url', 'description'],
  ...['prompt', 'command', 'name', 'skill', 'subject'],
];

export function pictureOf(call: Call): Picture {
  const input = record(call.input);
  const tool = call.tool.toLowerCase();
  if (SHELLS.has(tool)) {
    const command = text(input.command) || text(input.bash_id);
    return { look: 'shell', summary: text(input.description) || oneLine(command), command };
  }
  if (EDITS.has(tool)) {
    const changes = changesOf(input);
    if (changes.length > 0) return { look: 'edit', summary: changes[0]!.path, changes };
  }
  if (tool === 'todowrite') {
    const todos = list(input.todos).map((todo) => ({
      content: text(todo.content),
      status: text(todo.status),
    }));
    const left = todos.filter((todo) => todo.status !== 'completed').length;
    return { look: 'todo', summary: `${todos.length - left} of ${todos.length} done`, todos };
  }
  if (AGENTS.has(tool)) {
    const who = text(input.subagent_type);
    const what = text(input.description) || oneLine(text(input.prompt));
    return { look: 'agent', summary: who ? `${what} (${who})` : what };
  }
  return { look: 'plain', summary: summaryOf(input) };
}

/**
 * The arguments of an edit that its picture shows whole, so that a card need not show them again;
 * none if they are not those of one edit, and each a text. A tool reads what it knows: of two paths
 * the picture would show one, and the other would be written to.
 */
export function shownArguments(input: unknown): string[] {
  const given = record(input);
  const there = EDITED.filter((name) => name in given);
  const form = EDIT_FORMS.find(
    (each) => each.length === there.length && each.every((name) => there.includes(name)),
  );
  return form?.every((name) => isShown(name, given[name])) ? form : [];
}

function isShown(name: string, value: unknown): boolean {
  if (name !== 'edits') return typeof value === 'string';
  const whole = ['old_string', 'new_string'];
  return (
    Array.isArray(value) &&
    list(value).every((edit) => {
      const names = Object.keys(edit);
      return names.length === whole.length && whole.every((each) => typeof edit[each] === 'string');
    })
  );
}

function changesOf(input: Record<string, unknown>): Change[] {
  const path = text(input.file_path) || text(input.filePath) || text(input.notebook_path);
  const whole = text(input.content) || text(input.new_source);
  const parts = Array.isArray(input.edits) ? list(input.edits) : [input];
  const changes = parts.map((part) => ({
    path,
    before: text(part.old_string) || text(part.oldString),
    after: text(part.new_string) || text(part.newString) || whole,
  }));
  return changes.filter((change) => change.before !== '' || change.after !== '');
}

function summaryOf(input: Record<string, unknown>): string {
  for (const name of TELLING) {
    const value = text(input[name]);
    if (value) return oneLine(value);
  }
  const first = Object.values(input).find((value) => typeof value === 'string' && value !== '');
  return oneLine(text(first));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(record) : [];
}
