/** A choice that this browser remembers: a width, a tab. */
export class Remembered<T> {
  #value: T;

  constructor(
    private readonly key: string,
    fallback: T,
  ) {
    this.#value = $state(read(key, fallback));
  }

  get value(): T {
    return this.#value;
  }

  set value(next: T) {
    this.#value = next;
    try {
      localStorage.setItem(this.key, JSON.stringify(next));
    } catch {
      // Not allowed to remember: then it is so for this visit.
    }
  }
}

function read<T>(key: string, fallback: T): T {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return typeof kept === typeof fallback && kept !== null ? (kept as T) : fallback;
  } catch {
    return fallback;
  }
}
