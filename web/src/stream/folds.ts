import { getContext, setContext } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';

/** Which items someone has opened or closed: a virtual list forgets what it does not show. */
export type Folds = SvelteMap<number, boolean>;

const KEY = Symbol('folds');

export function makeFolds(): Folds {
  return setContext(KEY, new SvelteMap());
}

export function theFolds(): Folds {
  return getContext(KEY);
}
