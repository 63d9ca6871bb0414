import { parseJson } from './json';

/** Cuts a stream of bytes into lines of JSON, wherever the chunks were cut. */
export class Lines<T> {
  private decoder = new TextDecoder();
  private rest = '';

  feed(chunk: Uint8Array): T[] {
    const text = this.decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n');
    if (end < 0) {
      this.rest += text;
      return [];
    }
    const whole = this.rest + text.slice(0, end);
    this.rest = text.slice(end + 1);
    // Empty lines are the server's sign of life.
    return whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parseJson(line) as T);
  }
}
