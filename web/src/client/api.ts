/** The server said no: its status and its own words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answer<T>(await fetch(path, { headers: { accept: 'application/json' }, signal }));
}

export async function post<T>(path: string, body?: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return answer<T>(
    await fetch(path, { method: 'POST', headers, body: JSON.stringify(body ?? {}) }),
  );
}

export async function refusal(response: Response): Promise<Refusal> {
  let message = `the server answered ${response.status}`;
  try {
    const body = (await response.json()) as { error?: { message?: string } };
    message = body.error?.message ?? message;
  } catch {
    // Something in between answered, in words of its own.
  }
  return new Refusal(response.status, message);
}

async function answer<T>(response: Response): Promise<T> {
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as T;
}
