import type { Aside, CopyState, FleetEvent } from '../model/events';
import type { FeedOptions } from './feed';
import { Lines } from './lines';
import type { RunSource } from './source';

/** Of one task, how much reading may take: the rest is for drawing. */
const READING_MS = 8;

/** As `src/unbraid/send/export/html_page.py` writes them. */
interface Facts {
  run: string;
  title: string | null;
  /** The only stream of the file; null if all are there. */
  stream: number | null;
  last_seq: number;
}

/** A run that stands in the same file as this page: `unbraid export` has written both. */
export class ArchivedRun implements RunSource {
  readonly saved = true;
  readonly run: string;
  readonly title: string;

  constructor(
    readonly facts: Facts,
    private readonly packed: string,
  ) {
    this.run = facts.run;
    this.title = facts.title ?? '';
  }

  connect(options: Omit<FeedOptions<FleetEvent | Aside>, 'path'>): { stop(): void } {
    let stopped = false;
    void this.read(options, () => stopped);
    return { stop: () => (stopped = true) };
  }

  lastSeq(): Promise<number> {
    return Promise.resolve(this.facts.last_seq);
  }

  copy(): Promise<CopyState | null> {
    return Promise.resolve(null);
  }

  private async read(
    { onlines, onstanding }: Omit<FeedOptions<FleetEvent | Aside>, 'path'>,
    stopped: () => boolean,
  ): Promise<void> {
    onstanding('live', null);
    const lines = new Lines<FleetEvent>();
    const reader = unpacked(this.packed).getReader();
    let began = performance.now();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || stopped()) break;
      const found = lines.feed(value);
      if (found.length > 0) onlines(found);
      if (performance.now() - began > READING_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        began = performance.now();
      }
    }
    if (!stopped()) onstanding('over', null);
  }
}

/** The run in this file; null where the page comes from a server. */
export function archiveIn(page: Document): ArchivedRun | null {
  const facts = page.getElementById('unbraid-run');
  const events = page.getElementById('unbraid-events');
  if (facts === null || events === null) return null;
  return new ArchivedRun(JSON.parse(facts.textContent) as Facts, events.textContent);
}

/** Lines of base64, each decoded when it is asked for, as the bytes that they hold packed. */
function unpacked(packed: string): ReadableStream<Uint8Array> {
  let at = 0;
  const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const end = packed.indexOf('\n', at);
      const line = packed.slice(at, end < 0 ? undefined : end);
      at = end < 0 ? packed.length : end + 1;
      if (line !== '') controller.enqueue(Uint8Array.from(atob(line), (c) => c.charCodeAt(0)));
      if (at >= packed.length) controller.close();
      else if (line === '') this.pull!(controller);
    },
  });
  return bytes.pipeThrough(new DecompressionStream('deflate'));
}
