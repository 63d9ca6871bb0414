import type { FleetEvent } from '../model/events';
import { Run } from '../model/run';

export type Form = 'json' | 'md' | 'html';

const KINDS: Record<Form, string> = {
  json: 'application/json',
  md: 'text/markdown',
  html: 'text/html',
};

/** Give a run, or one stream of it, to the person as a file. */
export async function download(
  run: string,
  events: readonly FleetEvent[],
  form: Form,
  stream: number | null = null,
): Promise<void> {
  const text = await written(run, events, form, stream);
  const url = URL.createObjectURL(new Blob([text], { type: `${KINDS[form]};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${run}${stream === null ? '' : `-${stream}`}.${form}`;
  link.click();
  // Not at once: some browsers begin to read only after this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export async function written(
  run: string,
  events: readonly FleetEvent[],
  form: Form,
  stream: number | null,
): Promise<string> {
  if (form === 'json') {
    const wanted = events.filter((event) => stream === null || event.stream_id === stream);
    return `${JSON.stringify({ run, events: wanted }, null, 1)}\n`;
  }
  const whole = new Run();
  for (const event of events) whole.apply(event);
  const streams = [...whole.streams.values()].filter(({ id }) => stream === null || id === stream);
  const title = whole.title || run;
  if (form === 'md') return (await import('./markdown')).asMarkdown(title, streams);
  return (await import('./html')).asHtml(title, streams);
}
