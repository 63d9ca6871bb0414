/** What agents said, as one HTML file that needs nothing else and runs nothing. */
import type { Item } from '../model/items';
import { noteOf, recordNote } from '../model/notes';
import type { Stream } from '../model/stream';
import { compact, cost, duration, moment, oneLine } from '../parts/format';
import { escaped, rendered } from '../safe/markdown';
import { visible, withoutEscapes } from '../safe/marks';
import style from './export.css?inline';

export function asHtml(title: string, streams: Stream[]): string {
  const name = safe(oneLine(title, 200));
  const contents = streams.map((stream) => {
    const { depth, agent, title, status } = stream.view();
    const words = safe(title ? `${agent}: ${title}` : agent);
    return `<li class="depth-${Math.min(depth, 6)}"><a href="#s${stream.id}">${words}</a> <small>${status}</small></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>${style}</style>
</head>
<body>
<h1>${name}</h1>
<nav aria-label="Agents"><ol>${contents.join('\n')}</ol></nav>
${streams.map(streamHtml).join('\n')}
</body>
</html>
`;
}

function streamHtml(stream: Stream): string {
  const view = stream.view();
  const facts = [
    view.status,
    view.model ?? '',
    `${compact(view.tokens)} tokens`,
    cost(view),
    view.ended === null ? '' : duration(view.ended - view.started),
    moment(view.started),
  ];
  const name = safe(view.title ? `${view.agent}: ${view.title}` : view.agent);
  return `<section id="s${stream.id}">
<h2>${name}</h2>
<p class="facts">${facts.filter(Boolean).map(safe).join(' · ')}</p>
${stream.look().map(itemHtml).join('\n')}
</section>`;
}

function itemHtml(item: Item): string {
  const shown = contentHtml(item);
  return item.retracted ? `<div class="retracted"><h3>Retracted</h3>${shown}</div>` : shown;
}

function contentHtml(item: Item): string {
  switch (item.kind) {
    case 'prompt':
      return `<div class="prompt"><h3>Prompt</h3>${words(item.text)}</div>`;
    case 'response':
      return `<div class="response"><h3>Answer to parent</h3>${words(item.text)}</div>`;
    case 'thinking':
      return `<details><summary>Thought</summary>${words(item.text)}</details>`;
    case 'text':
      return `<div class="text">${words(item.text)}</div>`;
    case 'error':
      return `<pre class="error">${safe(item.text)}</pre>`;
    case 'unrecognized':
    case 'malformed':
      return `<details><summary>${safe(recordNote(item))}</summary><pre>${safe(item.text)}</pre></details>`;
    case 'tool': {
      const call = item.call!;
      const mark = call.ok === null ? '…' : call.ok ? '✓' : '✕';
      const input = safe(JSON.stringify(call.input, null, 2) ?? '');
      const result = call.result ? `<pre>${safe(withoutEscapes(call.result))}</pre>` : '';
      return `<details class="tool"><summary>${mark} ${safe(call.tool)}</summary><pre>${input}</pre>${result}</details>`;
    }
    default:
      return `<p class="facts">${safe(noteOf(item))}</p>`;
  }
}

function words(text: string): string {
  // Nothing listens to buttons there: what they would have opened stands beside them.
  return [...rendered(text).values()]
    .join('\n')
    .replaceAll('<button type="button" class="copy-code">Copy</button>', '')
    .replaceAll('<button type="button" class="link"', '<span class="link"')
    .replaceAll('</button>', '</span>');
}

function safe(text: string): string {
  return escaped(visible(text));
}
