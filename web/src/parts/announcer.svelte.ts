import { untrack } from 'svelte';

/** One line for those who hear the page: what just happened, politely. */
class Announcer {
  said = $state('');

  say(text: string): void {
    // The same words twice are only heard if the line has changed in between.
    this.said = untrack(() => this.said) === text ? `${text}\u00a0` : text;
  }
}

export const announcer = new Announcer();
