/** What agents said, as a Markdown document. */
import type { Item } from '../model/items';
import { noteOf, recordNote } from '../model/notes';
import type { Stream } from '../model/stream';
import { moment } from '../parts/format';
import { visible, withoutEscapes } from '../safe/marks';

export function asMarkdown(title: string, streams: Stream[]): string {
  const head = `# ${oneLineOf(title)}\n`;
  return [head, ...streams.map(streamMarkdown)].join('\n');
}

function streamMarkdown(stream: Stream): string {
  const view = stream.view();
  const name = view.title ? `${view.agent}: ${view.title}` : view.agent;
  const facts = [view.status, view.model, `${view.tokens} tokens`, moment(view.started)];
  const head = `## ${oneLineOf(name)}\n\n_${facts.filter(Boolean).join(' · ')}_\n`;
  return [head, ...stream.look().map(itemMarkdown)].filter(Boolean).join('\n');
}

function itemMarkdown(item: Item): string {
  const shown = contentMarkdown(item);
  return item.retracted ? `_Retracted:_\n\n${shown}` : shown;
}

function contentMarkdown(item: Item): string {
  switch (item.kind) {
    case 'prompt':
      return `**Prompt**\n\n${quoted(item.text)}\n`;
    case 'thinking':
      return `_Thought_\n\n${quoted(item.text)}\n`;
    case 'response':
      return `**Answer to parent**\n\n${quoted(item.text)}\n`;
    case 'text':
      return `${visible(item.text)}\n`;
    case 'error':
      return `**Error**\n\n${fenced(item.text)}\n`;
    case 'unrecognized':
    case 'malformed':
      return `_${oneLineOf(recordNote(item))}_\n\n${fenced(item.text)}`;
    case 'tool': {
      const call = item.call!;
      const state = call.ok === null ? 'no result' : call.ok ? 'ok' : 'failed';
      const input = fenced(JSON.stringify(call.input, null, 2) ?? '', 'json');
      const result = call.result ? `\n${fenced(withoutEscapes(call.result))}` : '';
      return `**${oneLineOf(call.tool)}** (${state})\n\n${input}${result}`;
    }
    default:
      return `_${oneLineOf(noteOf(item))}_\n`;
  }
}

/** A fence that no line of the text can close. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${visible(text)}\n${fence}\n`;
}

function quoted(text: string): string {
  return visible(text).replace(/^/gm, '> ');
}

function oneLineOf(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim();
}
