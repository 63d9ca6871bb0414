import { get, post, Unreachable } from '../client/api';
import type { ControlOptions, PermissionRequest } from '../model/events';
import { announcer } from '../parts/announcer.svelte';
import type { Details } from './answers';

/** What can be asked of a run, and the requests. */
export class Steering {
  verbs = $state.raw<string[]>([]);
  /** Why it takes no messages, and the command to use for one that does. */
  reason = $state('');
  command = $state('');
  /** The requests that can be answered from here, by their ids; null while that is not known. */
  held = $state.raw<Map<string, PermissionRequest> | null>(null);
  problem = $state('');
  busy = $state(false);

  constructor(readonly run: string) {}

  can(verb: string): boolean {
    return this.verbs.includes(verb);
  }

  async ask(): Promise<void> {
    try {
      const { verbs, reason, command } = await get<ControlOptions>(`${this.path}/control`);
      this.verbs = verbs;
      this.reason = reason ?? '';
      this.command = command ?? '';
      if (this.can('answer')) {
        const waiting = await get<{ permissions: PermissionRequest[] }>('/v1/permissions');
        const own = waiting.permissions.filter((each) => each.run === this.run);
        this.held = new Map(own.map((each) => [each.request_id, each]));
      }
    } catch (error) {
      // While there is no connection, what was known may still be true: it is asked again after.
      if (error instanceof Unreachable) return;
      // What is not known to be possible is not offered.
      this.verbs = [];
      this.reason = this.command = '';
    }
  }

  message(text: string): Promise<boolean> {
    return this.send(`${this.path}/message`, { text }, 'Sent');
  }

  interrupt(): Promise<boolean> {
    return this.send(`${this.path}/interrupt`, undefined, 'Interrupted');
  }

  cancel(): Promise<boolean> {
    return this.send(`${this.path}/cancel`, undefined, 'Asked to end');
  }

  stop(stream: number): Promise<boolean> {
    return this.send(`${this.path}/streams/${stream}/stop`, undefined, 'Asked to stop');
  }

  async answer(
    request: string,
    behavior: 'allow' | 'deny' | 'give_back',
    message?: string,
    details?: Details,
  ): Promise<boolean> {
    const path = `/v1/permissions/${encodeURIComponent(request)}`;
    const words = { allow: 'Allowed', deny: 'Denied', give_back: 'Given back' }[behavior];
    const body = { behavior, message: message || null, where: 'page', run: this.run, ...details };
    const done = await this.send(path, body, words);
    if (behavior === 'give_back') await this.ask();
    return done;
  }

  private get path(): string {
    return `/v1/runs/${encodeURIComponent(this.run)}`;
  }

  private async send(path: string, body: unknown, done: string): Promise<boolean> {
    this.busy = true;
    this.problem = '';
    try {
      await post(path, body);
      announcer.say(done);
      return true;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
