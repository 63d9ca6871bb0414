import { parseJson } from './json';

/** The server said no: its status and its own words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** There was no answer: nobody knows what it would be. */
export class Unreachable extends Error {
  constructor() {
    super('The server cannot be reached.');
  }
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, { headers: { accept: 'application/json' }, signal });
}

export function post<T>(path: string, body?: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return ask<T>(path, { method: 'POST', headers, body: JSON.stringify(body ?? {}) });
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

async function ask<T>(path: string, request: RequestInit): Promise<T> {
  const response = await fetch(path, request).catch((error: unknown) => {
    throw error instanceof TypeError ? new Unreachable() : error;
  });
  if (!response.ok) throw await refusal(response);
  return parseJson(await response.text()) as T;
}
