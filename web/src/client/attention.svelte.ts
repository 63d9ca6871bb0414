import type { NewAlerts, PageAlert, Runs } from '../model/events';
import { iconWith, titleWith } from '../model/tab';
import { runAddress } from './address';
import { get } from './api';
import { Remembered } from './remembered.svelte';

/** Asked, not fed: a feed is closed in a tab that nobody looks at, and that is the one that counts. */
const ASK_MS = 3000;
const LONGEST_ASK_MS = 60_000;
const MOST = 200;

export type Notifying = 'on' | 'off' | 'blocked' | 'missing';

/** How many runs wait for someone, in the tab's title and on its icon; and alerts, as notifications. */
export class Attention {
  count = $state(0);
  private wanted = new Remembered('notify', false);
  private permission = $state('Notification' in globalThis ? Notification.permission : null);
  private last: number | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause = ASK_MS;
  private stopped = false;
  private readonly icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  private readonly plain = this.icon?.href ?? '';
  private readonly titles = new MutationObserver(() => this.mark());

  constructor() {
    // Pages set the title for themselves, whenever they like.
    this.titles.observe(document.head, { childList: true, subtree: true, characterData: true });
    void this.ask();
  }

  stop(): void {
    this.stopped = true;
    this.titles.disconnect();
    clearTimeout(this.timer);
  }

  get notifying(): Notifying {
    if (this.permission === null) return 'missing';
    if (this.permission === 'denied') return 'blocked';
    return this.wanted.value && this.permission === 'granted' ? 'on' : 'off';
  }

  /** Turn notifications on or off; the browser asks the first time. */
  async toggle(): Promise<void> {
    if (this.notifying === 'on') {
      this.wanted.value = false;
      return;
    }
    this.permission = await Notification.requestPermission();
    this.wanted.value = this.permission === 'granted';
  }

  private async ask(): Promise<void> {
    try {
      const { runs } = await get<Runs>(`/v1/runs?status=waiting&limit=${MOST}`);
      const after = this.last === null ? '' : `?after=${this.last}`;
      const { last, alerts } = await get<NewAlerts>(`/v1/alerts${after}`);
      if (this.stopped) return;
      this.count = runs.length;
      this.mark();
      this.last = last;
      this.notify(alerts);
      this.pause = ASK_MS;
    } catch {
      // Whoever shows the list says that the server is away.
      this.pause = Math.min(this.pause * 2, LONGEST_ASK_MS);
    }
    if (!this.stopped) this.timer = setTimeout(() => void this.ask(), this.pause);
  }

  private notify(alerts: PageAlert[]): void {
    // Who looks at the page sees it there.
    if (this.notifying !== 'on' || document.hasFocus()) return;
    for (const { id, title, body, run } of alerts) {
      const shown = new Notification(title, { body, tag: `unbraid ${id}` });
      shown.onclick = () => {
        focus();
        location.hash = runAddress(run);
        shown.close();
      };
    }
  }

  private mark(): void {
    const title = titleWith(this.count, document.title);
    if (title !== document.title) document.title = title;
    const icon = this.count ? iconWith(this.count) : this.plain;
    if (this.icon && this.icon.href !== icon) this.icon.href = icon;
  }
}
