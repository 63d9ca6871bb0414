/** The addresses of this page: all behind the `#`, so that no server ever sees them. */
export type Address =
  | { page: 'runs'; query: string }
  | { page: 'costs'; by: string; since: string }
  | { page: 'run'; run: string; stream: number | null; seq: number | null; at: number | null };

export function parse(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const asked = new URLSearchParams(query);
  const [page, run, stream] = path.split('/').map(decoded);
  if (page === 'run' && run) {
    const [seq, at] = [whole(asked.get('seq')), whole(asked.get('at'))];
    return { page, run, stream: whole(stream), seq, at };
  }
  if (page === 'costs') {
    return { page, by: run || 'day', since: asked.get('since') ?? '' };
  }
  return { page: 'runs', query: asked.get('q') ?? '' };
}

export function runsAddress(query = ''): string {
  return query ? `#/?${new URLSearchParams({ q: query })}` : '#/';
}

export function costsAddress(by = 'day', since = ''): string {
  const path = `#/costs/${encodeURIComponent(by)}`;
  return since ? `${path}?${new URLSearchParams({ since })}` : path;
}

export function runAddress(run: string, stream: number | null = null, seq?: number): string {
  const path = `#/run/${encodeURIComponent(run)}${stream === null ? '' : `/${stream}`}`;
  return seq === undefined ? path : `${path}?seq=${seq}`;
}

/** The run as it was at a time, in milliseconds since 1970. */
export function momentAddress(run: string, stream: number | null, at: number): string {
  return `${runAddress(run, stream)}?at=${Math.round(at)}`;
}

/** A link that can be sent: the page's own address, on its server or as a file, with a place. */
export function linkTo(address: string): string {
  return location.href.replace(/#.*$/s, '') + address;
}

function whole(text: string | null | undefined): number | null {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A person may type anything.
    return part;
  }
}

/** Where the server gives a run, or one stream of it, as a file. */
export function exportAddress(run: string, format: string, stream: number | null = null): string {
  const query = new URLSearchParams({ format });
  if (stream !== null) query.set('stream', String(stream));
  return `/v1/runs/${encodeURIComponent(run)}/export?${query}`;
}
