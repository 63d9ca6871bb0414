/**
 * What a tool call is about, by the table of all tools. The rules are those of
 * `unbraid.fold.tool_formats`. Inputs are an agent's: of any shape.
 */
import { TOOLS, type ToolFormat } from './events';
import type { Call } from './items';

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

/** A question that an agent asks a person, as far as it has the form of one. */
export interface Question {
  question: string;
  options: { label: string; description: string }[];
  multiple: boolean;
}

export type Picture =
  | { look: 'shell'; summary: string; command: string }
  | { look: 'edit'; summary: string; changes: Change[] }
  | { look: 'todo'; summary: string; todos: Todo[] }
  | { look: 'agent'; summary: string }
  | { look: 'plain'; summary: string };

type Values = Record<string, unknown>;

const MOST_CHARS = 300;
const SHELL_FLAGS: unknown[] = ['-c', '-lc'];
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.*)$/;
const UNKNOWN: ToolFormat = { names: [] };
const FORMATS = new Map<string, ToolFormat[]>();
for (const format of TOOLS)
  for (const name of format.names) FORMATS.set(name, [...(FORMATS.get(name) ?? []), format]);
/** Every argument by which some tool changes a file. */
const EDITED = new Set(TOOLS.filter(({ purpose }) => purpose === 'edit').flatMap(editArguments));

export function pictureOf(call: Call): Picture {
  const format = formatOf(call.tool, call.input);
  const values = record(call.input);
  const summary = summaryOf(call.tool, call.input);
  switch (format.purpose) {
    case 'shell':
      return { look: 'shell', summary, command: first(values, format.command) };
    case 'edit': {
      const changes = changesOf(call.tool, call.input);
      return changes.length > 0 ? { look: 'edit', summary, changes } : { look: 'plain', summary };
    }
    case 'todo':
      return { look: 'todo', summary, todos: todosOf(format, values) };
    case 'agent':
      return { look: 'agent', summary };
    default:
      return { look: 'plain', summary };
  }
}

/** What a call is about, on one line; nothing for a call without arguments. */
export function summaryOf(tool: string, input: unknown): string {
  return oneLine(telling(formatOf(tool, input), input));
}

/** What a call changes in files; nothing if it is no edit, or says nothing of it. */
export function changesOf(tool: string, input: unknown): Change[] {
  const format = formatOf(tool, input);
  const values = record(input);
  if (format.purpose !== 'edit') return [];
  if (has(values, format.changes)) return listedChanges(argument(values, format.changes));
  const path = text(argument(values, format.path));
  if (has(values, format.patch)) return patchChanges(text(argument(values, format.patch)), path);
  const parts = has(values, format.edits) ? list(argument(values, format.edits)) : [values];
  return parts
    .map((part) => ({
      path,
      before: text(argument(part, format.old)),
      after: text(argument(part, format.new)),
    }))
    .filter(({ before, after }) => before !== '' || after !== '');
}

/** The questions of a call that asks a person. */
export function questionsOf(tool: string, input: unknown): Question[] {
  const { questions, multiple } = formatOf(tool, input);
  return list(argument(record(input), questions)).map((each) => ({
    question: text(each.question),
    options: list(each.options).map((option) => ({
      label: text(option.label),
      description: text(option.description),
    })),
    multiple: argument(each, multiple) === true,
  }));
}

/** The argument that is the command of a shell, if that is a text. */
export function commandArgument(tool: string, input: unknown): string | undefined {
  const values = record(input);
  return formatOf(tool, input).command?.find((name) => text(argument(values, name)) !== '');
}

/**
 * The arguments of an edit that its picture shows whole, so that a card need not show them again;
 * none if they are not those of one edit, and each a text. A tool reads what it knows: of two paths
 * the picture would show one, and the other would be written to.
 */
export function shownArguments(tool: string, input: unknown): string[] {
  const format = formatOf(tool, input);
  const values = record(input);
  if (format.purpose !== 'edit' || format.patch || format.changes) return [];
  const form = editArguments(format);
  const there = Object.keys(values).filter((name) => EDITED.has(name));
  const same = there.length === form.length && form.every((name) => there.includes(name));
  return same && form.every((name) => isShown(format, name, values[name])) ? form : [];
}

function isShown(format: ToolFormat, name: string, value: unknown): boolean {
  if (name !== format.edits) return typeof value === 'string';
  const whole = [format.old ?? '', format.new ?? ''];
  return (
    Array.isArray(value) &&
    list(value).every((edit) => {
      const names = Object.keys(edit);
      return names.length === whole.length && whole.every((each) => typeof edit[each] === 'string');
    })
  );
}

function editArguments({ path, old, new: text, edits, patch, changes }: ToolFormat): string[] {
  const texts = edits ? [edits] : [old, text];
  return [path, ...texts, patch, changes].filter((name) => name !== undefined);
}

function formatOf(tool: string, input: unknown): ToolFormat {
  const formats = FORMATS.get(tool) ?? [];
  const values = record(input);
  const fits = (format: ToolFormat) => argumentsOf(format).some((name) => has(values, name));
  return formats.find(fits) ?? formats[0] ?? UNKNOWN;
}

