import { target } from '../safe/markdown';

/** The address outside that a person was about to go to. */
class Leaving {
  url = $state.raw<URL | null>(null);

  ask(href: string): void {
    this.url = target(href);
  }
}

export const leaving = new Leaving();
