import { createHash, type Hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Upload } from './upload.js';

/** Characters that are hashed together: a call of the hash costs more than the characters of a value. */
const FLUSH_LENGTH = 64 * 1024;

/** Work between two pauses: about 5 ms. A value takes as long as `CALL` characters. */
const SLICE = 1024 * 1024;
const CALL = 32;

/**
 * Hash of a JSON value: equal for another order of keys, other white space, escapes and forms of numbers. It copies
 * only a small part of the value at a time.
 */
export async function digestJson(value: unknown): Promise<string> {
  const digest = new JsonDigest();
  const slices = digest.add(value);
  while (!slices.next().done) await setImmediate();
  return digest.end();
}

/** Hash of a form's content: equal for another boundary and another order of the fields. */
export function digestForm(body: object, uploads: readonly Upload[]): Promise<string> {
  return digestJson([body, uploads.map(({ filename, sha256 }) => [filename, sha256])]);
}

class JsonDigest {
  private readonly hash: Hash = createHash('sha256');
  private text = '';
  /** Characters and values since the last pause. */
  private work = 0;

  /**
   * Each part begins with its type and its length, so that different values have different texts. Pauses after each
   * slice of work.
   */
  *add(value: unknown): Generator<void, void> {
    if (typeof value === 'string' && value.length > FLUSH_LENGTH) yield* this.addLongText(value);
    else if (typeof value !== 'object' || value === null) this.addScalar(value);
    else if (Array.isArray(value)) {
      this.append(`l${value.length}:`);
      for (const element of value) {
        if (isSmall(element)) this.addScalar(element);
        else yield* this.add(element);
        if (this.isPauseDue()) yield;
      }
    } else {
      const keys = Object.keys(value).sort();
      this.append(`o${keys.length}:`);
      for (const key of keys) {
        this.append(`${key.length}:`, key);
        const field = (value as Record<string, unknown>)[key];
        if (isSmall(field)) this.addScalar(field);
        else yield* this.add(field);
        if (this.isPauseDue()) yield;
      }
    }
  }

  end(): string {
    this.flush();
    return this.hash.digest('hex');
  }

  private *addLongText(text: string): Generator<void, void> {
    this.append(`s${text.length}:`);
    for (let from = 0; from < text.length; from += FLUSH_LENGTH) {
      this.append(text.slice(from, from + FLUSH_LENGTH));
      if (this.isPauseDue()) yield;
    }
  }

  private addScalar(value: unknown): void {
    if (typeof value === 'string') this.append(`s${value.length}:`, value);
    else this.append(`${String(value)};`);
  }

  private isPauseDue(): boolean {
    if (this.work < SLICE) return false;
    this.work = 0;
    return true;
  }

  private append(start: string, text = ''): void {
    this.text += start;
    this.text += text;
    this.work += CALL + text.length;
    if (this.text.length > FLUSH_LENGTH) this.flush();
  }

  /** UTF-8 would turn each half of a surrogate pair into the same character. */
  private flush(): void {
    this.hash.update(this.text, 'utf16le');
    this.text = '';
  }
}

/**
 * Is it neither an object or array nor a long text? Most values are, and a generator for each would take longer than
 * its hash.
 */
function isSmall(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= FLUSH_LENGTH : typeof value !== 'object' || value === null;
}