function argumentsOf(format: ToolFormat): (string | undefined)[] {
  const { path, old, edits, patch, changes, todos, agent, questions } = format;
  const single = [path, format.new, old, edits, patch, changes, todos, agent, questions];
  return [...(format.summary ?? []), ...(format.command ?? []), ...single];
}

function telling(format: ToolFormat, input: unknown): string {
  const values = record(input);
  if (format.purpose === 'todo' && has(values, format.todos)) {
    const todos = todosOf(format, values);
    return `${todos.filter(({ status }) => status === 'completed').length} of ${todos.length} done`;
  }
  if (format.purpose === 'question') {
    const [asked] = list(argument(values, format.questions));
    if (asked) return text(asked.question);
  }
  if (format.purpose === 'edit') {
    const paths = new Set(pathsOf(format, values));
    if (paths.size > 0) return [...paths].join(', ');
  }
  const names = [...(format.command ?? []), format.path, ...(format.summary ?? [])];
  const best = first(values, names);
  const who = format.purpose === 'agent' ? text(argument(values, format.agent)) : '';
  return who ? `${best} (${who})` : best || anything(input);
}

/** The first text of an input of which nothing is known, else all of it. */
function anything(input: unknown): string {
  if (typeof input === 'string') return input;
  const found = Object.values(record(input)).find((value) => text(value) !== '');
  if (found !== undefined) return text(found);
  const empty = !input || (typeof input === 'object' && Object.keys(input).length === 0);
  return empty ? '' : (JSON.stringify(input) ?? '');
}

/** The files that a patch or a list of changes names. */
function pathsOf(format: ToolFormat, values: Values): string[] {
  if (!has(values, format.changes)) {
    const patch = text(argument(values, format.patch));
    return patchChanges(patch, '').flatMap(({ path }) => path || []);
  }
  const changes = argument(values, format.changes);
  if (!Array.isArray(changes)) return Object.keys(record(changes));
  return list(changes).flatMap((each) => text(each.path) || []);
}

/**
 * Changes that are listed with their paths, or by them: each has a diff, or the text of a file that
 * is new or deleted.
 */
function listedChanges(changes: unknown): Change[] {
  const listed: [string, Values][] = Array.isArray(changes)
    ? list(changes).map((each) => [text(each.path), each])
    : Object.entries(record(changes)).map(([path, each]) => [path, record(each)]);
  return listed.flatMap(([path, each]) => {
    const given = each.kind ?? each.type;
    const kind = typeof given === 'object' ? record(given).type : given;
    const words = text(each.diff) || text(each.unified_diff) || text(each.content);
    if (kind !== 'add' && kind !== 'delete') return patchChanges(words, path);
    if (words === '') return [];
    return { path, before: kind === 'add' ? '' : words, after: kind === 'add' ? words : '' };
  });
}

/** What a patch changes: in one file, or in those whose names are in it. */
function patchChanges(patch: string, path: string): Change[] {
  const files: { path: string; before: string[]; after: string[] }[] = [];
  for (const line of patch.split('\n')) {
    const named = PATCHED_FILE.exec(line);
    if (named) files.push({ path: named[1]!, before: [], after: [] });
    else if (line.startsWith('@@')) {
      if (files.length === 0) files.push({ path, before: [], after: [] });
    } else if (files.length > 0 && /^[ +-]/.test(line)) {
      const file = files.at(-1)!;
      if (!line.startsWith('+')) file.before.push(line.slice(1));
      if (!line.startsWith('-')) file.after.push(line.slice(1));
    }
  }
  return files.map((file) => ({
    path: file.path,
    before: file.before.join('\n'),
    after: file.after.join('\n'),
  }));
}

function todosOf(format: ToolFormat, values: Values): Todo[] {
  return list(argument(values, format.todos)).map((todo) => ({
    content: first(todo, format.todo),
    status: todo.completed === true ? 'completed' : text(todo.status),
  }));
}

/** The first of some arguments that has words. */
function first(values: Values, names: readonly (string | undefined)[] = []): string {
  for (const name of names) {
    const found = words(argument(values, name));
    if (found) return found;
  }
  return '';
}

/** A text, or the words of a command; of one that a shell is given, what it runs. */
function words(value: unknown): string {
  if (!Array.isArray(value) || !value.every((word) => typeof word === 'string')) return text(value);
  if (value.length === 3 && SHELL_FLAGS.includes(value[1])) return value[2]!;
  return value.map(quoted).join(' ');
}

function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function oneLine(given: string): string {
  // Cut first: what is to be joined may be megabytes long.
  const signs = [...given.slice(0, MOST_CHARS * 8)].slice(0, MOST_CHARS * 4).join('');
  const line = [...signs.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')];
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 1).join('')}…` : line.join('');
}

function has(values: Values, name: string | undefined): boolean {
  return name !== undefined && Object.hasOwn(values, name);
}

function argument(values: Values, name: string | undefined): unknown {
  return name !== undefined && has(values, name) ? values[name] : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function record(value: unknown): Values {
  const whole = typeof value === 'object' && value !== null && !Array.isArray(value);
  return whole ? (value as Values) : {};
}

function list(value: unknown): Values[] {
  return Array.isArray(value) ? value.map(record) : [];
}
